import { AdminClient } from '../support/admin-client.js';
import { REDIS_URL, createDatabase, type TestDatabase } from '../support/databases.js';
import {
  addMethod,
  answerOf,
  sendFromEntra,
  setExternalId,
  startEntra,
} from '../support/entra/entra-server.js';
import { EntraTenant } from '../support/entra/entra-tenant.js';
import { FidoClient } from '../support/fido-client.js';
import { describeWith } from '../support/needs.js';
import { OidcBrowser } from '../support/oidc-browser.js';
import type { TestServer } from '../support/test-server.js';

describeWith('MariaDB', 'Redis')('External MFA on two instances', () => {
  let database: TestDatabase;
  let contoso: EntraTenant;
  let first: TestServer;
  let second: TestServer;
  beforeAll(async () => {
    [database, contoso] = await Promise.all([createDatabase('MariaDB'), EntraTenant.create()]);
    const sessions = REDIS_URL ?? '';
    first = await startEntra([contoso], { database, options: { sessions } });
    const { url: issuer } = first;
    second = await startEntra([contoso], { database, options: { sessions, issuer } });
  });
  afterAll(async () => {
    await first.stop();
    await second.stop();
    await database.remove();
  });

  it('completes on one what the other began, once on both', async () => {
    const alice = new FidoClient(first.url);
    await alice.register('alice');
    await setExternalId(first, 'alice', 'oid of alice');
    const method = await addMethod(first, contoso);
    const request = contoso.request(method.clientId, await contoso.hint('oid of alice'));
    const browser = new OidcBrowser(first.url, alice);
    const { url, page } = await sendFromEntra(browser, method, request);
    const elsewhere = { url: url.replace(first.url, second.url), page };
    const assertions = [await browser.assertionOf('alice'), await browser.assertionOf('alice')];
    // The proxy in front passes the host of the issuer on.
    const host = { origin: second.url };
    const there = await browser.complete(elsewhere.url, assertions[0] as object, host);
    const here = await browser.complete(url, assertions[1] as object);
    expect([there.status, here.status]).toEqual([200, 408]);
    const again = contoso.request(method.clientId, await contoso.hint('oid of alice'));
    const begun = await sendFromEntra(browser, method, again);
    const { fields } = await answerOf(browser, begun, await browser.assertionOf('alice'));
    expect(await contoso.judge(method, again, fields)).toBe('accepted');
  });

  it('answers a hint on one, and refuses it on the other', async () => {
    const bob = new FidoClient(first.url);
    await bob.register('bob');
    await setExternalId(first, 'bob', 'oid of bob');
    const method = await addMethod(first, contoso);
    const request = contoso.request(method.clientId, await contoso.hint('oid of bob'));
    const browser = new OidcBrowser(first.url, bob);
    const begun = await sendFromEntra(browser, method, request);
    const { fields } = await answerOf(browser, begun, await browser.assertionOf('bob'));
    expect(await contoso.judge(method, request, fields)).toBe('accepted');
    const path = method.issuer.replace(first.url, second.url);
    const stranger = new OidcBrowser(second.url, bob);
    const { page } = await sendFromEntra(stranger, { ...method, issuer: path }, request);
    expect(page.status).toBe(408);
  });

  it.each([
    ['suspended', '/userapi/users/suspension', { username: 'NAME', suspended: true }],
    ['disabled', '/userapi/manageusers', { type: 'disableall', filter: 'NAME' }],
  ])('ends on one for a user who is %s on the other', async (how, path, body) => {
    const name = `carol-${how}`;
    const carol = new FidoClient(first.url);
    await carol.register(name);
    await setExternalId(first, name, `oid of ${name}`);
    const method = await addMethod(first, contoso);
    const request = contoso.request(method.clientId, await contoso.hint(`oid of ${name}`));
    const browser = new OidcBrowser(first.url, carol);
    const { url } = await sendFromEntra(browser, method, request);
    const assertion = await browser.assertionOf(name);
    const text = JSON.stringify(body).replace('NAME', name);
    const admin = new AdminClient(second.url, 'localhost');
    expect((await admin.post(path, JSON.parse(text) as object)).status).toBe(200);
    expect((await browser.complete(url, assertion)).status).not.toBe(200);
  });
});
