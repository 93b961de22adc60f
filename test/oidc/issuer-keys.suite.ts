import { jest } from '@jest/globals';
import * as client from 'openid-client';
import { IssuerKeys, type IssuerKey } from '../../src/issuers/issuer-keys.js';
import { HOUR_MS, MINUTE_MS } from '../../src/platform/common/durations.js';
import { SecretStore } from '../../src/platform/database/secrets/secret-store.js';
import { adminClient } from '../support/client.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { OidcBrowser } from '../support/oidc-browser.js';
import { addClient, authorizationRequest, discover, startIssuer } from '../support/oidc-issuer.js';
import { relyingPartyOf } from '../support/rows.js';
import type { TestServer } from '../support/test-server.js';

const ROTATE = '/tenantapi/tenants/default/relying-parties/localhost/clients/rotate-keys';

describe.each(DATABASES)('the keys of an issuer, on %s', (on) => {
  let server: TestServer;
  let alice: FidoClient;
  beforeAll(async () => {
    server = await startIssuer({ on });
    alice = new FidoClient(server.url);
    await alice.register('alice');
  });
  afterAll(() => server.stop());

  const rotate = async (revoke: boolean) => {
    const { status } = await adminClient(server.url).post(ROTATE, { revoke });
    expect(status).toBe(201);
  };
  const published = async () =>
    (await server.get(IssuerKeys).of(relyingPartyOf(server, 'localhost'), 'oidc')).map(
      ({ jwk }: IssuerKey) => jwk.kid,
    );

  it('let a user sign out by an ID token of the longest session, after a rotation', async () => {
    const config = await discover(await addClient(server));
    const { address, checks } = await authorizationRequest(config);
    const back = await new OidcBrowser(server.url, alice).authorize(address, 'alice');
    const tokens = await client.authorizationCodeGrant(config, back, checks);
    await rotate(false);
    server.clock.advance(12 * HOUR_MS);
    const hint = { id_token_hint: String(tokens.id_token) };
    const end = client.buildEndSessionUrl(config, hint);
    const { page } = await new OidcBrowser(server.url).open(String(end));
    expect(page.text).toContain('/session/end/confirm');
    // Who stole the key must not be believed for ever.
    const former = (await published())[1];
    server.clock.advance(2 * HOUR_MS);
    expect(await published()).not.toContain(former);
  });

  it('none is added while another one does not sign yet', async () => {
    await rotate(false);
    const before = await published();
    await rotate(false);
    expect(await published()).toEqual(before);
  });

  it('are at most ten of an algorithm, however often they are rotated', async () => {
    const admin = adminClient(server.url);
    const rotateAfterIntroduction = async () => {
      server.clock.advance(5 * MINUTE_MS + 1);
      return admin.post(ROTATE, {});
    };
    let answer = await rotateAfterIntroduction();
    for (let n = 0; n < 12 && answer.status === 201; n += 1)
      answer = await rotateAfterIntroduction();
    expect([answer.status, answer.body['reason']]).toEqual([400, 'oidc.tooManyKeys']);
    expect(await published()).toHaveLength(10);
    server.clock.advance(14 * HOUR_MS);
    await rotate(false);
    await rotate(true);
    expect(await published()).toHaveLength(1);
  });

  it('a revoked key of an issuer is not published again by a read that began before', async () => {
    // The next read is from the database.
    await rotate(false);
    const secrets = server.get(SecretStore);
    const find = secrets.find.bind(secrets);
    let letGo = () => {};
    const held = new Promise<void>((resolve) => (letGo = resolve));
    const reached = new Promise((resolve) => {
      jest.spyOn(secrets, 'find').mockImplementationOnce(async (name) => {
        const found = await find(name);
        resolve(found);
        await held;
        return found;
      });
    });
    const reading = published();
    await reached;
    await rotate(true);
    letGo();
    const revoked = await reading;
    expect(revoked).not.toEqual([]);
    expect((await published()).filter((kid) => revoked.includes(kid))).toEqual([]);
  });
});
