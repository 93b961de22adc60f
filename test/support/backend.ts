import type { SoftAuthenticator } from '../../packages/testing/src/soft-authenticator.js';
import { bearer } from './application-keys.js';
import type { Answer } from './client.js';
import { FidoClient } from './fido-client.js';

interface BackendSettings {
  readonly relyingParty?: string;
  readonly origin?: string;
  readonly authenticator?: SoftAuthenticator;
  /** The address of the user for whom it calls. */
  readonly client?: string;
}

/** An application's backend, which passes on the answers of its users' authenticators, and keeps no cookie. */
export class Backend extends FidoClient {
  /** Of the last begin call. */
  ceremony: unknown;

  constructor(url: string, secret: string, { client, ...settings }: BackendSettings = {}) {
    super(url, settings);
    Object.assign(this.headers, bearer(secret));
    if (client !== undefined) this.headers['x-servicefido-client-address'] = client;
  }

  override async send(path: string, init: RequestInit): Promise<Answer> {
    const answer = await super.send(path, init);
    if ('ceremony' in answer.body) this.ceremony = answer.body['ceremony'];
    return answer;
  }

  override completeRegistration(body: object): Promise<Answer> {
    return super.completeRegistration({ ceremony: this.ceremony, ...body });
  }

  override completeAuthentication(body: object): Promise<Answer> {
    return super.completeAuthentication({ ceremony: this.ceremony, ...body });
  }
}
