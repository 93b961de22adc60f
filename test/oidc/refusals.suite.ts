import * as client from 'openid-client';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { OidcBrowser } from '../support/oidc-browser.js';
import {
  CALLBACK,
  addClient,
  authorizationRequest,
  discover,
  startIssuer,
  type IssuedClient,
} from '../support/oidc-issuer.js';
import type { TestServer } from '../support/test-server.js';

const SECRET = 'S'.repeat(43);

describe.each(DATABASES)('refusals by OpenID Connect, on %s', (on) => {
  let server: TestServer;
  let shop: IssuedClient;
  let config: client.Configuration;
  beforeAll(async () => {
    server = await startIssuer({ on });
    await new FidoClient(server.url).register('alice');
    shop = await addClient(server);
    config = await discover(shop);
  });
  afterAll(() => server.stop());

  const lineOf = ({ headers }: { headers: Headers }) => {
    const requestId = headers.get('x-request-id');
    return server.loggedOf(requestId) ?? {};
  };
  const open = async (more: Record<string, string>) => {
    const { address } = await authorizationRequest(config, more);
    const { page } = await new OidcBrowser(server.url).open(String(address));
    return lineOf(page);
  };
  const redeem = async (more: Record<string, string>) => {
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      code: 'the-code',
      code_verifier: 'v'.repeat(43),
      redirect_uri: CALLBACK,
      client_id: shop.clientId,
      client_secret: String(shop.secret),
      ...more,
    });
    const answer = await fetch(`${shop.issuer}/token`, { method: 'POST', body });
    await answer.text();
    return lineOf(answer);
  };

  it('log a redirect address that the client does not have', async () => {
    const line = await open({ redirect_uri: 'http://localhost:9/other' });
    expect(line).toMatchObject({ status: 400, reason: 'invalid_redirect_uri' });
    expect(line['detail']).toMatch(
      `client ${shop.clientId}; redirect_uri http://localhost:9/other`,
    );
  });

  it('log how to let a client have groups', async () => {
    const line = await open({ scope: 'openid groups' });
    expect(line).toMatchObject({ path: '/oidc/localhost/auth', reason: 'invalid_scope' });
    expect(line['detail']).toBe(
      'requested scope is not allowed; scope groups; ' +
        `to allow it, set "groups" of the client to true; client ${shop.clientId}`,
    );
  });

  it('name the scope groups at the redirect address', async () => {
    const { address } = await authorizationRequest(config, { scope: 'openid groups' });
    const { url } = await new OidcBrowser(server.url).open(String(address));
    const { searchParams } = new URL(url);
    expect(Object.fromEntries(searchParams)).toMatchObject({
      error: 'invalid_scope',
      scope: 'groups',
    });
  });

  it.each([
    [
      'may come to an application that asked for a form',
      {},
      "form-action 'self' http://localhost:9",
    ],
    [
      'may not be posted to an address that was refused',
      { redirect_uri: 'http://localhost:10/cb' },
      "form-action 'self'",
    ],
  ])('%s', async (_, more, expected) => {
    const { address } = await authorizationRequest(config, { response_mode: 'form_post', ...more });
    const { page } = await new OidcBrowser(server.url).open(String(address));
    expect(page.status).toBe(400);
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy.split(';')).toContain(expected);
  });

  it('meet no application that reads the response modes', () => {
    expect(config.serverMetadata().response_modes_supported).toEqual(['query']);
  });

  it('log that there is no such client', async () => {
    const line = await open({ client_id: 'nobody' });
    expect(line).toMatchObject({ reason: 'invalid_client', detail: expect.any(String) });
    expect(line['detail']).toBe('client is invalid; client not found');
  });

  it('log that the browser has no session', async () => {
    expect(await open({ prompt: 'none' })).toMatchObject({ reason: 'login_required' });
  });

  it.each([
    ['GET', '/token', 'POST, OPTIONS'],
    ['GET', '/token/revocation', 'POST, OPTIONS'],
    ['DELETE', '/auth', 'GET, HEAD, POST'],
    ['POST', '/auth/some-interaction', 'GET, HEAD'],
    ['PUT', '/me', 'GET, HEAD, POST, OPTIONS'],
    ['POST', '/jwks', 'GET, HEAD, OPTIONS'],
    ['POST', '/.well-known/openid-configuration', 'GET, HEAD, OPTIONS'],
    ['PATCH', '/session/end', 'GET, HEAD, POST'],
    ['GET', '/session/end/confirm', 'POST'],
    ['POST', '/session/end/success', 'GET, HEAD'],
  ])('answer %s %s with the methods that it supports', async (method, path, allowed) => {
    const answer = await fetch(`${shop.issuer}${path}`, { method });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, allowed]);
    expect(await answer.json()).toMatchObject({ errorCode: 'E0047R', reason: 'path.method' });
    expect(lineOf(answer)).toMatchObject({ status: 405, reason: 'path.method' });
    const preflight = { origin: 'https://a.example', 'access-control-request-method': 'GET' };
    for (const one of allowed.split(', ')) {
      const headers = one === 'OPTIONS' ? preflight : {};
      const init = { method: one, headers, redirect: 'manual' as const };
      const supported = await fetch(`${shop.issuer}${path}`, init);
      expect([404, 405]).not.toContain(supported.status);
    }
  });

  it.each(['/auth', '/session/end'])('answer E0048R for JSON to %s', async (path) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${shop.issuer}${path}`, { method: 'POST', headers, body: '{}' });
    expect(answer.status).toBe(415);
    expect(await answer.json()).toMatchObject({ errorCode: 'E0048R', reason: 'request.notForm' });
  });

  it('answer E0041R for a form that is too long for an address', async () => {
    const { address } = await authorizationRequest(config, { state: 's'.repeat(8000) });
    const body = address.searchParams;
    const answer = await fetch(`${shop.issuer}/auth`, { method: 'POST', body });
    expect(answer.status).toBe(413);
    expect(await answer.json()).toMatchObject({ errorCode: 'E0041R' });
  });

  it.each(['', '/nothing', '/token/nothing', '/.well-known/nothing'])(
    'answer E0047R for the unknown path "%s" of an issuer',
    async (path) => {
      for (const method of ['GET', 'POST', 'PUT']) {
        const answer = await fetch(`${shop.issuer}${path}`, { method });
        expect([answer.status, method]).toEqual([404, method]);
        expect(await answer.json()).toMatchObject({ errorCode: 'E0047R' });
        expect(lineOf(answer)).toMatchObject({ status: 404 });
      }
    },
  );

  it('log why a code is not redeemed, but not the code', async () => {
    const line = await redeem({});
    expect(line).toMatchObject({ status: 400, reason: 'invalid_grant' });
    expect(line['detail']).toBe(
      `grant request is invalid; authorization code not found; client ${shop.clientId}`,
    );
  });

  it('log that the secret of a client is wrong, but not the secret', async () => {
    const line = await redeem({ client_secret: SECRET });
    expect(line).toMatchObject({ status: 401, reason: 'invalid_client' });
    expect(line['detail']).toBe(
      `client authentication failed; invalid secret provided; client ${shop.clientId}`,
    );
    expect(JSON.stringify(server.logged)).not.toContain(SECRET);
    expect(JSON.stringify(server.logged)).not.toContain('the-code');
  });
});
