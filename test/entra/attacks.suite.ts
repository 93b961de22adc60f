import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { jest } from '@jest/globals';
import { SignJWT, decodeJwt } from 'jose';
import { CeremonyStore } from '../../src/fido/ceremonies/stores/ceremony-store.js';
import { adminClient } from '../support/client.js';
import { EVERY_DATABASE } from '../support/databases.js';
import {
  addMethod,
  answerOf,
  formsIn,
  sendFromEntra,
  setExternalId,
  startEntra,
} from '../support/entra/entra-server.js';
import { EntraTenant, type ExternalMethod } from '../support/entra/entra-tenant.js';
import { eventually } from '../support/eventually.js';
import { FidoClient } from '../support/fido-client.js';
import { OidcBrowser } from '../support/oidc-browser.js';
import { addClient } from '../support/oidc-issuer.js';
import type { TestServer } from '../support/test-server.js';

const DAY_S = 86_400;
/** Seconds since 1970. The tests advance the server's clock by a few hours. */
const TODAY = Math.floor(Date.now() / 1000);
const OTHER = { tenant: 'other', domain: 'other.localhost' };
/** More than the wrong passwords after which a network has to wait. */
const MANY = 210;

describe.each(EVERY_DATABASE)('an attack on External MFA on %s', (on) => {
  let server: TestServer;
  let contoso: EntraTenant;
  let fabrikam: EntraTenant;
  let method: ExternalMethod;
  let alice: FidoClient;
  let mallory: FidoClient;
  beforeAll(async () => {
    [contoso, fabrikam] = await Promise.all([EntraTenant.create(), EntraTenant.create()]);
    server = await startEntra([contoso, fabrikam], { on, options: { oidc: true } });
    await server.addRelyingParty('other', { domain: OTHER.domain, origins: [server.url] });
    [alice, mallory] = [new FidoClient(server.url), new FidoClient(server.url)];
    await alice.register('alice');
    await mallory.register('mallory');
    await setExternalId(server, 'alice', 'oid of alice');
    await setExternalId(server, 'mallory', 'oid of mallory');
    method = await addMethod(server, contoso);
  });
  afterAll(() => server.stop());

  const seconds = () => Math.floor(server.clock.now() / 1000);
  const newBrowser = (user = alice) => new OidcBrowser(server.url, user);
  const hint = (claims: object = {}, key = contoso.key) =>
    contoso.hint('oid of alice', { claims: { ...claims }, key, now: server.clock.now() });
  const begin = async (browser: OidcBrowser, sent?: string, at = method) => {
    const request = contoso.request(at.clientId, sent ?? (await hint()));
    return { request, opened: await sendFromEntra(browser, at, request) };
  };
  const errorOf = (page: string) => formsIn(page)[0]?.fields['error'];
  const codeOf = ({ text }: { text: string }) =>
    (JSON.parse(text) as { errorCode?: string }).errorCode;

  it.each([
    ['signed by a stranger with the ID of a genuine key', {}, 'forged'],
    ['of another tenant, by its own key', { tid: 'theirs', iss: 'theirs' }, 'foreign'],
    ['of another tenant', { tid: 'theirs' }, 'own'],
    ['that names another issuer', { iss: 'theirs' }, 'own'],
    ['without tenant', { tid: undefined }, 'own'],
    ['for another application', { aud: '00000000-0000-4000-8000-000000000000' }, 'own'],
    ['for nobody', { aud: undefined }, 'own'],
    ['without end', { exp: undefined }, 'own'],
    ['without time', { iat: undefined }, 'own'],
    ['about nobody', { sub: undefined }, 'own'],
    ['about null', { sub: null }, 'own'],
    ['about a list', { sub: ['somebody'] }, 'own'],
    ['about a number', { sub: 5 }, 'own'],
    ['from the future', { nbf: TODAY + DAY_S }, 'own'],
    ['that was issued two days ago', { iat: TODAY - 2 * DAY_S, exp: TODAY + DAY_S }, 'own'],
  ])('cannot begin with a hint %s', async (_, claims, signer) => {
    const { id, issuer } = fabrikam;
    const changed: Record<string, unknown> = { ...claims };
    if (changed['tid'] === 'theirs') changed['tid'] = id;
    if (changed['iss'] === 'theirs') changed['iss'] = issuer;
    const keys = {
      own: contoso.key,
      foreign: fabrikam.key,
      forged: { ...fabrikam.key, kid: contoso.key.kid },
    };
    const sent = await hint(changed, keys[signer as 'own']);
    const { opened } = await begin(newBrowser(), sent);
    expect([opened.page.status, errorOf(opened.page.text)]).toEqual([400, 'invalid_request']);
  });

  it('cannot begin with a hint signed by a published key of another issuer', async () => {
    const consumers = 'https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0';
    const american = contoso.issuer.replace('online.com', 'online.us');
    const foreign = [];
    for (const issuer of [consumers, fabrikam.issuer, american])
      foreign.push(await contoso.publish({ issuer }));
    const anyTenant = 'https://login.microsoftonline.com/{tenantid}/v2.0';
    const own = await contoso.publish({ issuer: anyTenant });
    server.clock.advance(60_000);
    for (const key of foreign) {
      const { opened } = await begin(newBrowser(), await hint({}, key));
      expect(errorOf(opened.page.text)).toBe('invalid_request');
    }
    const { opened } = await begin(newBrowser(), await hint({}, own));
    expect(opened.url).toContain('/sign-in/');
  });

  it('cannot begin with a hint of one tenant at the method of another, in either order', async () => {
    const theirs = await addMethod(server, fabrikam);
    const now = server.clock.now();
    const hints = [await hint(), await fabrikam.hint('oid of alice', { now })] as const;
    for (const [ours, foreign, at] of [
      [...hints, method] as const,
      [hints[1], hints[0], theirs] as const,
    ]) {
      const { clientId } = at;
      for (const sent of [foreign, ours, foreign]) {
        const { page, url } = await sendFromEntra(
          newBrowser(),
          at,
          contoso.request(clientId, sent),
        );
        if (sent === ours) expect(url).toContain('/sign-in/');
        else expect(errorOf(page.text)).toBe('invalid_request');
      }
    }
  });

  it.each([
    ['no key at all', { n: undefined }],
    ['no text', { n: 5 }],
    ['too short', { n: Buffer.alloc(128, 0xff).toString('base64url') }],
    ['of another kind', { kty: 'oct', k: Buffer.alloc(32, 1).toString('base64url') }],
  ])('cannot begin with a hint whose published key is %s, and others can', async (_, members) => {
    const broken = await contoso.publish(members as object);
    server.clock.advance(60_000);
    const { opened } = await begin(newBrowser(), await hint({}, broken));
    expect([opened.page.status, errorOf(opened.page.text)]).toEqual([400, 'invalid_request']);
    expect((await begin(newBrowser())).opened.url).toContain('/sign-in/');
  });

  it.each(['as PEM', 'as DER', 'as a modulus'])(
    'cannot begin with a hint by HS256 with a published key %s as secret',
    async (form) => {
      const { jwk, kid } = contoso.key;
      const key = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' });
      const secrets: Record<string, string | Buffer> = {
        'as PEM': key.export({ type: 'spki', format: 'pem' }),
        'as DER': key.export({ type: 'spki', format: 'der' }),
        'as a modulus': Buffer.from(String(jwk.n), 'base64url'),
      };
      const sent = await new SignJWT(decodeJwt(await hint()))
        .setProtectedHeader({ alg: 'HS256', kid })
        .sign(Buffer.from(secrets[form] as string));
      const { opened } = await begin(newBrowser(), sent);
      expect([opened.page.status, errorOf(opened.page.text)]).toEqual([400, 'invalid_request']);
    },
  );

  it.each([
    ['an unsigned one', 'none'],
    ['a secret as key', 'HS256'],
  ])('cannot begin with a hint by %s', async (_, alg) => {
    const [, payload] = (await hint()).split('.');
    const header = Buffer.from(JSON.stringify({ alg, kid: contoso.key.kid })).toString('base64url');
    const { opened } = await begin(newBrowser(), `${header}.${payload}.`);
    expect(errorOf(opened.page.text)).toBe('invalid_request');
  });

  it.each([
    ['another host', 'https://evil.example/common/federation/externalauthprovider'],
    ['another path', 'https://login.microsoftonline.com/common/oauth2'],
    [
      'a host that begins alike',
      'https://login.microsoftonline.com.evil.example/common/federation/externalauthprovider',
    ],
    [
      'user information',
      'https://login.microsoftonline.com@evil.example/common/federation/externalauthprovider',
    ],
    ['a query', 'https://login.microsoftonline.com/common/federation/externalauthprovider?x'],
    ['a script', 'javascript:alert(1)'],
  ])('sends nothing to %s', async (_, target) => {
    const request = contoso.request(method.clientId, await hint(), { redirect_uri: target });
    const { page } = await sendFromEntra(newBrowser(), method, request);
    expect(page.status).toBe(400);
    expect(formsIn(page.text)).toEqual([]);
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self'");
  });

  it('cannot take the answer of one cloud to another', async () => {
    const redirect = 'https://login.microsoftonline.us/common/federation/externalauthprovider';
    const request = contoso.request(method.clientId, await hint(), { redirect_uri: redirect });
    const { page } = await sendFromEntra(newBrowser(), method, request);
    expect(formsIn(page.text)[0]?.fields['id_token']).toBeUndefined();
    expect(errorOf(page.text)).toMatch(/invalid_request|temporarily_unavailable/);
  });

  it('cannot use the client of another relying party, of another kind, or one that was removed', async () => {
    const foreign = await addMethod(server, contoso, { at: OTHER });
    const shop = await addClient(server);
    const gone = await addMethod(server, contoso);
    const path = '/tenantapi/tenants/default/relying-parties/localhost/clients';
    await adminClient(server.url).send(`${path}/${gone.clientId}`, { method: 'DELETE' });
    // MySQL ignores blanks at the end.
    const padded = { clientId: `${method.clientId} ` };
    for (const { clientId } of [foreign, shop, gone, padded]) {
      const { opened } = await begin(newBrowser(), undefined, { ...method, clientId });
      expect([opened.page.status, formsIn(opened.page.text)]).toEqual([404, []]);
    }
    const kidsOf = async (issuer: string) => {
      const answer = (await (await fetch(`${issuer}/jwks`)).json()) as { keys: { kid: string }[] };
      return answer.keys.map(({ kid }) => kid);
    };
    const kids = await Promise.all([method, foreign, shop].map(({ issuer }) => kidsOf(issuer)));
    expect(new Set(kids.flat()).size).toBe(kids.flat().length);
    expect((await fetch(`${shop.issuer}/auth?client_id=${method.clientId}`)).status).toBe(400);
  });

  it('cannot complete with the key of another user', async () => {
    const browser = newBrowser(mallory);
    const { opened } = await begin(browser);
    for (const assertion of [
      await browser.assertionOf('mallory'),
      await mallory.assert(await mallory.beginNameless()),
    ]) {
      const answer = await browser.complete(opened.url, assertion);
      expect([codeOf(answer), answer.text.includes('idToken')]).toEqual(['E0033R', false]);
    }
    const events = await adminClient(server.url).get('/userapi/events?user=mallory&limit=20');
    expect(events.text).not.toContain('entra ');
  });

  it('cannot continue in another browser, nor without the cookie', async () => {
    const { opened } = await begin(newBrowser());
    const other = newBrowser();
    expect((await other.open(opened.url)).page.status).toBe(408);
    const answer = await other.complete(opened.url, await other.assertionOf('alice'));
    expect(codeOf(answer)).toBe('E0024R');
  });

  it('cannot complete from a page of another site', async () => {
    const browser = newBrowser();
    const { opened } = await begin(browser);
    const assertion = await browser.assertionOf('alice');
    const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    expect(codeOf(await browser.complete(opened.url, assertion, headers))).toBe('E0043R');
  });

  it('gets one answer for a hint, whichever browser sends it again', async () => {
    const browser = newBrowser();
    const sent = await hint();
    const { opened, request } = await begin(browser, sent);
    // The user has loaded the page again.
    const again = (await begin(browser, sent)).opened;
    expect(again.url).toBe(opened.url);
    const assertions = [await browser.assertionOf('alice'), await browser.assertionOf('alice')];
    const both = await Promise.all(assertions.map((one) => browser.complete(again.url, one)));
    // The other one comes too late, or its counter does.
    expect(both.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await browser.open(again.url)).page.status).toBe(408);
    for (const one of [browser, newBrowser()]) {
      const { page } = await sendFromEntra(one, method, request);
      expect([page.status, page.text.includes('id="entra-sign-in"')]).toEqual([408, false]);
    }
    server.clock.advance(11 * 60_000);
    expect((await sendFromEntra(newBrowser(), method, request)).page.status).toBe(400);
  });

  it('gets one answer for a hint as long as the hint is accepted', async () => {
    const browser = newBrowser();
    const { opened, request } = await begin(browser, await hint({ exp: seconds() + 3600 }));
    await answerOf(browser, opened, await browser.assertionOf('alice'));
    server.clock.advance(69 * 60_000);
    expect((await sendFromEntra(browser, method, request)).page.status).toBe(408);
    server.clock.advance(2 * 60_000);
    const { page } = await sendFromEntra(browser, method, request);
    expect([page.status, errorOf(page.text)]).toEqual([400, 'invalid_request']);
  });

  it('leaves nothing of a hint that is accepted no longer', async () => {
    const browser = newBrowser();
    const { opened } = await begin(browser);
    const store = server.get(CeremonyStore);
    const puts = jest.spyOn(store, 'put');
    await answerOf(browser, opened, await browser.assertionOf('alice'));
    const used = puts.mock.calls.map(([{ id }]) => id).find((id) => id.includes('.entra.')) ?? '';
    puts.mockRestore();
    server.clock.advance(9 * 60_000);
    await begin(newBrowser());
    expect(await store.entriesOf(used)).toHaveLength(1);
    server.clock.advance(7 * 60_000);
    // The store forgets what is over when something is added.
    await begin(newBrowser());
    expect(await store.entriesOf(used)).toEqual([]);
  });

  it('gets one answer for a hint that the browser brings again at that very moment', async () => {
    const browser = newBrowser();
    const { opened, request } = await begin(browser);
    const assertions = [await browser.assertionOf('alice'), await browser.assertionOf('alice')];
    const store = server.get(CeremonyStore);
    const [put, take] = [store.put.bind(store), store.take.bind(store)];
    const waiting: (() => void)[] = [];
    const puts = jest.spyOn(store, 'put').mockImplementation(async (session, ...more) => {
      const isOurs = session.id.includes('.entra.');
      if (isOurs) await new Promise<void>((goOn) => waiting.push(goOn));
      return put(session, ...more);
    });
    const takes = jest.spyOn(store, 'take').mockImplementation(async (name, ...prefixes) => {
      if (takes.mock.calls.filter(([one]) => one.includes('.entra.')).length > 1)
        await new Promise<void>((goOn) => waiting.push(goOn));
      return take(name, ...prefixes);
    });
    const begun: Promise<unknown>[] = [];
    const atItsPut = async (call: Promise<unknown>) => {
      begun.push(call);
      await eventually(() => expect(waiting).toHaveLength(begun.length));
    };
    try {
      const answers = [];
      for (const one of assertions) {
        const answer = browser.complete(opened.url, one);
        answers.push(answer);
        await atItsPut(answer);
      }
      // All have seen that the hint was not used yet.
      const again = sendFromEntra(browser, method, request);
      await atItsPut(again);
      for (const goOn of waiting.slice(0, 2)) goOn();
      await Promise.race(answers);
      waiting[2]?.();
      await again;
      await eventually(() => expect(waiting).toHaveLength(4));
      waiting[3]?.();
      const statuses = (await Promise.all(answers)).map(({ status }) => status);
      expect(statuses.toSorted()).toEqual([200, 408]);
    } finally {
      puts.mockRestore();
      takes.mockRestore();
    }
  });

  it('ends after ten minutes', async () => {
    const browser = newBrowser();
    const { opened } = await begin(browser);
    server.clock.advance(10 * 60_000 + 1);
    const answer = await browser.complete(opened.url, await browser.assertionOf('alice'));
    expect(codeOf(answer)).toBe('E0024R');
  });

  it('ends for a user who is disabled or suspended in the middle, and for a client that is changed or removed', async () => {
    const admin = adminClient(server.url);
    const headers = { 'x-servicefido-relyingparty': 'localhost' };
    const suspend = (suspended: boolean) =>
      admin.post('/userapi/users/suspension', { username: 'alice', suspended }, headers);
    const manage = (type: string) =>
      admin.post('/userapi/manageusers', { type, filter: 'alice' }, headers);
    const [gone, moved] = [await addMethod(server, contoso), await addMethod(server, contoso)];
    const path = '/tenantapi/tenants/default/relying-parties/localhost/clients';
    const change = () => admin.patch(`${path}/${moved.clientId}`, { tenantId: fabrikam.id });
    const remove = () => admin.send(`${path}/${gone.clientId}`, { method: 'DELETE' });
    const rounds = [
      [method, () => suspend(true), () => suspend(false)],
      [method, () => manage('disableall'), () => manage('enableall')],
      [moved, change, async () => undefined],
      [gone, remove, async () => undefined],
    ] as const;
    for (const [at, end, undo] of rounds) {
      const browser = newBrowser();
      const { opened } = await begin(browser, undefined, at);
      const assertion = await browser.assertionOf('alice');
      await end();
      const answer = await browser.complete(opened.url, assertion);
      await undo();
      expect([answer.status >= 400, answer.text.includes('idToken')]).toEqual([true, false]);
    }
    const browser = newBrowser();
    const { opened, request } = await begin(browser);
    const { fields } = await answerOf(browser, opened, await browser.assertionOf('alice'));
    expect(await contoso.judge(method, request, fields)).toBe('accepted');
  });

  it.each([
    ['nobody', undefined],
    ['another user', 'mallory'],
  ])('ends when the directory gives the ID of the hint to %s in the middle', async (_, owner) => {
    const browser = newBrowser();
    const { opened } = await begin(browser);
    const assertion = await browser.assertionOf('alice');
    await setExternalId(server, 'alice', 'another oid');
    if (owner) await setExternalId(server, owner, 'oid of alice');
    const answer = await browser.complete(opened.url, assertion);
    await setExternalId(server, 'mallory', 'oid of mallory');
    await setExternalId(server, 'alice', 'oid of alice');
    expect([codeOf(answer), answer.text.includes('idToken')]).toEqual(['E0024R', false]);
  });

  it('gets no token that another door or the four calls accept', async () => {
    const browser = newBrowser();
    const { opened } = await begin(browser);
    const { fields } = await answerOf(browser, opened, await browser.assertionOf('alice'));
    const authorization = `Bearer ${fields['id_token']}`;
    const bearer = await fetch(`${server.url}/oidc/localhost/me`, { headers: { authorization } });
    expect([401, 404]).toContain(bearer.status);
    const keys = new FidoClient(server.url);
    const begun = await keys.post('/fidoapi/my-keys', {}, { authorization });
    expect(begun.status).toBeGreaterThanOrEqual(400);
  });

  it('is refused for a parameter that is sent twice, or far too long', async () => {
    const twice = contoso.request(method.clientId, await hint());
    twice.append('redirect_uri', 'https://evil.example/');
    const long = contoso.request(method.clientId, await hint(), { state: 'x'.repeat(20_000) });
    for (const request of [twice, long]) {
      const { page } = await sendFromEntra(newBrowser(), method, request);
      expect([page.status, formsIn(page.text)]).toEqual([400, []]);
    }
  });

  it('drives few requests to Microsoft, and keeps nobody else of its address out', async () => {
    const target = await startEntra([contoso], { on });
    const at = await addMethod(target, contoso);
    const visitor = new FidoClient(target.url);
    await visitor.register('alice');
    await setExternalId(target, 'alice', 'oid of alice');
    const visit = async (kid: string) => {
      const options = { key: { ...contoso.key, kid }, now: target.clock.now() };
      const request = contoso.request(at.clientId, await contoso.hint('oid of alice', options));
      return sendFromEntra(new OidcBrowser(target.url, visitor), at, request);
    };
    await visit(contoso.key.kid);
    const before = contoso.reads.length;
    // The clock stands: no limit refills, however long the visits take.
    target.clock.standAt(Date.now() + 60_000);
    for (let n = 0; n < MANY; n += 1) expect((await visit(`made up ${n}`)).page.status).toBe(400);
    expect(contoso.reads.length - before).toBeLessThanOrEqual(2);
    expect((await visit(contoso.key.kid)).url).toContain('/sign-in/');
    // The console counts wrong passwords of a network, but not what a foreign page lets a browser send here.
    expect((await adminClient(target.url).get('/tenantapi/tenants')).status).toBe(200);
    await target.stop();
  });
});
