import { SoftAuthenticator } from '../../packages/testing/src/soft-authenticator.js';
import { readCreationOptions, readRequestOptions } from '../../packages/testing/src/options.js';
import type {
  AuthenticationTweaks,
  RegistrationTweaks,
} from '../../packages/testing/src/tweaks.js';
import { Client, type Answer } from './client.js';
import type { DatabaseName } from './databases.js';

/** The two families of paths; both mean the same. */
export const PATHS = {
  certify: {
    beginRegistration: '/fidoapi/certify/attestation/options',
    completeRegistration: '/fidoapi/certify/attestation/result',
    beginAuthentication: '/fidoapi/certify/assertion/options',
    completeAuthentication: '/fidoapi/certify/assertion/result',
  },
  alias: {
    beginRegistration: '/fidoapi/register/begin',
    completeRegistration: '/fidoapi/register/complete',
    beginAuthentication: '/fidoapi/authenticate/begin',
    completeAuthentication: '/fidoapi/authenticate/complete',
  },
} as const;

export type Family = keyof typeof PATHS;

/** The families for a suite that runs on several databases: one has both, since their handlers are the same. */
export const familiesOn = (on: DatabaseName): Family[] =>
  on === 'SQLite' ? ['certify', 'alias'] : ['certify'];

interface FidoClientSettings {
  readonly relyingParty?: string;
  /** The origin of the page, for the client data: of the relying party by default; `localhost` is the server itself. */
  readonly origin?: string;
  readonly family?: Family;
  readonly authenticator?: SoftAuthenticator;
}

/** A user on a page of the relying party, with an authenticator. */
export class FidoClient extends Client {
  readonly authenticator: SoftAuthenticator;
  readonly origin: string;
  readonly paths: (typeof PATHS)[Family];

  constructor(url: string, settings: FidoClientSettings = {}) {
    const { relyingParty = 'localhost', origin, family = 'certify' } = settings;
    super(url, { 'x-servicefido-relyingparty': relyingParty });
    this.origin = origin ?? (relyingParty === 'localhost' ? url : `https://${relyingParty}`);
    this.paths = PATHS[family];
    this.authenticator = settings.authenticator ?? new SoftAuthenticator();
  }

  /** A user who has registered. Throws if the server refuses. */
  static async registered(url: string, username: string, settings: FidoClientSettings = {}) {
    const client = new FidoClient(url, settings);
    const { status, text } = await client.register(username);
    if (status !== 200) throw new Error(`register ${username}: ${status} ${text}`);
    return client;
  }

  /** The ID of the authenticator's first credential, as Base64URL. */
  get keyId(): string {
    const [credential] = this.authenticator.credentials;
    if (!credential) throw new Error('The authenticator has no credential.');
    return credential.id.toString('base64url');
  }

  beginRegistration(username: string, more: object = {}): Promise<Answer> {
    return this.post(this.paths.beginRegistration, { username, displayName: username, ...more });
  }

  completeRegistration(body: unknown): Promise<Answer> {
    return this.post(this.paths.completeRegistration, body);
  }

  beginAuthentication(username: string, more: object = {}): Promise<Answer> {
    return this.post(this.paths.beginAuthentication, { username, ...more });
  }

  /** Without a name: the authenticator tells who it is. */
  beginNameless(mediation = 'optional', more: object = {}): Promise<Answer> {
    return this.post(this.paths.beginAuthentication, { mediation, ...more });
  }

  completeAuthentication(body: unknown): Promise<Answer> {
    return this.post(this.paths.completeAuthentication, body);
  }

  /** The authenticator's response to a begin call's answer. */
  create(begun: Answer, tweaks: RegistrationTweaks = {}) {
    const options = readCreationOptions(begun.body);
    return this.authenticator.create(options, { origin: this.origin, tweaks });
  }

  assert(begun: Answer, tweaks: AuthenticationTweaks = {}) {
    const options = readRequestOptions(begun.body);
    return this.authenticator.get(options, { origin: this.origin, tweaks });
  }

  /** A whole registration; returns the answer of its result call. */
  async register(username: string, more: object = {}): Promise<Answer> {
    const begun = await this.beginRegistration(username, more);
    if (begun.status !== 200) return begun;
    return this.completeRegistration(this.create(begun));
  }

  /** The registration that the answer of a sign-in offers; returns the answer of its result call. */
  upgrade(signedIn: Answer, tweaks: RegistrationTweaks = {}): Promise<Answer> {
    const body = signedIn.body['upgrade'] as Answer['body'];
    return this.completeRegistration(this.create({ ...signedIn, body }, tweaks));
  }

  /** A whole authentication; returns the answer of its result call. */
  async signIn(username: string, tweaks: AuthenticationTweaks = {}): Promise<Answer> {
    const begun = await this.beginAuthentication(username);
    if (begun.status !== 200) return begun;
    return this.completeAuthentication(this.assert(begun, tweaks));
  }

  /** The same without a name. */
  async signInNameless(): Promise<Answer> {
    return this.completeAuthentication(this.assert(await this.beginNameless()));
  }
}
