import type { Answer } from '../client.js';
import { FidoClient } from '../fido-client.js';
import {
  SoftAuthenticator,
  type SoftAuthenticatorOptions,
} from '../../../packages/testing/src/soft-authenticator.js';
import type { AuthenticationCase, RegistrationCase, ToolBody } from './conformance-case.js';

/** The input that the tool sends and expects back. */
export const EXTENSIONS = { 'example.extension': 'a text to be echoed' };

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
