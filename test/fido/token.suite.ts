import { SignJWT, createLocalJWKSet, decodeJwt, jwtVerify, type JWTPayload } from 'jose';
import { Database } from '../../src/platform/database/database.js';
import { SigningKeys, type SigningKey } from '../../src/fido/tokens/signing-keys.js';
import {
  SoftAuthenticator,
  type SoftAuthenticatorOptions,
} from '../../packages/testing/src/soft-authenticator.js';
import { commandsOn } from '../support/command.js';
import { DATABASES, type TestDatabase } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { keySetOf } from '../support/key-set.js';
import { countOf } from '../support/rows.js';
import { createServerDatabase } from '../support/server-database.js';
import { TestServer } from '../support/test-server.js';

const ISSUER = 'https://login.example';

describe('a token', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ options: { issuer: ISSUER } });
    await server.addRelyingParty('acme', { domain: 'acme.example' });
  });
  afterAll(() => server.stop());

  const keySet = () => keySetOf(new FidoClient(server.url));
  const tokenOf = async (username: string, device: SoftAuthenticatorOptions = {}) => {
    const authenticator = new SoftAuthenticator(device);
    const client = new FidoClient(server.url, { authenticator });
    await client.register(username, { userVerification: 'discouraged' });
    return String((await client.signIn(username)).body['token']);
  };
  const verify = async (token: string, audience = 'localhost') =>
    jwtVerify(token, createLocalJWKSet(await keySet()), {
      issuer: ISSUER,
      audience,
      algorithms: ['ES256'],
      currentDate: new Date(server.clock.now()),
    });

  it('another library verifies a token by the published keys, and its claims are as documented', async () => {
    const { payload, protectedHeader } = await verify(await tokenOf('anna'));
    const [key] = (await keySet()).keys;
    expect(protectedHeader).toEqual({ alg: 'ES256', typ: 'JWT', kid: key?.kid });
    const { iat = 0 } = payload;
    expect(payload).toEqual({
      iss: ISSUER,
      sub: 'anna',
      aud: 'localhost',
      iat: expect.any(Number),
      nbf: iat,
      exp: iat + 300,
      auth_time: iat,
      jti: expect.stringMatching(/^[\w-]{22}$/),
      amr: ['hwk', 'user', 'mfa'],
      acr: 'phr',
      tenant: 'default',
      cred: expect.stringMatching(/^[\w-]{43}$/),
      aaguid: '5e1f1d0a-7e57-4000-8000-0000000000fd',
    });
  });

  it.each([
    ['a device-bound key with user verification', {}, ['hwk', 'user', 'mfa']],
    ['a device-bound key without user verification', { userVerified: false }, ['hwk', 'user']],
    ['a synced key with user verification', { backupEligible: true }, ['swk', 'user', 'mfa']],
  ])('a token has the amr of %s', async (title, device, amr) => {
    expect(decodeJwt(await tokenOf(title, device))).toMatchObject({ amr });
  });

  it('the subject of a token is the full user name', async () => {
    const name = 'Zo\u00eb "<b>" \u{1F511}';
    expect((await verify(await tokenOf(name))).payload.sub).toBe(name);
  });

  it('a token is valid for only one relying party', async () => {
    await expect(verify(await tokenOf('ben'), 'acme.example')).rejects.toThrow(/"aud"/);
  });

  it('a token expires after five minutes', async () => {
    const token = await tokenOf('carl');
    server.clock.advance(301_000);
    await expect(verify(token)).rejects.toThrow(/"exp"/);
  });

  it('the tokens of two sign-ins have different IDs', async () => {
    const tokens = [await tokenOf('dana'), await tokenOf('dana')];
    expect(new Set(tokens.map((token) => decodeJwt(token).jti)).size).toBe(2);
  });

  it('the published signing keys contain only public parts', async () => {
    for (const key of (await keySet()).keys) {
      expect(Object.keys(key).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
      expect(key).toMatchObject({ kty: 'EC', crv: 'P-256', use: 'sig', alg: 'ES256' });
    }
  });

  it('a token remains valid after a rotation, and new tokens are signed with the new key', async () => {
    const before = await tokenOf('emma');
    const { kid: old } = server.get(SigningKeys).current;
    await server.get(SigningKeys).rotate(server.call);
    server.clock.advance(60_000);
    const after = await tokenOf('finn');
    const { protectedHeader } = await verify(after);
    expect(protectedHeader.kid).not.toBe(old);
    expect((await verify(before)).protectedHeader.kid).toBe(old);
  });
});

