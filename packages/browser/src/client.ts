import {
  creationOptions,
  requestOptions,
  toAuthenticationJSON,
  toRegistrationJSON,
} from './json.js';
import { prompt } from './prompt.js';
import { serverAt } from './server.js';
import { SingleFlight, whileFresh } from './single-flight.js';
import type {
  AuthenticateOptions,
  AuthenticationAnswer,
  Client,
  ClientOptions,
  RegisterOptions,
  RegistrationAnswer,
} from './types.js';

/** The answer of a begin call: the browser's options, and what travels beside them. */
type Begun<Options> = Options & { timeout: number; warnings?: string[]; ceremony?: string };
type Creation = Begun<PublicKeyCredentialCreationOptionsJSON>;
type Request = Begun<PublicKeyCredentialRequestOptionsJSON>;

/** Makes a client of one server. It runs one call at a time: a newer call aborts the former. */
export function createClient(options: ClientOptions = {}): Client {
  const post = serverAt(options);
  const flight = new SingleFlight();

  async function register(options: RegisterOptions, signal: AbortSignal) {
    const { token, idempotencyKey, ...body } = options;
    const begun = await post<Creation>('register/begin', { body, signal, token });
    const publicKey = creationOptions(begun);
    const credential = await prompt(begun.timeout, () =>
      navigator.credentials.create({ publicKey, signal, ...mediationOf(body) }),
    );
    const result = { ...toRegistrationJSON(credential), ...ceremonyOf(begun) };
    const call = { body: result, signal, idempotencyKey };
    const answer = await post<RegistrationAnswer>('register/complete', call);
    return { ...answer, ...outcomeOf(begun, credential) };
  }

  async function authenticate(
    options: AuthenticateOptions,
    signal: AbortSignal,
  ): Promise<AuthenticationAnswer> {
    const { mediation, ...body } = options;
    const begun = await post<Request>('authenticate/begin', { body, signal });
    const publicKey = requestOptions(begun);
    const ask = (signal: AbortSignal) =>
      prompt(begun.timeout, () =>
        navigator.credentials.get({ publicKey, signal, ...mediationOf(options) }),
      );
    const credential =
      mediation === 'conditional'
        ? await whileFresh(begun.timeout, signal, ask)
        : await ask(signal);
    if (!credential) return authenticate(options, signal);
    const result = { ...toAuthenticationJSON(credential), ...ceremonyOf(begun) };
    const answer = await post<AuthenticationAnswer>('authenticate/complete', {
      body: result,
      signal,
    });
    return { ...answer, ...outcomeOf(begun, credential) };
  }

  return {
    register: ({ signal, ...call }) => flight.run(signal, (own) => register(call, own)),
    authenticate: ({ signal, ...call }) => flight.run(signal, (own) => authenticate(call, own)),
    abort: () => flight.abort(),
  };
}

/** How the browser asks. The DOM's types know it for `get()` alone. */
const mediationOf = ({ mediation }: { mediation?: CredentialMediationRequirement }) =>
  mediation && { mediation };

/** A backend that begins with its key may hand on the name of the ceremony, or keep it. */
const ceremonyOf = ({ ceremony }: Begun<object>) => ceremony && { ceremony };

/** What the page learns besides the server's answer: whoever calls sees neither begin call nor credential. */
const outcomeOf = ({ warnings }: Begun<object>, credential: PublicKeyCredential) => ({
  ...(warnings && { warnings }),
  clientExtensionResults: credential.getClientExtensionResults(),
});
