import type { Answer } from '../client.js';
import { FidoClient } from '../fido-client.js';
import type { CborInput } from '../../../packages/testing/src/cbor-writer.js';
import type {
  AuthenticationTweaks,
  RegistrationTweaks,
} from '../../../packages/testing/src/tweaks.js';
import {
  SoftAuthenticator,
  type SoftAuthenticatorOptions,
} from '../../../packages/testing/src/soft-authenticator.js';

/** The input that the tool sends and expects back. */
export const EXTENSIONS = { 'example.extension': 'a text to be echoed' };

/** A case of FIDO's conformance tests: its number, its text, and its fault. */
export interface ConformanceCase<T> {
  readonly id: string;
  readonly words: string;
  readonly device?: SoftAuthenticatorOptions;
  /** Further members of the begin call. */
  readonly begin?: object;
  readonly tweaks?: T;
  /** What is wrong with the body. */
  readonly change?: (body: ToolBody) => unknown;
  /** The code of the refusal; a case without one must be accepted. */
  readonly code?: string;
}

export type RegistrationCase = ConformanceCase<RegistrationTweaks>;
export type AuthenticationCase = ConformanceCase<AuthenticationTweaks>;

/** The body of a result call as the tool writes it: extension results bear the method's name. */
export interface ToolBody {
  readonly id: string;
  readonly rawId: string;
  readonly type: string;
  readonly response: Readonly<Record<string, unknown>>;
  readonly getClientExtensionResults: object;
}

let users = 0;

/** FIDO's conformance tool with one authenticator and one new user. */
export class ConformanceTool {
  readonly username: string;
  private readonly client: FidoClient;

  constructor(url: string, device: SoftAuthenticatorOptions = {}) {
    users += 1;
    this.username = `conformance-${users}`;
    this.client = new FidoClient(url, { authenticator: new SoftAuthenticator(device) });
  }

  beginRegistration(more: object = {}): Promise<Answer> {
    return this.client.beginRegistration(this.username, {
      attestation: 'direct',
      authenticatorSelection: { requireResidentKey: false, userVerification: 'preferred' },
      extensions: EXTENSIONS,
      ...more,
    });
  }

  async register({ begin, tweaks, change }: Partial<RegistrationCase> = {}): Promise<Answer> {
    const begun = await this.beginRegistration(begin);
    const body = toolBody(this.client.create(begun, tweaks));
    return this.client.completeRegistration(change?.(body) ?? body);
  }

  beginAuthentication(more: object = {}): Promise<Answer> {
    return this.client.beginAuthentication(this.username, { extensions: EXTENSIONS, ...more });
  }

  async signIn({ begin, tweaks, change }: Partial<AuthenticationCase> = {}): Promise<Answer> {
    const begun = await this.beginAuthentication(begin);
    const body = toolBody(this.client.assert(begun, tweaks));
    return this.client.completeAuthentication(change?.(body) ?? body);
  }

  get credentialIds(): readonly string[] {
    return this.client.authenticator.credentials.map(({ id }) => id.toString('base64url'));
  }
}

function toolBody(body: Omit<ToolBody, 'getClientExtensionResults'>): ToolBody {
  const { id, rawId, type, response } = body;
  return { id, rawId, type, response, getClientExtensionResults: {} };
}

/** Sets a member of the body; `undefined` leaves it out. */
export const set = (members: object) => (body: ToolBody) => ({ ...body, ...members });

/** Sets a member of `response`; `undefined` leaves it out. */
export const setResponse = (members: object) => (body: ToolBody) => ({
  ...body,
  response: { ...body.response, ...members },
});

/** Sets a member of the attestation statement; `undefined` leaves it out. */
export const having = (name: string, value: CborInput | undefined): RegistrationTweaks => ({
  statement: (good) => {
    const changed = new Map(good);
    if (value === undefined) changed.delete(name);
    else changed.set(name, value);
    return changed;
  },
});

/** The requirements of FIDO's Conformance-Test-API for the answer; the codes are ours. */
export function expectOutcome({ status, body }: Answer, code: string | undefined): void {
  if (code === undefined) {
    expect(body).toMatchObject({ status: 'ok', errorMessage: '' });
    expect(status).toBe(200);
    return;
  }
  expect(body).toMatchObject({
    status: 'failed',
    errorMessage: expect.stringMatching(/./),
    errorCode: code,
  });
  expect(status).toBeGreaterThanOrEqual(400);
  expect(status).toBeLessThan(500);
}