describe.each(DATABASES)(
  'signing keys that are rotated or revoked, at two instances on %s',
  (on) => {
    let database: TestDatabase;
    let here: TestServer;
    let there: TestServer;
    beforeEach(async () => {
      database = await createServerDatabase(on);
      const options = { jwtTtl: 5, registration: 'first-only' as const, issuer: ISSUER };
      here = await TestServer.start({ database, options });
      there = await TestServer.start({ database, options });
      const now = Date.now();
      for (const { clock } of [here, there]) clock.standAt(now);
    });
    afterEach(async () => {
      await here.stop();
      await there.stop();
      await database.remove();
    });

    const advance = (seconds: number) =>
      [here, there].forEach(({ clock }) => clock.advance(seconds * 1000));

    /** A token that a thief of the signing key could make. */
    const forgedBy = ({ kid, privateKey }: SigningKey, claims: JWTPayload) => {
      const now = Math.floor(here.clock.now() / 1000);
      const times = { iat: now, nbf: now, exp: now + 86_400 };
      const header = { alg: 'ES256', typ: 'JWT', kid };
      return new SignJWT({ ...claims, ...times }).setProtectedHeader(header).sign(privateKey);
    };
    /** Statuses of begin calls for anna with this token, at both instances. */
    const permits = (token: string) =>
      Promise.all(
        [here, there].map(async ({ url }) => {
          const body = { username: 'anna', displayName: 'anna' };
          const client = new FidoClient(url);
          const headers = { authorization: `Bearer ${token}` };
          return (await client.post(client.paths.beginRegistration, body, headers)).status;
        }),
      );
    const signIn = async () => {
      const anna = new FidoClient(here.url);
      await anna.register('anna');
      return decodeJwt(String((await anna.signIn('anna')).body['token']));
    };
    const publishedAt = async ({ url }: TestServer) =>
      (await new FidoClient(url).get('/.well-known/jwks.json')).text;

    it('a rotated signing key verifies tokens until the last one can have expired', async () => {
      const claims = await signIn();
      const stolen = here.get(SigningKeys).current;
      await here.get(SigningKeys).rotate(here.call);
      expect(await permits(await forgedBy(stolen, claims))).toEqual([200, 200]);
      // Two hours longer than its tokens, since clocks may differ.
      advance(2 * 3600 + 64);
      expect(await permits(await forgedBy(stolen, claims))).toEqual([200, 200]);
      advance(1);
      expect(await permits(await forgedBy(stolen, claims))).toEqual([403, 403]);
      expect(await publishedAt(here)).not.toContain(stolen.kid);
      expect(await publishedAt(there)).not.toContain(stolen.kid);
      expect(await permits(await forgedBy(here.get(SigningKeys).current, claims))).toEqual([
        200, 200,
      ]);
    });

    it('refuses a token older than its lifetime and a minute, whatever expiry it claims', async () => {
      const token = await forgedBy(here.get(SigningKeys).current, await signIn());
      advance(65);
      expect(await permits(token)).toEqual([200, 200]);
      advance(1);
      expect(await permits(token)).toEqual([401, 401]);
    });

    it('a signing key, even the only one, is revoked at all instances at once, and another one signs', async () => {
      const claims = await signIn();
      const stolen = there.get(SigningKeys).current;
      await here.get(SigningKeys).revoke(here.call, stolen.kid);
      expect(await permits(await forgedBy(stolen, claims))).toEqual([403, 403]);
      expect(await publishedAt(here)).not.toContain(stolen.kid);
      const { kid } = here.get(SigningKeys).current;
      expect(kid).not.toBe(stolen.kid);
      expect(await permits(await forgedBy(here.get(SigningKeys).current, claims))).toEqual([
        200, 200,
      ]);
      const again = here.get(SigningKeys).revoke(here.call, stolen.kid);
      await expect(again).rejects.toMatchObject({ code: 'E0044R' });
      expect(here.get(SigningKeys).current.kid).toBe(kid);
    });
  },
);

