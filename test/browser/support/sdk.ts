import type { Frame, Page } from 'playwright-core';
import type {
  AuthenticateOptions,
  AuthenticationAnswer,
  ErrorDetails,
  ErrorKind,
  RegisterOptions,
  RegistrationAnswer,
  SignInOptions,
  UpgradeOptions,
} from '../../../packages/browser/src/types.js';

type Failure = Omit<ErrorDetails, 'cause'> & { kind: ErrorKind; name: string; message: string };
export type Outcome<T> = { answer?: T; error?: Failure };

export interface Setup {
  readonly relyingParty?: string;
  readonly baseUrl?: string;
  /** JavaScript that runs before the call; `options` are the client's. */
  readonly before?: string;
  /** JavaScript that runs right after the call has begun. It can use `client`. */
  readonly after?: string;
}

/** Calls the SDK inside a page of any origin, as that page's own script would. */
export class Sdk {
  constructor(
    private readonly page: Page | Frame,
    private readonly server: string,
  ) {}

  register(options: RegisterOptions, setup?: Setup): Promise<Outcome<RegistrationAnswer>> {
    return this.call('register', options, setup);
  }

  authenticate(
    options: AuthenticateOptions,
    setup?: Setup,
  ): Promise<Outcome<AuthenticationAnswer>> {
    return this.call('authenticate', options, setup);
  }

  signIn(
    options: SignInOptions & { immediate?: boolean } = {},
    setup?: Setup,
  ): Promise<Outcome<AuthenticationAnswer>> {
    return this.call('signIn', options, setup);
  }

  upgrade(
    options: UpgradeOptions,
    setup?: Setup,
  ): Promise<Outcome<RegistrationAnswer | undefined>> {
    return this.call('upgrade', options, setup);
  }

  /** Waits in the first field of the page, where there is one. */
  autofill(options: SignInOptions = {}, setup?: Setup): Promise<Outcome<AuthenticationAnswer>> {
    return this.call('autofill', options, setup);
  }

  /** The value of an expression in which `sdk` is the module. */
  evaluate<T>(expression: string): Promise<T> {
    return this.page.evaluate<T>(
      `import('${this.server}/sdk/servicefido.js').then(async (sdk) => ${expression})`,
    );
  }

  private call<T>(method: string, options: object, setup: Setup = {}): Promise<Outcome<T>> {
    const { before = '', after = '', ...client } = setup;
    return this.evaluate<Outcome<T>>(`{
      const options = ${JSON.stringify(client)};
      const call = ${JSON.stringify(options)};
      ${before}
      const client = sdk.createClient(options);
      const field = document.querySelector('input') ?? undefined;
      const done = client.${method}(...${method === 'autofill' ? '[field, call]' : '[call]'}).then(
        (answer) => ({ answer }),
        (error) => {
          if (!(error instanceof sdk.ServiceFidoError)) throw error;
          return { error: { ...error, name: error.name, message: error.message } };
        },
      );
      ${after}
      return done;
    }`);
  }
}
