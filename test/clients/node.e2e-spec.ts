import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Controller, Get, Module, UseGuards, type INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import express from 'express';
import { SignJWT, decodeJwt, exportJWK, generateKeyPair } from 'jose';
import {
  passkeyRoutes,
  requirePasskey,
  type ParsedRequest,
} from '../../packages/node/src/express.js';
import {
  ServiceFido,
  ServiceFidoError,
  TokenVerifier,
  type PasskeyClaims,
} from '../../packages/node/src/index.js';
import { Passkey, PasskeyGuard } from '../../packages/node/src/nest.js';
import { SigningKeys } from '../../src/fido/tokens/signing-keys.js';
import { EventNumbering } from '../../src/events/numbering/event-numbering.js';
import { issueKey } from '../support/application-keys.js';
import { SoftAuthenticator } from '../../packages/testing/src/soft-authenticator.js';
import { listen } from '../support/listen.js';
import { TestServer } from '../support/test-server.js';

const SCOPES = ['ceremonies', 'tickets', 'users:read', 'users:write', 'events:read'];

describe('@servicefido/node', () => {
  let server: TestServer;
  let key: string;
  let fido: ServiceFido;
  beforeAll(async () => {
    server = await TestServer.start();
    const now = new Date();
    server.clock.standAt(now.getTime());
    key = (await issueKey(server.url, { tenant: 'default', scopes: SCOPES })).secret;
    fido = new ServiceFido({ baseUrl: server.url, key, relyingParty: 'localhost' });
  });
  afterAll(() => server.stop());

  /** Registers a new key of this user. */
  async function register(username: string, device = new SoftAuthenticator(), userId = username) {
    const begun = await fido.beginRegistration({ username, displayName: username, userId });
    const { ceremony } = begun;
    const result = device.create(begun, { origin: server.url });
    return { device, answer: await fido.completeRegistration({ ...result, ceremony }) };
  }

  async function signIn(username: string, device: SoftAuthenticator, more = {}): Promise<string> {
    const asked = { username, ...more };
    const begun = await fido.beginAuthentication(asked, { clientAddress: '198.51.100.7' });
    const { ceremony } = begun;
    const result = device.get(begun, { origin: server.url });
    const { token = '' } = await fido.completeAuthentication({ ...result, ceremony });
    return token;
  }

  describe('ServiceFido', () => {
    it('accepts a base URL that ends in /fidoapi', async () => {
      const same = new ServiceFido({ baseUrl: `${server.url}/fidoapi/`, key });
      const begun = await same.beginRegistration({ username: 'eve', displayName: 'Eve' });
      expect(begun).toMatchObject({ status: 'ok' });
    });

    it('registers a key and signs in with it, without a cookie', async () => {
      const { device, answer } = await register('anna', undefined, 'customer-1');
      expect(answer).toMatchObject({ status: 'ok', username: 'anna' });
      const claims = await verifier().verify(await signIn('anna', device));
      expect(claims).toMatchObject({ sub: 'anna', user_id: 'customer-1', acr: 'phr' });
    });

    it('issues a ticket for its relying party', async () => {
      const ticket = await fido.issueTicket({ username: 'bert', ttl: 60 });
      expect(ticket).toMatchObject({ ticket: expect.any(String), relyingParty: 'localhost' });
    });

    it('finds, disables, enables and deletes users and keys', async () => {
      const { answer } = await register('carla');
      const { credentialId } = answer;
      const keys = async () => (await fido.listUsers({ filter: 'carla' })).users[0]?.credentials;
      expect(await fido.disableUser('carla')).toMatchObject({ users: 1, credentials: 1 });
      expect(await keys()).toMatchObject([{ credentialId, enabled: false }]);
      await fido.enableUser('carla');
      await fido.disableKey(credentialId);
      expect(await keys()).toMatchObject([{ enabled: false }]);
      await fido.enableKey(credentialId);
      expect(await keys()).toMatchObject([{ enabled: true }]);
      await fido.deleteKey(credentialId);
      expect(await keys()).toEqual([]);
      await fido.deleteUser('carla');
      expect(await keys()).toBeUndefined();
    });

    it('reads users page by page', async () => {
      for (const name of ['page-1', 'page-2', 'page-3']) await register(name);
      const names: string[] = [];
      for await (const { username } of fido.users({ filter: 'page-*', limit: 2 })) {
        names.push(username);
      }
      expect(names).toEqual(['page-1', 'page-2', 'page-3']);
    });

    it('refuses the name "*" instead of deleting every user', async () => {
      await expect(fido.deleteUser('*')).rejects.toThrow(RangeError);
    });

    it('reads the events of a user', async () => {
      await register('dora');
      const { events } = await fido.listEvents({ user: 'dora', limit: 10 });
      expect(events).toContainEqual(expect.objectContaining({ kind: 'registration' }));
    });

    it('continues reading events from a position', async () => {
      server.clock.advance(10);
      await server.get(EventNumbering).catchUp();
      const first = await fido.readEvents('0', { limit: 1 });
      const second = await fido.readEvents(first.next, { limit: 1 });
      expect([first.events, second.events].flat()).toHaveLength(2);
      expect(second.events[0]?.id).not.toBe(first.events[0]?.id);
    });

    it('throws the server’s error in a form for the page', async () => {
      const refused = fido.beginAuthentication({ username: '' });
      await expect(refused).rejects.toThrow(ServiceFidoError);
      await expect(refused).rejects.toMatchObject({
        status: 400,
        errorCode: 'E0001R',
        requestId: expect.any(String),
        answer: { status: 'failed', errorCode: 'E0001R', errorMessage: expect.any(String) },
      });
      const stranger = new ServiceFido({ baseUrl: server.url, key: 'sfk_none' });
      await expect(stranger.listUsers()).rejects.toMatchObject({ errorCode: 'E0042R' });
    });

    it.each(['', undefined, null, 'undefined', ' sfk_x', 'Bearer sfk_x'])(
      'is not constructed with the key %j, whose calls would be anonymous',
      (wrong) => {
        const create = () => new ServiceFido({ baseUrl: server.url, key: wrong as string });
        expect(create).toThrow(TypeError);
      },
    );

    it('reports a missing answer, or one that is not from a ServiceFido server', async () => {
      const nobody = new ServiceFido({ baseUrl: 'http://127.0.0.1:1', key });
      await expect(nobody.listUsers()).rejects.toMatchObject({ status: 0 });
      const other = createServer((_, response) => response.writeHead(502).end('<html>'));
      const url = await urlOf(other);
      const proxy = new ServiceFido({ baseUrl: `${url}/`, key });
      await expect(proxy.listUsers()).rejects.toMatchObject({ status: 502 });
      other.close();
    });

    it('names a refused connection, a timeout, an aborted call and a server without TLS', async () => {
      const silent = createServer((request, response) => {
        if (request.url !== '/users?limit=100') response.writeHead(200).write('{');
      });
      const url = await urlOf(silent);
      const messageFrom = (settings: object, signal?: AbortSignal) =>
        new ServiceFido({ baseUrl: url, key, ...settings })
          .listUsers({}, { signal })
          .catch(({ status, message }: ServiceFidoError) => `${status} ${message}`);
      const late = '0 The ServiceFido server did not answer before the timeout.';
      expect(await messageFrom({ timeout: 100 })).toBe(late);
      expect(await messageFrom({ timeout: 100, baseUrl: `${url}/slow` })).toBe(late);
      expect(await messageFrom({}, AbortSignal.abort())).toBe('0 The call was aborted.');
      expect(await messageFrom({ baseUrl: url.replace('http:', 'https:') })).toBe(
        '0 The ServiceFido server speaks no TLS at this address. Is "baseUrl" an http address?',
      );
      silent.closeAllConnections();
      silent.close();
      const closed = createServer();
      const baseUrl = await urlOf(closed);
      closed.close();
      expect(await messageFrom({ baseUrl })).toBe(
        '0 The ServiceFido server cannot be reached (ECONNREFUSED).',
      );
    });

    it.each(['{}', '"ok"', 'null', '<html>', '{"status":"failed"}'])(
      'rejects the success %s of another server',
      async (text) => {
        const other = createServer((_, response) => response.end(text));
        const portal = new ServiceFido({ baseUrl: await urlOf(other), key });
        await expect(portal.listUsers()).rejects.toMatchObject({
          status: 0,
          answer: { status: 'failed', errorMessage: 'The server answered 200.' },
        });
        other.close();
      },
    );

    it('throws an error with a message for the refusal of a proxy', async () => {
      const other = createServer((_, response) => response.writeHead(503).end('"busy"'));
      const proxy = new ServiceFido({ baseUrl: await urlOf(other), key });
      await expect(proxy.listUsers()).rejects.toMatchObject({
        status: 503,
        message: 'The server answered 503.',
      });
      other.close();
    });
  });

  const verifier = (audience = 'localhost') =>
    new TokenVerifier({
      baseUrl: server.url,
      issuer: 'http://localhost:8080',
      audience,
      now: () => new Date(server.clock.now()),
    });

  describe('TokenVerifier', () => {
    let token: string;
    // Some tests move the clock.
    beforeEach(async () => {
      token = await signIn('erna', (await register('erna')).device);
    });
    const invalid = { name: 'TokenError', reason: 'invalid_token' };
    const insufficient = { name: 'TokenError', reason: 'insufficient_user_authentication' };

    it.each([
      ['', 'nothing'],
      ['a.b.c', 'no JWT'],
    ])('refuses %j, which is %s', async (text) => {
      await expect(verifier().verify(text)).rejects.toMatchObject(invalid);
    });

    it('refuses a token of another audience, issuer or signature', async () => {
      await expect(verifier('other.example').verify(token)).rejects.toMatchObject({
        ...invalid,
        message:
          'unexpected "aud" claim value: "localhost", while this verifier expects "other.example"',
      });
      const { url: baseUrl } = server;
      const strange = new TokenVerifier({ baseUrl, audience: 'localhost' });
      await expect(strange.verify(token)).rejects.toMatchObject({
        ...invalid,
        message: `unexpected "iss" claim value: "http://localhost:8080", while this verifier expects "${baseUrl}"`,
      });
      const forged = `${token.slice(0, -8)}AAAAAAAA`;
      await expect(verifier().verify(forged)).rejects.toMatchObject(invalid);
    });

    it.each([undefined, null, '', ['localhost', ''], 7])(
      'is not constructed with the audience %j, which would accept tokens of all tenants',
      (audience) => {
        const settings = { baseUrl: server.url, audience: audience as string };
        expect(() => new TokenVerifier(settings)).toThrow(TypeError);
      },
    );

    it('accepts tokens of the named tenant only, which must be set', async () => {
      const of = (tenant: string | undefined) =>
        new TokenVerifier({
          baseUrl: server.url,
          issuer: 'http://localhost:8080',
          audience: 'localhost',
          now: () => new Date(server.clock.now()),
          ...({ tenant } as { tenant: string }),
        });
      expect((await of('default').verify(token)).tenant).toBe('default');
      await expect(of('acme').verify(token)).rejects.toMatchObject(invalid);
      for (const tenant of ['', undefined]) expect(() => of(tenant)).toThrow(TypeError);
    });

    it('checks the age, acr and amr of the sign-in', async () => {
      const claims = await verifier().verify(token, { maxAge: 60, acr: 'phr', amr: ['mfa'] });
      expect(claims.sub).toBe('erna');
      for (const requirements of [{ acr: 'phrh' as const }, { amr: ['face'] }]) {
        await expect(verifier().verify(token, requirements)).rejects.toMatchObject(insufficient);
      }
      await expect(verifier().verify(token, { nonce: 'n' })).rejects.toMatchObject(invalid);
    });

    it('refuses a token of another sign-in as invalid although it does not meet a requirement either', async () => {
      const other = { nonce: 'n', acr: 'phrh' as const };
      await expect(verifier().verify(token, other)).rejects.toMatchObject(invalid);
    });

    it('refuses a token whose time of sign-in is no number', async () => {
      const { publicKey, privateKey } = await generateKeyPair('ES256');
      const keys = JSON.stringify({ keys: [await exportJWK(publicKey)] });
      const own = createServer((_, response) => response.end(keys));
      const baseUrl = await urlOf(own);
      const claims = { ...decodeJwt(token), auth_time: 'today' };
      const signed = new SignJWT(claims).setProtectedHeader({ alg: 'ES256' });
      const now = () => new Date(server.clock.now());
      const issuer = 'http://localhost:8080';
      const strict = new TokenVerifier({ baseUrl, issuer, audience: 'localhost', now });
      await expect(
        strict.verify(await signed.sign(privateKey), { maxAge: 60 }),
      ).rejects.toMatchObject(invalid);
      own.close();
    });

    it('accepts the token of a transaction only for that transaction, and never as a sign-in', async () => {
      const { device } = await register('paula');
      const paid = await signIn('paula', device, { transaction: { text: 'Pay 25 EUR to ACME' } });
      const txn = createHash('sha256').update('Pay 25 EUR to ACME').digest('base64url');
      expect(await verifier().verify(paid, { txn })).toMatchObject({ sub: 'paula', txn });
      await expect(verifier().verify(paid)).rejects.toMatchObject(invalid);
      await expect(verifier().verify(paid, { txn: 'other' })).rejects.toMatchObject(invalid);
      await expect(verifier().verify(token, { txn })).rejects.toMatchObject(invalid);
    });

    it('reports that the server’s signing keys are unavailable', async () => {
      const cut = new TokenVerifier({ baseUrl: 'http://127.0.0.1:1', audience: 'localhost' });
      await expect(cut.verify(token)).rejects.toMatchObject({
        name: 'KeysUnavailableError',
        status: 503,
        cause: expect.anything() as unknown,
      });
    });

    it('accepts the next signing key as soon as it is used, and enforces expiry', async () => {
      const kept = verifier();
      await kept.verify(token);
      await server.get(SigningKeys).rotate(server.call);
      server.clock.advance(61_000);
      await expect(kept.verify(token, { maxAge: 30 })).rejects.toMatchObject(insufficient);
      const next = await signIn('erna', (await register('erna')).device);
      expect((await verifier().verify(next)).sub).toBe('erna');
      server.clock.advance(306_000);
      await expect(verifier().verify(next)).rejects.toMatchObject(invalid);
    });

    it('allows five seconds of clock skew and reports both times beyond', async () => {
      const now = Math.floor(server.clock.now() / 1000) * 1000;
      const fresh = await signIn('erna', (await register('erna')).device);
      const at = (ms: number) =>
        new TokenVerifier({
          baseUrl: server.url,
          issuer: 'http://localhost:8080',
          audience: 'localhost',
          now: () => new Date(now + ms),
        });
      for (const ms of [-4000, 304_000]) {
        expect((await at(ms).verify(fresh, { maxAge: 300 })).sub).toBe('erna');
      }
      const time = '\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z';
      const both = (claim: string) =>
        new RegExp(`${claim}.*: ${time}, while this clock has ${time}`);
      await expect(at(-10_000).verify(fresh)).rejects.toThrow(both('"nbf"'));
      await expect(at(310_000).verify(fresh)).rejects.toThrow(both('"exp"'));
      await expect(at(200_000).verify(fresh, { maxAge: 60 })).rejects.toThrow(both('too long ago'));
    });

    it('refuses a token without a key ID while the server publishes two keys', async () => {
      await server.get(SigningKeys).rotate(server.call);
      const [, claims, signature] = token.split('.');
      const header = Buffer.from('{"alg":"ES256"}').toString('base64url');
      const nameless = verifier().verify([header, claims, signature].join('.'));
      await expect(nameless).rejects.toMatchObject(invalid);
    });
  });

  describe('passkeyRoutes', () => {
    const began: unknown[] = [];
    let device: SoftAuthenticator;
    let user: string | undefined;
    let app: Server;
    let url: string;
    beforeAll(async () => {
      const routes = passkeyRoutes(fido, {
        registering: () =>
          user === undefined
            ? undefined
            : { username: user, displayName: user, userId: `${user}-1` },
        signedIn: (_, { username }) => void began.push(username),
      });
      app = createServer(express().use('/fidoapi', express.json(), routes));
      url = await urlOf(app);
      ({ device } = await register('gerda', undefined, 'gerda-1'));
    });
    beforeEach(() => (user = 'gerda'));
    afterAll(() => app.close());

    const post = async (path: string, body: object) => {
      const answer = await fetch(`${url}/fidoapi/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return { status: answer.status, body: (await answer.json()) as never };
    };

    it('names the missing parser of the body', async () => {
      const routes = passkeyRoutes(fido, { registering: () => undefined });
      const bare = createServer((request, response) => {
        request.url = request.url?.replace('/fidoapi', '') ?? '';
        void routes(request as ParsedRequest, response, (error) => response.end(String(error)));
      });
      const address = `${await urlOf(bare)}/fidoapi/authenticate/begin`;
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(address, {
        method: 'POST',
        headers,
        body: '{"username":"gerda"}',
      });
      expect(await answer.text()).toBe(
        'TypeError: The JSON body was not parsed. Put a parser before passkeyRoutes: ' +
          "app.use('/fidoapi', express.json(), passkeyRoutes(fido, hooks)).",
      );
      bare.close();
    });

    it('registers the user whom the application names, whatever the page says', async () => {
      user = 'hanna';
      const names = { username: 'other', displayName: 'Other', userId: 'x' };
      const lies = { ...names, clientAddress: 'x', secondFactor: true };
      const begun = await post('register/begin', { ...lies, residentKey: 'required' });
      expect(begun).toMatchObject({
        status: 200,
        body: { user: { name: 'hanna' }, authenticatorSelection: { residentKey: 'required' } },
      });
      const { ceremony } = begun.body;
      const own = new SoftAuthenticator();
      const result = own.create(begun.body, { origin: server.url });
      expect(await post('register/complete', { ...result, ceremony })).toMatchObject({
        body: { status: 'ok', username: 'hanna' },
      });
      const token = await signIn('hanna', own);
      expect((await verifier().verify(token)).user_id).toBe('hanna-1');
    });

    it('reports the signed-in user to the application', async () => {
      const lies = { clientAddress: 'x', secondFactor: true };
      const begun = await post('authenticate/begin', { username: 'gerda', ...lies });
      expect(begun.body).not.toHaveProperty('warnings');
      const { ceremony } = begun.body;
      const result = device.get(begun.body, { origin: server.url });
      const answer = await post('authenticate/complete', { ...result, ceremony });
      const { token } = answer.body;
      expect((await verifier().verify(token)).user_id).toBe('gerda-1');
      expect(began).toEqual(['gerda']);
      expect(await post('authenticate/complete', { ...result, ceremony })).toMatchObject({
        status: 408,
        body: { errorCode: 'E0024R' },
      });
      expect(began).toHaveLength(1);
    });

    it.each([
      ['register', {}],
      ['authenticate', { username: 'gerda' }],
    ])('reports that the prompt of %s gave no key', async (call, body) => {
      const { ceremony, challenge } = (await post(`${call}/begin`, body)).body;
      const told = { challenge, ceremony, error: 'NotAllowedError' };
      expect(await post(`${call}/given-up`, told)).toEqual({
        status: 200,
        body: { status: 'ok', errorMessage: '' },
      });
      expect(await post(`${call}/given-up`, told)).toMatchObject({
        status: 408,
        body: { errorCode: 'E0024R' },
      });
    });

    it('registers no user if the application names none', async () => {
      user = undefined;
      expect(await post('register/begin', { username: 'gerda' })).toMatchObject({ status: 401 });
    });

    it('passes on the server’s refusals, and ignores other paths', async () => {
      const nobody = await post('authenticate/begin', { username: 'nobody' });
      expect(nobody).toMatchObject({ status: 403, body: { status: 'failed' } });
      expect(await post('authenticate/begin', {})).toMatchObject({ status: 400 });
      expect((await fetch(`${url}/fidoapi/other`)).status).toBe(404);
    });
  });

  describe.each(['express', 'nest'] as const)('the guard of %s', (framework) => {
    let close: () => unknown;
    let url: string;
    let token: string;
    beforeAll(async () => {
      token = await signIn('fritz', (await register(`fritz`)).device);
      ({ url, close } = await (framework === 'express' ? expressApp() : nestApp()));
    });
    afterAll(() => close());

    const get = (path: string, authorization?: string) =>
      fetch(`${url}${path}`, { headers: authorization ? { authorization } : {} });

    it('accepts a valid token, and passes its claims on', async () => {
      const answer = await get('/me', `Bearer ${token}`);
      expect(await answer.json()).toEqual({ user: 'fritz' });
    });

    it.each([
      ['no token', undefined, 'Bearer'],
      ['a text that is no token', 'Bearer a.b.c', 'Bearer error="invalid_token"'],
      ['another scheme', 'Basic YTpi', 'Bearer'],
    ])('answers 401 to %s with the challenge of RFC 6750', async (_, header, challenge) => {
      const answer = await get('/me', header);
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toBe(challenge);
    });

    it('requests a stronger sign-in as RFC 9470 describes', async () => {
      const answer = await get('/vault', `Bearer ${token}`);
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toBe(
        'Bearer error="insufficient_user_authentication", acr_values="phrh", max_age="60"',
      );
    });
  });

  it.each(['express', 'nest'] as const)(
    'the guard of %s answers 503 while the keys are unavailable',
    async (framework) => {
      const cut = new TokenVerifier({ baseUrl: 'http://127.0.0.1:1', audience: 'localhost' });
      const token = await signIn('gustav', (await register('gustav')).device);
      const { url, close } = await (framework === 'express' ? expressApp(cut) : nestApp(cut));
      try {
        const headers = { authorization: `Bearer ${token}` };
        expect((await fetch(`${url}/me`, { headers })).status).toBe(503);
      } finally {
        await close();
      }
    },
  );

  const BETTER = { acr: 'phrh', maxAge: 60 } as const;

  async function expressApp(mine = verifier()) {
    const app = express();
    // Express writes errors to the console, unless NODE_ENV is `test`.
    app.set('env', 'test');
    app.get('/me', requirePasskey(mine), (request, response) => {
      response.json({ user: request.passkey?.sub });
    });
    app.get('/vault', requirePasskey(verifier(), BETTER), (_, response) => {
      response.json({});
    });
    const listening = createServer(app);
    return { url: await urlOf(listening), close: () => listening.close() };
  }

  async function nestApp(mine = verifier()) {
    @Controller()
    class Pages {
      @Get('me')
      @UseGuards(new PasskeyGuard(mine))
      me(@Passkey() { sub }: PasskeyClaims) {
        return { user: sub };
      }

      @Get('vault')
      @UseGuards(new PasskeyGuard(verifier(), BETTER))
      vault() {
        return {};
      }
    }
    @Module({ controllers: [Pages] })
    class App {}
    const app: INestApplication = await NestFactory.create(App, { logger: false });
    await app.listen(0, '127.0.0.1');
    const { port } = app.getHttpServer().address() as AddressInfo;
    return { url: `http://127.0.0.1:${port}`, close: () => app.close() };
  }
});

const urlOf = async (server: Server) => `http://127.0.0.1:${await listen(server)}`;
