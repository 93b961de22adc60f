import { X509Certificate, randomBytes, randomUUID } from 'node:crypto';
import { SignJWT, exportJWK, generateKeyPair, jwtVerify, type CryptoKey, type JWK } from 'jose';

/** The public cloud. */
export const MICROSOFT = 'https://login.microsoftonline.com';
export const RETURN = '/common/federation/externalauthprovider';

/** `acr` and `amr` as integrators measured them: every other class is refused, and so is an unknown method. */
const ACCEPTED_ACR = 'possessionorinherence';
const KNOWN_AMR = [
  'face',
  'fido',
  'fpt',
  'hwk',
  'iris',
  'otp',
  'pop',
  'retina',
  'sc',
  'sms',
  'swk',
];

const CLAIMS = {
  id_token: {
    acr: { essential: true, values: [ACCEPTED_ACR] },
    amr: { essential: true, values: [...KNOWN_AMR, 'tel', 'vbm'] },
  },
};

interface TenantKey {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

/** A client of the kind `entra`, as its administrator typed it in at Entra. */
export interface ExternalMethod {
  readonly clientId: string;
  readonly issuer: string;
}

/** What Entra ID gets by the form of an answer. */
export type AnswerForm = Readonly<Record<string, string>>;

interface HintOptions {
  /** Claims that replace those of a genuine hint; `undefined` leaves one out. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Of another tenant, or one that was never published. */
  readonly key?: TenantKey;
  /** Milliseconds since 1970. */
  readonly now?: number;
}

/** A tenant of Entra ID that has this server as External MFA: its metadata, keys, hints, and its check of the answer. */
export class EntraTenant {
  readonly id = randomUUID();
  readonly appId = randomUUID();
  /** The addresses that were read. */
  readonly reads: string[] = [];
  /** Whether Entra answers with an error. */
  isAway = false;
  private keys: TenantKey[] = [];

  private constructor(readonly origin: string) {}

  static async create(origin = MICROSOFT): Promise<EntraTenant> {
    const tenant = new EntraTenant(origin);
    await tenant.rotate();
    return tenant;
  }

  /** Signs with a new key, and publishes only this one. */
  async rotate(): Promise<void> {
    this.keys = [await newKey()];
  }

  /** Publishes another key beside those of the tenant. */
  async publish(members: JWK & { readonly issuer?: string }): Promise<TenantKey> {
    const key = await newKey();
    const published = { ...key, jwk: { ...key.jwk, ...members } };
    this.keys.push(published);
    return published;
  }

  get key(): TenantKey {
    const [key] = this.keys;
    if (!key) throw new Error('The tenant has no key.');
    return key;
  }

  get issuer(): string {
    return `${this.origin}/${this.id}/v2.0`;
  }

  /** What the address answers, to take the place of `EntraSource.read`. */
  async read(url: URL): Promise<unknown> {
    this.reads.push(url.href);
    if (this.isAway) throw new Error('connect ECONNREFUSED');
    const keys = `${this.origin}/${this.id}/discovery/v2.0/keys`;
    if (url.href === `${this.issuer}/.well-known/openid-configuration`)
      return { issuer: this.issuer, jwks_uri: keys };
    if (url.href === keys) return { keys: this.keys.map(({ jwk }) => jwk) };
    throw new Error(`${url.href} answered with status 404`);
  }

  /** The hint about a user: a token that expires as it is issued. */
  async hint(oid: string, options: HintOptions = {}): Promise<string> {
    const { claims = {}, key = this.key, now = Date.now() } = options;
    const seconds = Math.floor(now / 1000);
    const genuine = {
      ver: '2.0',
      iss: this.issuer,
      sub: `pairwise-${oid}`,
      aud: this.appId,
      exp: seconds - 1,
      iat: seconds,
      nbf: seconds,
      name: 'Test User',
      preferred_username: oid,
      oid,
      tid: this.id,
      rh: randomBytes(8).toString('base64url'),
    };
    return new SignJWT({ ...genuine, ...claims })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: key.kid })
      .sign(key.privateKey);
  }

  /** The parameters that the browser brings to the authorization endpoint. */
  request(clientId: string, hint: string, more: Readonly<Record<string, string>> = {}) {
    return new URLSearchParams({
      scope: 'openid',
      response_type: 'id_token',
      response_mode: 'form_post',
      client_id: clientId,
      redirect_uri: this.origin + RETURN,
      nonce: 'the nonce of Entra',
      state: 'the state of "Entra" & more',
      claims: JSON.stringify(CLAIMS),
      id_token_hint: hint,
      'client-request-id': randomUUID(),
      ...more,
    });
  }

  /** Judges an answer as Entra ID does: `accepted`, or why the user is refused. */
  async judge(method: ExternalMethod, request: URLSearchParams, form: AnswerForm): Promise<string> {
    if (form['state'] !== request.get('state')) return 'another state';
    if (form['error'] !== undefined) return form['error'];
    const metadata = await readJson(`${method.issuer}/.well-known/openid-configuration`);
    if (metadata['issuer'] !== method.issuer) return 'another issuer';
    const { keys } = await readJson<{ keys: Record<string, unknown>[] }>(`${metadata['jwks_uri']}`);
    const [, payload = ''] = (request.get('id_token_hint') ?? '').split('.');
    const hint = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { sub: string };
    const { payload: claims } = await jwtVerify(
      String(form['id_token']),
      async ({ kid }) => {
        const found = keys.find((key) => key['kid'] === kid);
        const [certificate = ''] = found?.['x5c'] as string[];
        // Entra reads the certificate, not the key beside it.
        return new X509Certificate(Buffer.from(certificate, 'base64')).publicKey;
      },
      {
        issuer: method.issuer,
        audience: method.clientId,
        subject: hint.sub,
        algorithms: ['RS256'],
        maxTokenAge: 300,
        requiredClaims: ['exp', 'iat'],
        currentDate: new Date(this.now()),
      },
    );
    if (claims['nonce'] !== request.get('nonce')) return 'another nonce';
    if (claims['acr'] !== ACCEPTED_ACR) return 'AADSTS5001258';
    const amr = claims['amr'];
    const isKnown = Array.isArray(amr) && amr.length === 1 && KNOWN_AMR.includes(String(amr[0]));
    return isKnown ? 'accepted' : 'AADSTS5001257';
  }

  /** Milliseconds since 1970; tests with a clock of their own replace it. */
  now = (): number => Date.now();
}

async function newKey(): Promise<TenantKey> {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  const kid = randomBytes(20).toString('base64url');
  const jwk = { ...(await exportJWK(publicKey)), kid, use: 'sig', x5c: ['of Microsoft'] };
  return { kid, privateKey, jwk };
}

/** Entra demands the length of each document. */
async function readJson<T = Record<string, unknown>>(address: string): Promise<T> {
  const answer = await fetch(address);
  if (answer.status !== 200 || answer.headers.get('content-length') === null)
    throw new Error(`${address} answered ${answer.status}, with or without its length`);
  return (await answer.json()) as T;
}
