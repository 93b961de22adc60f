import { createServer, type Server } from 'node:http';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SignJWT, exportJWK, generateKeyPair, type GenerateKeyPairResult } from 'jose';
import { stringify } from 'yaml';
import { listen } from '../listen.js';

const CLIENT = { id: 'servicefido', secret: 'a secret of the client' };
const KID = 'genuine';

/** What an answer of the provider is like, in place of a genuine one. */
export interface Lie {
  /** Of the ID token; `null` omits one. */
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly alg?: 'RS256' | 'HS256' | 'none';
  /** Whose key signs: the provider's, or one that it has not published. */
  readonly key?: 'own' | 'foreign';
  /** Of the discovery document. */
  readonly metadata?: object;
  /** Of the userinfo endpoint. */
  readonly userinfo?: object;
}

/** An OpenID provider whose answers are forged: it answers each code with the ID token that a test wants. */
export class LyingProvider {
  lie: Lie = {};
  private readonly server: Server = createServer((request, response) => {
    void this.answer(`${request.url}`).then((body) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(body));
    });
  });
  private port = 0;
  private nonce = '';

  private constructor(
    private readonly own: GenerateKeyPairResult,
    private readonly foreign: GenerateKeyPairResult,
  ) {}

  static async start(): Promise<LyingProvider> {
    const provider = new LyingProvider(
      await generateKeyPair('RS256'),
      await generateKeyPair('RS256'),
    );
    provider.port = await listen(provider.server);
    return provider;
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  get issuer(): string {
    return `http://localhost:${this.port}`;
  }

  /** Writes the file of `--console-oidc`. */
  file(console: string): string {
    const file = join(mkdtempSync(join(tmpdir(), 'servicefido-test-')), 'console-oidc.yaml');
    const groups = [{ group: 'fido-admins', role: 'admin' }];
    const settings = { name: 'Login', issuer: this.issuer, address: console, groups };
    writeFileSync(file, stringify({ ...settings, client: CLIENT }));
    return file;
  }

  /** The query with which the browser comes back that was sent to this address. */
  answerTo(address: string): string {
    const asked = new URL(address).searchParams;
    this.nonce = asked.get('nonce') ?? '';
    const state = asked.get('state') ?? '';
    return new URLSearchParams({ code: 'a code', state, iss: this.issuer }).toString();
  }

  private async answer(path: string): Promise<object> {
    const { issuer } = this;
    if (path.includes('/.well-known/'))
      return {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        userinfo_endpoint: `${issuer}/userinfo`,
        jwks_uri: `${issuer}/jwks`,
        authorization_response_iss_parameter_supported: true,
        ...this.lie.metadata,
      };
    if (path === '/jwks')
      return { keys: [{ ...(await exportJWK(this.own.publicKey)), kid: KID, alg: 'RS256' }] };
    if (path === '/userinfo') return { sub: 'u-anna', ...this.lie.userinfo };
    return { access_token: 'a token', token_type: 'Bearer', id_token: await this.idToken() };
  }

  private async idToken(): Promise<string> {
    const { claims = {}, alg = 'RS256', key = 'own' } = this.lie;
    const now = Math.floor(Date.now() / 1000);
    const content = {
      iss: this.issuer,
      aud: CLIENT.id,
      sub: 'u-anna',
      iat: now,
      exp: now + 300,
      auth_time: now,
      nonce: this.nonce,
      preferred_username: 'anna',
      groups: ['fido-admins'],
      ...claims,
    };
    const present = Object.fromEntries(
      Object.entries(content).filter(([, value]) => value !== null),
    );
    const header = { alg, kid: KID };
    if (alg === 'none')
      return `${[header, present].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.`;
    const secret = new TextEncoder().encode(CLIENT.secret);
    return new SignJWT(present)
      .setProtectedHeader(header)
      .sign(alg === 'HS256' ? secret : this[key].privateKey);
  }
}
