import { CeremonyStore } from '../../src/fido/ceremonies/stores/ceremony-store.js';
import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import { REDIS_URL } from '../support/databases.js';
import { FidoClient, PATHS } from '../support/fido-client.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { TestServer } from '../support/test-server.js';

const STORES = [
  ['memory', 'memory:'],
  ...(REDIS_URL === undefined ? [] : [['Redis', REDIS_URL]]),
] as [string, string][];

const ok = { status: 200, body: { status: 'ok' } };

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

  it('may begin on one family of paths and end on the other (J53, H08)', async () => {
    const begun = await client.beginRegistration('bea');
    const made = client.create(begun);
    expect(await client.post(PATHS.alias.completeRegistration, made)).toMatchObject(ok);
    const asked = await client.post(PATHS.alias.beginAuthentication, { username: 'bea' });
    expect(await client.completeAuthentication(client.assert(asked))).toMatchObject(ok);
  });

  it('work in two tabs in any order (C14, L12)', async () => {
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

  it('may be a registration and an authentication at once', async () => {
    const registering = await client.beginRegistration('cleo');
    const signingIn = await begin();
    expect(await client.completeRegistration(client.create(registering))).toMatchObject(ok);
    expect(await client.completeAuthentication(client.assert(signingIn))).toMatchObject(ok);
  });

  it('are at most eight at once: the oldest is evicted', async () => {
    const begun = [];
    for (let n = 0; n < 9; n += 1) begun.push(await begin());
    const [oldest, ...others] = begun.map((answer) => client.assert(answer));
    for (const body of others) {
      expect(await client.completeAuthentication(body)).toMatchObject(ok);
    }
    expectRefusal(await client.completeAuthentication(oldest), 'E0024R');
  });

  it('accept an assertion once (L16)', async () => {
    const body = client.assert(await begin());
    expect(await client.completeAuthentication(body)).toMatchObject(ok);
    for (let n = 0; n < 20; n += 1) {
      expectRefusal(await client.completeAuthentication(body), 'E0024R');
    }
  });

  it('L17, X10 accept a registration once, even with another key', async () => {
    const begun = await client.beginRegistration('dora');
    const [first, second] = [client.create(begun), client.create(begun)];
    expect(await client.completeRegistration(first)).toMatchObject(ok);
    expectRefusal(await client.completeRegistration(first), 'E0024R');
    expectRefusal(await client.completeRegistration(second), 'E0024R');
  });

  it('E0024R: refuse an assertion sent twice and keep what began in between', async () => {
    const first = client.assert(await begin());
    const second = client.assert(await begin());
    expect(await client.completeAuthentication(first)).toMatchObject(ok);
    for (let n = 0; n < 3; n += 1) {
      expectRefusal(await client.completeAuthentication(first), 'E0024R');
    }
    expect(await client.completeAuthentication(second)).toMatchObject(ok);
    expectRefusal(await client.completeAuthentication(first), 'E0024R');
  });

  it('E0024R: refuse a registration sent twice and keep what began in between', async () => {
    const begun = [await client.beginRegistration('uma'), await client.beginRegistration('ulf')];
    const [first, second] = begun.map((answer) => client.create(answer));
    expect(await client.completeRegistration(first)).toMatchObject(ok);
    expectRefusal(await client.completeRegistration(first), 'E0024R');
    expect(await client.completeRegistration(second)).toMatchObject(ok);
  });

  it('E0024R: refuse the result of an evicted ceremony and remove nothing', async () => {
    const begun = [];
    for (let n = 0; n < 9; n += 1) begun.push(client.assert(await begin()));
    const pushedOut = await client.completeAuthentication(begun[0]);
    expectRefusal(pushedOut, 'E0024R');
    expect(pushedOut.body.reason).toBe('session.used');
    for (const body of begun.slice(1)) {
      expect(await client.completeAuthentication(body)).toMatchObject(ok);
    }
  });

  it('E0024R: refuse the result of an expired ceremony and remove nothing', async () => {
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
    ['as long as ours', 'A'.repeat(43)],
    ['a part of the pending one', undefined],
  ])(
    'E0028R: refuse a challenge that was never issued (%s) and remove nothing',
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

  it('E0028R: refuse a pending challenge of the other kind', async () => {
    const [registering, signingIn] = [await client.beginRegistration('otto'), await begin()];
    const challenge = String(registering.body['challenge']);
    const crossed = client.assert(signingIn, { clientData: { challenge } });
    expectRefusal(await client.completeAuthentication(crossed), 'E0028R');
    expect(await client.completeRegistration(client.create(registering))).toMatchObject(ok);
    // It has been used now, so it was issued.
    expectRefusal(await client.completeAuthentication(crossed), 'E0024R');
    expect(await client.completeAuthentication(client.assert(signingIn))).toMatchObject(ok);
  });

  it('use the newest ceremony of the kind if client data names no challenge', async () => {
    const [older, newer] = [await begin(), await begin()];
    const unnamed = client.assert(newer, { clientData: { challenge: undefined } });
    expectRefusal(await client.completeAuthentication(unnamed), 'E0021R');
    expectRefusal(await client.completeAuthentication(client.assert(newer)), 'E0024R');
    expect(await client.completeAuthentication(client.assert(older))).toMatchObject(ok);
  });

  it('complete ceremonies of an earlier version, whose challenges had no MAC', async () => {
    const answer = await client.beginRegistration('vera', { keypair: { name: 'Old "key"' } });
    const store = server.get(CeremonyStore);
    const session = /servicefido=s%3A([^.]+)\./.exec(client.cookie ?? '')?.[1] ?? '';
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

  it('refuse the challenge of another session (C15)', async () => {
    const other = new FidoClient(server.url, { authenticator: client.authenticator });
    const theirs = await other.beginAuthentication('alice');
    await begin();
    expectRefusal(await client.completeAuthentication(client.assert(theirs)), 'E0028R');
    expect(await other.completeAuthentication(client.assert(theirs))).toMatchObject(ok);
  });

  it('never end a ceremony of the other kind (C16, L13, L14)', async () => {
    const registering = await client.beginRegistration('emil');
    const asserted = client.assert({
      ...registering,
      body: { ...registering.body, allowCredentials: [] },
    });
    expectRefusal(await client.completeAuthentication(asserted), 'E0024R');
    const signingIn = await begin();
    expectRefusal(await client.completeAuthentication(client.create(registering)), 'E0017R');
    expect(await client.completeAuthentication(client.assert(signingIn))).toMatchObject(ok);
    expect(await client.completeRegistration(client.create(registering))).toMatchObject(ok);
  });

  it('never end a ceremony of another relying party (H07, RP16)', async () => {
    const body = client.assert(await begin());
    const path = client.paths.completeAuthentication;
    const elsewhere = { 'x-servicefido-relyingparty': 'acme.example' };
    expectRefusal(await client.post(path, body, elsewhere), 'E0024R');
    expectRefusal(await client.post(path, body), 'E0024R');
  });

  it('never end at a relying party that was deleted (L26)', async () => {
    await server.addRelyingParty('brief', { domain: 'brief.example' });
    const visitor = new FidoClient(server.url, {
      relyingParty: 'brief.example',
      origin: 'https://brief.example',
    });
    const begun = await visitor.beginRegistration('fay');
    await server.get(TenancyService).removeTenant('brief');
    expectRefusal(await visitor.completeRegistration(visitor.create(begun)), 'E0025R');
  });

  it('H13, TM04, X13 end within 60 seconds and not after', async () => {
    const inTime = client.assert(await begin());
    server.clock.advance(55_000);
    expect(await client.completeAuthentication(inTime)).toMatchObject(ok);

    const [registering, signingIn] = [await client.beginRegistration('gil'), await begin()];
    server.clock.advance(60_000);
    const before = await server.snapshot();
    expectRefusal(await client.completeRegistration(client.create(registering)), 'E0024R');
    expectRefusal(await client.completeAuthentication(client.assert(signingIn)), 'E0024R');
    expect(await server.snapshot()).toBe(before);
  });

  it('report that a ceremony was used, and after its lifetime that it has expired', async () => {
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

  it('read a deadline only from challenges that this server issued', async () => {
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

  it('are not prolonged by further calls (H15)', async () => {
    const first = await begin();
    server.clock.advance(40_000);
    const second = await begin();
    server.clock.advance(20_000);
    expectRefusal(await client.completeAuthentication(client.assert(first)), 'E0024R');
    expect(await client.completeAuthentication(client.assert(second))).toMatchObject(ok);
  });

  describe('a modified session cookie', () => {
    const anotherSession = (cookie: string) =>
      cookie.replace(/%3A(.)/, (_, first) => `%3A${first === 'x' ? 'y' : 'x'}`);
    const sign = (cookie: string) => cookie.replace(/\.[^.]*$/, '.');
    it('has a reason of its own, different from a ceremony used twice', async () => {
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
      ['no cookie (H03)', () => undefined],
      ['another name (H03)', (cookie: string) => cookie.replace('servicefido', 'other')],
      ['without a signature (H03)', (cookie: string) => cookie.replace(/\..*$/, '')],
      ['a name of one letter (H03)', () => 'servicefido=x'],
      ['a path (H03)', () => 'servicefido=s%3A..%2F..%2Fetc.AAAA'],
      ['NUL (H03)', () => 'servicefido=s%3A%00.AAAA'],
      ['a malformed escape (H03)', () => 'servicefido=s%zz'],
      ['8 KB (H03)', () => `servicefido=s%3A${'x'.repeat(8000)}.AAAA`],
      ['an empty signature (H04)', sign],
      ['another signature (H04)', (cookie: string) => `${sign(cookie)}${'A'.repeat(43)}`],
      ['a cut signature (H04)', (cookie: string) => cookie.slice(0, -1)],
      ['another session (H04)', anotherSession],
      ['behind one of an attacker (H05)', (cookie: string) => `servicefido=s%3Ax.y; ${cookie}`],
    ])('is refused with E0024R: %s', async (_, spoil) => {
      const body = client.assert(await begin());
      const good = client.cookie;
      client.cookie = spoil(good ?? '');
      expectRefusal(await client.completeAuthentication(body), 'E0024R');
      client.cookie = good;
      expect(await client.completeAuthentication(body)).toMatchObject(ok);
    });
  });
});
