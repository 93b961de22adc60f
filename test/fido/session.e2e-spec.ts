import { CeremonyStore } from '../../src/fido/ceremonies/ceremony-store.js';
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

  it('J53, H08 what begins on one family of paths ends on the other', async () => {
    const begun = await client.beginRegistration('bea');
    const made = client.create(begun);
    expect(await client.post(PATHS.alias.completeRegistration, made)).toMatchObject(ok);
    const asked = await client.post(PATHS.alias.beginAuthentication, { username: 'bea' });
    expect(await client.completeAuthentication(client.assert(asked))).toMatchObject(ok);
  });

  it('C14, L12, §4 two tabs do not disturb each other, whichever ends first', async () => {
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

  it('§4 a registration and an authentication of one session both end', async () => {
    const registering = await client.beginRegistration('cleo');
    const signingIn = await begin();
    expect(await client.completeRegistration(client.create(registering))).toMatchObject(ok);
    expect(await client.completeAuthentication(client.assert(signingIn))).toMatchObject(ok);
  });

  it('§4 at most eight ceremonies wait in a session: the oldest goes', async () => {
    const begun = [];
    for (let n = 0; n < 9; n += 1) begun.push(await begin());
    const [oldest, ...others] = begun.map((answer) => client.assert(answer));
    for (const body of others) {
      expect(await client.completeAuthentication(body)).toMatchObject(ok);
    }
    expectRefusal(await client.completeAuthentication(oldest), 'E0024R');
  });

  it('L16 an assertion is good once', async () => {
    const body = client.assert(await begin());
    expect(await client.completeAuthentication(body)).toMatchObject(ok);
    for (let n = 0; n < 20; n += 1) {
      expectRefusal(await client.completeAuthentication(body), 'E0024R');
    }
  });

  it('L17, X10 a registration is good once, also with another key', async () => {
    const begun = await client.beginRegistration('dora');
    const [first, second] = [client.create(begun), client.create(begun)];
    expect(await client.completeRegistration(first)).toMatchObject(ok);
    expectRefusal(await client.completeRegistration(first), 'E0024R');
    expectRefusal(await client.completeRegistration(second), 'E0024R');
  });

  it('§4 a result that comes twice is E0024R, and what began in between stays pending', async () => {
    const first = client.assert(await begin());
    const second = client.assert(await begin());
    expect(await client.completeAuthentication(first)).toMatchObject(ok);
    for (let n = 0; n < 3; n += 1) {
      expectRefusal(await client.completeAuthentication(first), 'E0024R');
    }
    expect(await client.completeAuthentication(second)).toMatchObject(ok);
    expectRefusal(await client.completeAuthentication(first), 'E0024R');
  });

  it('§4 the same holds for registrations', async () => {
    const begun = [await client.beginRegistration('uma'), await client.beginRegistration('ulf')];
    const [first, second] = begun.map((answer) => client.create(answer));
    expect(await client.completeRegistration(first)).toMatchObject(ok);
    expectRefusal(await client.completeRegistration(first), 'E0024R');
    expect(await client.completeRegistration(second)).toMatchObject(ok);
  });

  it('§4 one that was pushed out is E0024R and takes nothing', async () => {
    const begun = [];
    for (let n = 0; n < 9; n += 1) begun.push(client.assert(await begin()));
    expectRefusal(await client.completeAuthentication(begun[0]), 'E0024R');
    for (const body of begun.slice(1)) {
      expect(await client.completeAuthentication(body)).toMatchObject(ok);
    }
  });

  it('§4 one that is too old is E0024R and takes nothing', async () => {
    const old = client.assert(await begin());
    server.clock.advance(50_000);
    const young = client.assert(await begin());
    server.clock.advance(15_000);
    expectRefusal(await client.completeAuthentication(old), 'E0024R');
    expectRefusal(await client.completeAuthentication(old), 'E0024R');
    expect(await client.completeAuthentication(young)).toMatchObject(ok);
  });

  it.each([
    ['short', 'AAAA'],
    ['as long as ours', 'A'.repeat(43)],
    ['a part of the pending one', undefined],
  ])('§4 a challenge that was never issued (%s) is E0028R and takes nothing', async (_, text) => {
    const answer = await begin();
    const challenge = text ?? String(answer.body['challenge']).slice(0, 20);
    const strange = client.assert(answer, { clientData: { challenge } });
    expectRefusal(await client.completeAuthentication(strange), 'E0028R');
    expectRefusal(await client.completeAuthentication(strange), 'E0028R');
    expect(await client.completeAuthentication(client.assert(answer))).toMatchObject(ok);
    expectRefusal(await client.completeAuthentication(strange), 'E0024R');
  });

  it('§4 a pending challenge of the other kind counts as never issued', async () => {
    const [registering, signingIn] = [await client.beginRegistration('otto'), await begin()];
    const challenge = String(registering.body['challenge']);
    const crossed = client.assert(signingIn, { clientData: { challenge } });
    expectRefusal(await client.completeAuthentication(crossed), 'E0028R');
    expect(await client.completeRegistration(client.create(registering))).toMatchObject(ok);
    // Used now, it was issued.
    expectRefusal(await client.completeAuthentication(crossed), 'E0024R');
    expect(await client.completeAuthentication(client.assert(signingIn))).toMatchObject(ok);
  });

  it('§4 client data that names no challenge takes the newest of its kind', async () => {
    const [older, newer] = [await begin(), await begin()];
    const unnamed = client.assert(newer, { clientData: { challenge: undefined } });
    expectRefusal(await client.completeAuthentication(unnamed), 'E0021R');
    expectRefusal(await client.completeAuthentication(client.assert(newer)), 'E0024R');
    expect(await client.completeAuthentication(client.assert(older))).toMatchObject(ok);
  });

  it('§4 completes what an older version began, whose challenges had no MAC', async () => {
    const answer = await client.beginRegistration('vera', { keypair: { name: 'Old "key"' } });
    const store = server.get(CeremonyStore);
    const session = /servicefido=s%3A([^.]+)\./.exec(client.cookie ?? '')?.[1] ?? '';
    const [entry = ''] = (await store.entriesOf(session)).slice(-1);
    const [json = '', keypair] = entry.slice(entry.indexOf('{')).split('\n');
    const challenge = 'z'.repeat(42) + 'A';
    const pending = { ...(JSON.parse(json) as object), challenge, keypair };
    await store.put(session, `r${challenge}${JSON.stringify(pending)}`);
    const body = client.create({ ...answer, body: { ...answer.body, challenge } });
    expect(await client.completeRegistration(body)).toMatchObject(ok);
    expect(await client.completeRegistration(client.create(answer))).toMatchObject({
      body: { errorCode: 'E0024R' },
    });
  });

  it('C15 the challenge of another session is of no use', async () => {
    const other = new FidoClient(server.url, { authenticator: client.authenticator });
    const theirs = await other.beginAuthentication('alice');
    await begin();
    expectRefusal(await client.completeAuthentication(client.assert(theirs)), 'E0028R');
    expect(await other.completeAuthentication(client.assert(theirs))).toMatchObject(ok);
  });

  it('C16, L13, L14 neither kind of ceremony ends the other', async () => {
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

  it('H07, RP16 a ceremony of one relying party does not end at another', async () => {
    const body = client.assert(await begin());
    const path = client.paths.completeAuthentication;
    const elsewhere = { 'x-servicefido-relyingparty': 'acme.example' };
    expectRefusal(await client.post(path, body, elsewhere), 'E0024R');
    expectRefusal(await client.post(path, body), 'E0024R');
  });

  it('L26 nothing ends at a relying party that was removed', async () => {
    await server.addRelyingParty('brief', { domain: 'brief.example' });
    const visitor = new FidoClient(server.url, {
      relyingParty: 'brief.example',
      origin: 'https://brief.example',
    });
    const begun = await visitor.beginRegistration('fay');
    await server.get(TenancyService).removeTenant('brief');
    expectRefusal(await visitor.completeRegistration(visitor.create(begun)), 'E0025R');
  });

  it('H13, TM04, X13 the ceremony ends within 60 seconds, and not after', async () => {
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

  it('H15 further calls do not prolong a ceremony', async () => {
    const first = await begin();
    server.clock.advance(40_000);
    const second = await begin();
    server.clock.advance(20_000);
    expectRefusal(await client.completeAuthentication(client.assert(first)), 'E0024R');
    expect(await client.completeAuthentication(client.assert(second))).toMatchObject(ok);
  });

  describe('a cookie that is not as it was given', () => {
    const sign = (cookie: string) => cookie.replace(/\.[^.]*$/, '.');
    it.each([
      ['H03 no cookie', () => undefined],
      ['H03 another name', (cookie: string) => cookie.replace('servicefido', 'other')],
      ['H03 without a signature', (cookie: string) => cookie.replace(/\..*$/, '')],
      ['H03 a name of one letter', () => 'servicefido=x'],
      ['H03 a path', () => 'servicefido=s%3A..%2F..%2Fetc.AAAA'],
      ['H03 NUL', () => 'servicefido=s%3A%00.AAAA'],
      ['H03 a malformed escape', () => 'servicefido=s%zz'],
      ['H03 8 KB', () => `servicefido=s%3A${'x'.repeat(8000)}.AAAA`],
      ['H04 an empty signature', sign],
      ['H04 another signature', (cookie: string) => `${sign(cookie)}${'A'.repeat(43)}`],
      ['H04 a cut signature', (cookie: string) => cookie.slice(0, -1)],
      ['H04 another session', (cookie: string) => cookie.replace(/%3A./, '%3A_')],
      ['H05 behind one of an attacker', (cookie: string) => `servicefido=s%3Ax.y; ${cookie}`],
    ])('%s → E0024R', async (_, spoil) => {
      const body = client.assert(await begin());
      const good = client.cookie;
      client.cookie = spoil(good ?? '');
      expectRefusal(await client.completeAuthentication(body), 'E0024R');
      client.cookie = good;
      expect(await client.completeAuthentication(body)).toMatchObject(ok);
    });
  });
});
