import { Ceremonies } from '../../src/fido/ceremonies/ceremonies.js';
import { CeremonyStore } from '../../src/fido/ceremonies/stores/ceremony-store.js';
import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import { REDIS_URL } from '../support/databases.js';
import { FidoClient, PATHS } from '../support/fido-client.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { relyingPartyOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

const STORES = [
  ['memory', 'memory:'],
  ...(REDIS_URL === undefined ? [] : [['Redis', REDIS_URL]]),
] as [string, string][];

const ok = { status: 200, body: { status: 'ok' } };

const sessionIdOf = ({ cookie }: FidoClient): string =>
  /servicefido=s%3A([^.]+)\./.exec(cookie ?? '')?.[1] ?? '';

describe.each(STORES)('sessions and their ceremonies, kept in %s', (_, sessions) => {
  let server: TestServer;
  let client: FidoClient;
  beforeAll(async () => {
    server = await TestServer.start({ options: { sessions } });
    await server.addRelyingParty('acme', { domain: 'acme.example' });
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    client = new FidoClient(server.url);
    expect(await client.register('alice')).toMatchObject(ok);
  });

  const begin = () => client.beginAuthentication('alice');

  it('a ceremony can begin on one family of paths and complete on the other', async () => {
    const begun = await client.beginRegistration('bea');
    const made = client.create(begun);
    expect(await client.post(PATHS.alias.completeRegistration, made)).toMatchObject(ok);
    const asked = await client.post(PATHS.alias.beginAuthentication, { username: 'bea' });
    expect(await client.completeAuthentication(client.assert(asked))).toMatchObject(ok);
  });

  it('a session can complete the ceremonies of two tabs in any order', async () => {
    for (const order of [
      [0, 1],
      [1, 0],
    ]) {
      const tabs = [await begin(), await begin()];
      for (const tab of order) {
        const body = client.assert(tabs[tab] ?? (await begin()));
        expect(await client.completeAuthentication(body)).toMatchObject(ok);
      }
    }
  });

  it.each(['before', 'after'])(
    'a ceremony completes with a stale cookie of the same name %s its own',
    async (place) => {
      const begun = await begin();
      const own = client.cookie ?? '';
      // Signed by another server, signed by this one for another session, and unsigned.
      const other = new FidoClient(server.url);
      await other.beginAuthentication('alice');
      const stale = ['servicefido=s%3Aold.c2lnbmF0dXJl', other.cookie, 'servicefido=x'];
      const all = place === 'before' ? [...stale, own] : [own, ...stale];
      client.cookie = all.join('; ');
      expect(await client.completeAuthentication(client.assert(begun))).toMatchObject(ok);
      // A begin call and its result agree on one of them, too.
      expect(await client.completeAuthentication(client.assert(await begin()))).toMatchObject(ok);
      client.cookie = all.slice(0, 1).join();
    },
  );

  it('a ceremony of none of several sessions is refused as with one cookie (E0028R)', async () => {
    const begun = await begin();
    const one = new FidoClient(server.url);
    const two = new FidoClient(server.url);
    await one.beginAuthentication('alice');
    await two.beginAuthentication('alice');
    client.cookie = `${one.cookie}; ${two.cookie}`;
    expectRefusal(await client.completeAuthentication(client.assert(begun)), 'E0028R');
  });

  it('a session can have a pending registration and a pending sign-in at once', async () => {
    const registering = await client.beginRegistration('cleo');
    const signingIn = await begin();
    expect(await client.completeRegistration(client.create(registering))).toMatchObject(ok);
    expect(await client.completeAuthentication(client.assert(signingIn))).toMatchObject(ok);
  });

  it('a session has at most eight pending ceremonies, and a ninth evicts the oldest (E0024R)', async () => {
    const begun = [];
    for (let n = 0; n < 9; n += 1) begun.push(await begin());
    const [oldest, ...others] = begun.map((answer) => client.assert(answer));
    for (const body of others) {
      expect(await client.completeAuthentication(body)).toMatchObject(ok);
    }
    expectRefusal(await client.completeAuthentication(oldest), 'E0024R');
  });

  it('a sign-in accepts an assertion only once (E0024R)', async () => {
    const body = client.assert(await begin());
    expect(await client.completeAuthentication(body)).toMatchObject(ok);
    for (let n = 0; n < 20; n += 1) {
      expectRefusal(await client.completeAuthentication(body), 'E0024R');
    }
  });

  it('a registration completes only once, even with another key (E0024R)', async () => {
    const begun = await client.beginRegistration('dora');
    const first = client.create(begun);
    const second = client.create(begun);
    expect(await client.completeRegistration(first)).toMatchObject(ok);
    expectRefusal(await client.completeRegistration(first), 'E0024R');
    expectRefusal(await client.completeRegistration(second), 'E0024R');
  });

  it('refuses an assertion sent twice and keeps the ceremony that began in between (E0024R)', async () => {
    const first = client.assert(await begin());
    const second = client.assert(await begin());
    expect(await client.completeAuthentication(first)).toMatchObject(ok);
    for (let n = 0; n < 3; n += 1) {
      expectRefusal(await client.completeAuthentication(first), 'E0024R');
    }
    expect(await client.completeAuthentication(second)).toMatchObject(ok);
    expectRefusal(await client.completeAuthentication(first), 'E0024R');
  });

  it('refuses a registration sent twice and keeps the one that began in between (E0024R)', async () => {
    const begun = [await client.beginRegistration('uma'), await client.beginRegistration('ulf')];
    const [first, second] = begun.map((answer) => client.create(answer));
    expect(await client.completeRegistration(first)).toMatchObject(ok);
    expectRefusal(await client.completeRegistration(first), 'E0024R');
    expect(await client.completeRegistration(second)).toMatchObject(ok);
  });

  it('refuses the result of an evicted ceremony and removes no other ceremony (E0024R)', async () => {
    const begun = [];
    for (let n = 0; n < 9; n += 1) begun.push(client.assert(await begin()));
    const pushedOut = await client.completeAuthentication(begun[0]);
    expectRefusal(pushedOut, 'E0024R');
    expect(pushedOut.body.reason).toBe('session.used');
    for (const body of begun.slice(1)) {
      expect(await client.completeAuthentication(body)).toMatchObject(ok);
    }
  });

  it('refuses the result of an expired ceremony and removes no other ceremony (E0024R)', async () => {
    const old = client.assert(await begin());
    server.clock.advance(50_000);
    const young = client.assert(await begin());
    server.clock.advance(15_000);
    const late = await client.completeAuthentication(old);
    expectRefusal(late, 'E0024R');
    expect(late.body.reason).toBe('session.expired');
    const again = await client.completeAuthentication(old);
    expectRefusal(again, 'E0024R');
    expect(again.body.reason).toBe('session.expired');
    expect(await client.completeAuthentication(young)).toMatchObject(ok);
  });

  it.each([
    ['short', 'AAAA'],
    ['as long as a genuine one', 'A'.repeat(43)],
    ['a part of the pending one', undefined],
  ])(
    'refuses a challenge that was never issued (%s) and removes no ceremony (E0028R)',
    async (_, text) => {
      const answer = await begin();
      const challenge = text ?? String(answer.body['challenge']).slice(0, 20);
      const strange = client.assert(answer, { clientData: { challenge } });
      expectRefusal(await client.completeAuthentication(strange), 'E0028R');
      expectRefusal(await client.completeAuthentication(strange), 'E0028R');
      expect(await client.completeAuthentication(client.assert(answer))).toMatchObject(ok);
      expectRefusal(await client.completeAuthentication(strange), 'E0024R');
    },
  );

  it('refuses the pending challenge of the other kind of ceremony (E0028R)', async () => {
    const registering = await client.beginRegistration('otto');
    const signingIn = await begin();
    const challenge = String(registering.body['challenge']);
    const crossed = client.assert(signingIn, { clientData: { challenge } });
    expectRefusal(await client.completeAuthentication(crossed), 'E0028R');
    expect(await client.completeRegistration(client.create(registering))).toMatchObject(ok);
    // It has been used now, so it was issued.
    expectRefusal(await client.completeAuthentication(crossed), 'E0024R');
    expect(await client.completeAuthentication(client.assert(signingIn))).toMatchObject(ok);
  });

  it('uses up the newest ceremony of the kind if client data names no challenge (E0021R)', async () => {
    const older = await begin();
    const newer = await begin();
    const unnamed = client.assert(newer, { clientData: { challenge: undefined } });
    expectRefusal(await client.completeAuthentication(unnamed), 'E0021R');
    expectRefusal(await client.completeAuthentication(client.assert(newer)), 'E0024R');
    expect(await client.completeAuthentication(client.assert(older))).toMatchObject(ok);
  });

  it('completes a ceremony of an earlier version, whose challenge had no MAC', async () => {
    const answer = await client.beginRegistration('vera', { keypair: { name: 'Old "key"' } });
    const store = server.get(CeremonyStore);
    const session = sessionIdOf(client);
    const [entry = ''] = (await store.entriesOf(session)).slice(-1);
    const [json = '', keypair] = entry.slice(entry.indexOf('{')).split('\n');
    const challenge = 'z'.repeat(42) + 'A';
    const pending = { ...(JSON.parse(json) as object), challenge, keypair };
    await store.put(
      { id: session, callers: ['127.0.0.1'] },
      `r${challenge}${JSON.stringify(pending)}`,
    );
    const body = client.create({ ...answer, body: { ...answer.body, challenge } });
    expect(await client.completeRegistration(body)).toMatchObject(ok);
    expect(await client.completeRegistration(client.create(answer))).toMatchObject({
      body: { errorCode: 'E0024R' },
    });
  });

  it('refuses the challenge of another session (E0028R, E0024R if none is pending)', async () => {
    const other = new FidoClient(server.url, { authenticator: client.authenticator });
    const theirs = await other.beginAuthentication('alice');
    await begin();
    expectRefusal(await client.completeAuthentication(client.assert(theirs)), 'E0028R');
    const third = new FidoClient(server.url, { authenticator: client.authenticator });
    const own = third.assert(await third.beginAuthentication('alice'));
    expect(await third.completeAuthentication(own)).toMatchObject(ok);
    const strange = await third.completeAuthentication(client.assert(theirs));
    expectRefusal(strange, 'E0024R');
    expect(strange.body.reason).toBe('session.notIssued');
    expect(await other.completeAuthentication(client.assert(theirs))).toMatchObject(ok);
  });

  it('gives no ceremony back that a call with a challenge encoded twice did not take', async () => {
    const ceremonies = server.get(Ceremonies);
    const { body } = await client.beginRegistration('vera');
    const id = sessionIdOf(client);
    const entries = () => server.get(CeremonyStore).entriesOf(id);
    const twice = Buffer.from(String(body['challenge'])).toString('base64url');
    const rp = relyingPartyOf(server, 'localhost');
    const before = await entries();
    const pending = await ceremonies.take(rp, 'registration', id, twice);
    await ceremonies.giveBack({ id, callers: ['127.0.0.1'] }, pending);
    expect(await entries()).toEqual(before);
  });

  it('refuses to complete a ceremony of the other kind (E0024R, E0017R)', async () => {
    const registering = await client.beginRegistration('emil');
    const asserted = client.assert({
      ...registering,
      body: { ...registering.body, allowCredentials: [] },
    });
    const crossed = await client.completeAuthentication(asserted);
    expectRefusal(crossed, 'E0024R');
    expect(crossed.body.reason).toBe('session.otherKind');
    const signingIn = await begin();
    expectRefusal(await client.completeAuthentication(client.create(registering)), 'E0017R');
    expect(await client.completeAuthentication(client.assert(signingIn))).toMatchObject(ok);
    expect(await client.completeRegistration(client.create(registering))).toMatchObject(ok);
  });

  it('refuses to complete a ceremony of another relying party (E0024R)', async () => {
    const body = client.assert(await begin());
    const path = client.paths.completeAuthentication;
    const elsewhere = { 'x-servicefido-relyingparty': 'acme.example' };
    const there = await client.post(path, body, elsewhere);
    expectRefusal(there, 'E0024R');
    expect(there.body.reason).toBe('session.otherRelyingParty');
    expectRefusal(await client.post(path, body), 'E0024R');
  });

  it('refuses to complete a ceremony of a deleted relying party (E0025R)', async () => {
    await server.addRelyingParty('brief', { domain: 'brief.example' });
    const visitor = new FidoClient(server.url, {
      relyingParty: 'brief.example',
    });
    const begun = await visitor.beginRegistration('fay');
    await server.get(TenancyService).removeTenant(server.call, 'brief');
    expectRefusal(await visitor.completeRegistration(visitor.create(begun)), 'E0025R');
  });

  it('a ceremony can complete within 60 seconds and the tolerance for clocks, and not after (E0024R)', async () => {
    server.clock.standAt(Date.now());
    const inTime = client.assert(await begin());
    server.clock.advance(55_000);
    expect(await client.completeAuthentication(inTime)).toMatchObject(ok);

    const registering = await client.beginRegistration('gil');
    const signingIn = await begin();
    server.clock.advance(60_000 + server.get(CeremonyStore).toleranceMs);
    const before = await server.snapshot();
    expectRefusal(await client.completeRegistration(client.create(registering)), 'E0024R');
    expectRefusal(await client.completeAuthentication(client.assert(signingIn)), 'E0024R');
    expect(await server.snapshot()).toBe(before);
    server.clock.goOn();
  });

  it('a refusal says that a ceremony was used, and after its lifetime that it has expired (E0024R)', async () => {
    const used = client.assert(await begin());
    expect(await client.completeAuthentication(used)).toMatchObject(ok);
    const twice = await client.completeAuthentication(used);
    expectRefusal(twice, 'E0024R');
    expect(twice.body).toMatchObject({ reason: 'session.used', status: false });
    const unused = client.assert(await begin());
    server.clock.advance(120_000);
    // The store has forgotten both by now.
    await begin();
    for (const body of [used, unused]) {
      const late = await client.completeAuthentication(body);
      expectRefusal(late, 'E0024R');
      expect(late.body.reason).toBe('session.expired');
    }
  });

  it('refuses a challenge with a forged deadline as one that was never issued (E0028R)', async () => {
    const answer = await begin();
    await begin();
    const body = client.assert(answer);
    expect(await client.completeAuthentication(body)).toMatchObject(ok);
    const bytes = Buffer.from(String(answer.body['challenge']), 'base64url');
    bytes.writeUInt32BE(1, 16);
    const challenge = bytes.toString('base64url');
    const forged = client.assert(answer, { clientData: { challenge } });
    expectRefusal(await client.completeAuthentication(forged), 'E0028R');
  });

  it('further calls of a session do not prolong a ceremony (E0024R)', async () => {
    const first = await begin();
    server.clock.advance(40_000);
    const second = await begin();
    server.clock.advance(20_000 + server.get(CeremonyStore).toleranceMs);
    expectRefusal(await client.completeAuthentication(client.assert(first)), 'E0024R');
    expect(await client.completeAuthentication(client.assert(second))).toMatchObject(ok);
  });

  describe('a modified session cookie', () => {
    const anotherSession = (cookie: string) =>
      cookie.replace(/%3A(.)/, (_, first) => `%3A${first === 'x' ? 'y' : 'x'}`);
    const sign = (cookie: string) => cookie.replace(/\.[^.]*$/, '.');
    it('a missing session cookie and a used ceremony have different reasons (E0024R)', async () => {
      const body = client.assert(await begin());
      const good = client.cookie;
      client.cookie = undefined;
      const lost = await client.completeAuthentication(body);
      client.cookie = good;
      expect(await client.completeAuthentication(body)).toMatchObject(ok);
      const again = await client.completeAuthentication(body);
      expect([lost.body.reason, again.body.reason]).toEqual([
        'session.cookieMissing',
        'session.used',
      ]);
    });

    it.each([
      ['no session cookie', () => undefined],
      ['a cookie of another name', (cookie: string) => cookie.replace('servicefido', 'other')],
      ['a session cookie without a signature', (cookie: string) => cookie.replace(/\..*$/, '')],
      ['a session of one letter', () => 'servicefido=x'],
      ['a path as session', () => 'servicefido=s%3A..%2F..%2Fetc.AAAA'],
      ['NUL as session', () => 'servicefido=s%3A%00.AAAA'],
      ['a malformed escape in the session cookie', () => 'servicefido=s%zz'],
      ['a session cookie of 8 KB', () => `servicefido=s%3A${'x'.repeat(8000)}.AAAA`],
      ['an empty signature of the session cookie', sign],
      [
        'another signature of the session cookie',
        (cookie: string) => `${sign(cookie)}${'A'.repeat(43)}`,
      ],
      ['a truncated signature of the session cookie', (cookie: string) => cookie.slice(0, -1)],
      ['the cookie of another session', anotherSession],
    ])('refuses a result call with %s and keeps the ceremony (E0024R)', async (_, spoil) => {
      const body = client.assert(await begin());
      const good = client.cookie;
      client.cookie = spoil(good ?? '');
      expectRefusal(await client.completeAuthentication(body), 'E0024R');
      client.cookie = good;
      expect(await client.completeAuthentication(body)).toMatchObject(ok);
    });
  });
});