describe('tokens and the options of the server', () => {
  it('the command keys rotate keeps a signing key with valid tokens, without knowing --jwt-ttl', async () => {
    const server = await TestServer.start({ options: { jwtTtl: 3600, issuer: ISSUER } });
    try {
      const command = commandsOn(server.database);
      const { kid } = server.get(SigningKeys).current;
      for (let rotation = 1; rotation <= 2; rotation += 1) {
        expect((await command('keys', 'rotate')).code).toBe(0);
        // As if ten minutes had passed: twice the default life of a token.
        const older = {
          sql: 'UPDATE signing_keys SET created_at = created_at - 600000',
          params: [],
        };
        await server.get(Database).commit([older]);
      }
      const { text } = await new FidoClient(server.url).get('/.well-known/jwks.json');
      expect(text).toContain(kid);
      expect(await countOf(server, 'signing_keys')).toBe(3);
    } finally {
      await server.stop();
    }
  });

  it('the discovery document names the issuer and the keys of the tokens, and nothing else', async () => {
    for (const issuer of [ISSUER, `${ISSUER}/auth/`]) {
      const server = await TestServer.start({ options: { issuer } });
      try {
        const path = '/.well-known/openid-configuration';
        const { status, headers, body } = await new FidoClient(server.url).get(path);
        expect(status).toBe(200);
        expect(headers.get('access-control-allow-origin')).toBe('*');
        expect(body).toEqual({
          issuer,
          jwks_uri: `${issuer.replace(/\/$/, '')}/.well-known/jwks.json`,
          id_token_signing_alg_values_supported: ['ES256'],
          subject_types_supported: ['public'],
          response_types_supported: [],
        });
        const client = new FidoClient(server.url);
        await client.register('anna');
        const { body: signedIn } = await client.signIn('anna');
        const [, claims = ''] = String(signedIn['token']).split('.');
        expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
          iss: body['issuer'],
        });
      } finally {
        await server.stop();
      }
    }
  });

  it('there is no discovery document without --issuer (E0046R)', async () => {
    const server = await TestServer.start();
    try {
      const answer = await new FidoClient(server.url).get('/.well-known/openid-configuration');
      expect(answer).toMatchObject({
        status: 404,
        body: { errorCode: 'E0046R', reason: 'discovery.off' },
      });
    } finally {
      await server.stop();
    }
  });

  it('a sign-in issues no token with --jwt off', async () => {
    const server = await TestServer.start({ options: { jwt: false } });
    const client = new FidoClient(server.url);
    await client.register('anna');
    const { status, body } = await client.signIn('anna');
    expect(status).toBe(200);
    expect(body).not.toHaveProperty('token');
    await server.stop();
  });

  it('the log contains no cookie, token, challenge, signature or user name', async () => {
    const server = await TestServer.start();
    const client = new FidoClient(server.url);
    const username = 'secret-name@example.com';
    await client.register(username, { keypair: { name: 'secret-device' } });
    const begun = await client.beginAuthentication(username);
    const body = client.assert(begun);
    const { token } = (await client.completeAuthentication(body)).body;
    await client.completeAuthentication(body);
    const wrong = client.assert(await client.beginAuthentication(username), {
      clientData: { challenge: 'wrongChallenge', origin: 'https://evil.example\r\nforged' },
    });
    await client.completeAuthentication(wrong);

    expect(server.logged.length).toBeGreaterThan(6);
    const log = JSON.stringify(server.logged);
    const [, session = ''] = (client.cookie ?? '').split('=');
    const secrets = [
      session,
      session.slice(4, 30),
      String(token),
      String(begun.body['challenge']),
      body.response.signature,
      body.response.clientDataJSON,
      body.id,
      username,
      'secret-device',
      'wrongChallenge',
      'forged',
    ];
    for (const secret of secrets) expect(log).not.toContain(secret);
    await server.stop();
  });
});
