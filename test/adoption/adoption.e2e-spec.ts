import { aaguidBytes } from '../../src/webauthn/aaguid.js';
import { RollUp } from '../../src/billing/usage/roll-up.js';
import { CeremonyCounts } from '../../src/events/ceremony-counts/ceremony-counts.js';
import { EventRetention } from '../../src/events/event-retention.js';
import { RefusalLog } from '../../src/fido/refusals/refusal-log.js';
import { AdminClient } from '../support/admin-client.js';
import { SoftAuthenticator } from '../../packages/testing/src/soft-authenticator.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { countOf, rowsOf } from '../support/rows.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { TestServer } from '../support/test-server.js';

const MODEL = 'ee882879-721c-4913-9775-3dfcce97072a';
const ANONYMOUS = '00000000-0000-0000-0000-000000000000';
const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
const DOMAIN = 'adoption.example';
const ORIGIN = `https://${DOMAIN}`;
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

interface Funnel {
  readonly begun: number;
  readonly finished: number;
  readonly givenUp: number;
  readonly refused: number;
}

describe.each(DATABASES)('GET /userapi/adoption on %s', (on) => {
  let server: TestServer;
  let admin: AdminClient;
  beforeAll(async () => {
    server = await TestServer.start({ on });
    await server.addRelyingParty('acme', { domain: DOMAIN });
    admin = new AdminClient(server.url, DOMAIN);
  });
  afterAll(() => server.stop());

  interface Ceremonies {
    readonly authentications: { readonly refused: number };
    readonly refusals: readonly { readonly errorCode: string; readonly authentications: number }[];
  }

  it('returns zeros for a relying party without users', async () => {
    const { status, body } = await (await place('zeros.example')).get('/userapi/adoption');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      relyingParty: 'zeros.example',
      ceremonies: { registrations: { finished: 0, refused: 0 }, refusals: [] },
      keys: { total: 0, complete: true },
      models: [],
    });
    expect(body['weeks']).toHaveLength(12);
    expect(body).not.toHaveProperty('move');
  });

  it('counts ceremonies, models, and first, further, synced and device-bound keys, by week', async () => {
    const domain = 'counted.example';
    const counting = await place(domain);
    const anna = newUser(false, MODEL, domain);
    expect((await anna.register('anna')).status).toBe(200);
    expect((await anna.signIn('anna')).status).toBe(200);
    expect((await anna.signIn('anna', { rpIdHash: Buffer.alloc(32) })).status).toBe(401);
    await newUser(true, ANONYMOUS).register('elsewhere');
    server.clock.advance(WEEK_MS);
    expect((await newUser(true, ANONYMOUS, domain).register('anna')).status).toBe(200);
    expect((await newUser(true, ANONYMOUS, domain).register('ben')).status).toBe(200);
    await server.get(RollUp).catchUp();
    const { body } = await counting.get('/userapi/adoption');
    const counts = { total: 3, first: 2, further: 1, synced: 2, bound: 1, complete: true };
    expect(body['keys']).toEqual(counts);
    expect(body['models']).toMatchObject([
      { aaguid: ANONYMOUS, keys: 2, synced: 2, bound: 0 },
      { aaguid: MODEL, keys: 1, synced: 0, bound: 1 },
    ]);
    const weeks = body['weeks'] as readonly object[];
    expect(weeks.slice(-2)).toMatchObject([
      { registrations: 1, kept: 1, first: 1, further: 0, synced: 0, bound: 1 },
      { registrations: 2, kept: 2, first: 1, further: 1, synced: 2, bound: 0 },
    ]);
    // The hour of a week ago counts as a whole.
    const { registrations } = body['ceremonies'] as { registrations: { finished: number } };
    expect([2, 3]).toContain(registrations.finished);
  });

  it('counts the registrations of keys that were deleted since', async () => {
    const domain = 'deleted.example';
    const deleting = await place(domain);
    for (const name of ['anna', 'ben']) await newUser(true, ANONYMOUS, domain).register(name);
    expect((await deleting.manage({ type: 'deluser', filter: 'ben' })).status).toBe(200);
    await server.get(RollUp).catchUp();
    const { body } = await deleting.get('/userapi/adoption');
    expect((body['weeks'] as object[]).at(-1)).toMatchObject({ registrations: 2, kept: 1 });
  });

  it('counts begun, finished, abandoned and refused ceremonies, by browser and error', async () => {
    const before = await figures();
    const browser = new FidoClient(server.url, { relyingParty: DOMAIN, origin: ORIGIN });
    const report = await closePrompt(browser, 'carl');
    expect((await report()).status).toBe(200);
    expectRefusal(await report(), 'E0024R');
    const page = { 'user-agent': FIREFOX, origin: ORIGIN };
    expect((await browser.register('carl')).status).toBe(200);
    const elsewhere = { relyingParty: DOMAIN, origin: 'https://evil.example' };
    const lured = new FidoClient(server.url, elsewhere);
    lured.headers['user-agent'] = FIREFOX;
    expectRefusal(await lured.register('carl'), 'E0029R');
    const waits = await browser.beginNameless('conditional');
    const words = { challenge: waits.body['challenge'], error: '<script>alert(1)</script>' };
    expect((await browser.post('/fidoapi/authenticate/given-up', words, page)).status).toBe(200);
    const after = await figures();
    expect(after.funnel).toEqual({
      ...before.funnel,
      registrations: added(before.funnel.registrations, [3, 1, 1, 1]),
      autofill: added(before.funnel.autofill, [1, 0, 1, 0]),
    });
    expect(after.browsers).toContainEqual({
      browser: 'firefox',
      registrations: { begun: 3, finished: 1, givenUp: 1, refused: 1 },
      authentications: { begun: 0, finished: 0, givenUp: 0, refused: 0 },
      failures: [{ error: 'NotAllowedError', registrations: 1, authentications: 0 }],
    });
    expect(after.givenUp).toEqual([
      { error: 'NotAllowedError', registrations: 1, authentications: 0 },
    ]);
    const stored = await rowsOf(server, 'SELECT * FROM ceremony_counts WHERE detail = ?', 'other');
    expect(stored).toHaveLength(1);
  });

  it('accepts a page’s report only from the ceremony’s own session and page, and records no refusal', async () => {
    const one = newUser(true, ANONYMOUS);
    const other = newUser(true, ANONYMOUS);
    const begun = await one.beginRegistration('dora');
    await other.beginRegistration('dora');
    const told = { challenge: begun.body['challenge'], error: 'NotAllowedError' };
    const tell = (who: FidoClient, body: object, headers = {}) =>
      who.post('/fidoapi/register/given-up', body, headers);
    expectRefusal(await tell(other, told), 'E0028R');
    expectRefusal(await tell(new FidoClient(server.url, { relyingParty: DOMAIN }), told), 'E0024R');
    expectRefusal(await tell(one, { error: 'NotAllowedError' }), 'E0001R');
    expectRefusal(await tell(one, told, { origin: 'https://evil.example' }), 'E0029R');
    await server.get(RefusalLog).flush();
    const events = await rowsOf(
      server,
      "SELECT * FROM events WHERE kind LIKE '%-refused' AND code = 'E0028R'",
    );
    expect(events).toEqual([]);
  });

  it('shows the figures on a page, which says where there are none', async () => {
    const html = { accept: 'text/html' };
    const domain = 'figures.example';
    const showing = await place(domain);
    const anna = newUser(false, MODEL, domain);
    expect((await (await closePrompt(anna, 'anna'))()).status).toBe(200);
    expect((await anna.register('anna')).status).toBe(200);
    expectRefusal(await anna.signIn('anna', { rpIdHash: Buffer.alloc(32) }), 'E0030R');
    await server.get(RollUp).catchUp();
    const { status, text } = await showing.get(`/adoption?rp=${domain}`, html);
    expect(status).toBe(200);
    for (const words of [
      'refused: 1',
      'Week by week',
      'The prompt was closed',
      'Firefox',
      'YubiKey',
    ]) {
      expect(text).toContain(words);
    }
    expect(text).toContain('<div>The prompt was closed, or the browser refused: 1</div>');
    // Sign-ins with unknown models are not counted by model.
    expect(text).not.toMatch(/Unknown model[^]{0,200}\d sign-ins/);
    await server.addRelyingParty('acme', { domain: 'empty.example' });
    expect((await admin.get('/adoption?rp=empty.example', html)).text).toContain('Nothing yet.');
    expectRefusal(await admin.get('/adoption?rp=nobody.example'), 'E0044R', 404);
  });

  it('counts refusals by code', async () => {
    const ida = newUser(false, MODEL);
    await ida.register('ida');
    await server.get(RefusalLog).flush();
    const refusedBefore = await refused();
    expectRefusal(await ida.signIn('ida', { rpIdHash: Buffer.alloc(32) }), 'E0030R');
    await server.get(RefusalLog).flush();
    const after = await refused();
    expect(after.total).toBe(refusedBefore.total + 1);
    expect(after.wrongDomain).toBe(refusedBefore.wrongDomain + 1);
  });

  it('keeps its counts when an instance’s clock differs from the database’s', async () => {
    await newUser(false, MODEL).register('zoe');
    await server.get(CeremonyCounts).flush();
    server.clock.advance(500 * DAY_MS);
    const { now } = Date;
    Date.now = () => now() + 61_000;
    await server.get(EventRetention).deleteCeremonyCounts();
    Date.now = now;
    server.clock.advance(-500 * DAY_MS);
    const isKept = (await countOf(server, 'ceremony_counts')) > 0;
    expect(isKept).toBe(on !== 'SQLite');
  });

  it('refuses an unknown relying party (E0025R)', async () => {
    expectRefusal(await admin.get('/userapi/adoption?relyingParty=nobody.example'), 'E0025R', 400);
  });

  async function figures() {
    return (await admin.get('/userapi/adoption')).body as {
      funnel: Record<'registrations' | 'autofill', Funnel>;
      browsers: object[];
      givenUp: object[];
    };
  }

  async function refused() {
    const { body } = await admin.get('/userapi/adoption');
    const { authentications, refusals } = body['ceremonies'] as Ceremonies;
    const found = refusals.find(({ errorCode }) => errorCode === 'E0030R');
    return { total: authentications.refused, wrongDomain: found?.authentications ?? 0 };
  }

  function newUser(backupEligible: boolean, aaguid: string, relyingParty = DOMAIN) {
    return new FidoClient(server.url, {
      relyingParty,
      authenticator: new SoftAuthenticator({
        backupEligible,
        aaguid: aaguidBytes(aaguid),
      }),
    });
  }

  async function place(domain: string) {
    await server.addRelyingParty('acme', { domain });
    return new AdminClient(server.url, domain);
  }

  /** Closes the prompt of a registration in Firefox. */
  async function closePrompt(browser: FidoClient, username: string) {
    browser.headers['user-agent'] = FIREFOX;
    const { body } = await browser.beginRegistration(username);
    const told = { challenge: body['challenge'], error: 'NotAllowedError' };
    const page = { 'user-agent': FIREFOX, origin: browser.origin };
    return () => browser.post('/fidoapi/register/given-up', told, page);
  }
});

function added(to: Funnel, [begun, finished, givenUp, refused]: readonly number[]) {
  return {
    begun: to.begun + (begun ?? 0),
    finished: to.finished + (finished ?? 0),
    givenUp: to.givenUp + (givenUp ?? 0),
    refused: to.refused + (refused ?? 0),
  };
}
