import { createHash } from 'node:crypto';
import type { Request } from 'express';
import { ApiError } from '../../src/platform/errors/api-error.js';
import { RefusalLog } from '../../src/fido/refusals/refusal-log.js';
import { RelyingPartyCache } from '../../src/tenancy/scope/relying-party-cache.js';
import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import { bearer, issueKey } from '../support/application-keys.js';
import { Client, type Answer } from '../support/client.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient, PATHS } from '../support/fido-client.js';
import { disableCredentials } from '../support/refusals/disable.js';
import { countOf, relyingPartyOf, rowsOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

interface Row {
  kind: string;
  code: string | null;
  detail: string | null;
  user_id: Buffer;
  username: Buffer;
  credential: Buffer;
  request_id: string;
  relying_party_id: Buffer;
}

describe.each(DATABASES)('refused ceremonies on %s', (on) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ on, options: { trustProxy: 1 } });
  });
  afterAll(() => server.stop());

  const refusals = async () => {
    await server.get(RefusalLog).flush();
    const sql = "SELECT * FROM events WHERE kind LIKE '%-refused' ORDER BY id DESC";
    return rowsOf<Row>(server, sql);
  };

  it('a refused ceremony is recorded even if a proxy forwards an invalid address', async () => {
    for (const from of ['192.0.2.7:51234', 'x'.repeat(100), '2001:db8::7']) {
      const client = new FidoClient(server.url);
      client.headers['x-forwarded-for'] = from;
      expect((await client.beginAuthentication('nobody-from-afar')).status).toBe(403);
      // Events of one millisecond have no order by their IDs.
      server.clock.advance(1);
    }
    await server.get(RefusalLog).flush();
    const sql = 'SELECT address FROM events WHERE username = ? ORDER BY id';
    expect(await rowsOf(server, sql, Buffer.from('nobody-from-afar'))).toEqual([
      { address: '192.0.2.7' },
      { address: '127.0.0.1' },
      { address: '2001:db8::7' },
    ]);
  });

  it('the event of a refused ceremony names the code, the reason, the user, the key and the request', async () => {
    const ann = new FidoClient(server.url);
    await ann.register('ann');
    const id = ann.authenticator.credentials[0]?.id ?? Buffer.alloc(0);
    const answer = await ann.signIn('ann', { clientData: { origin: 'https://evil.test' } });
    expect(answer.body.errorCode).toBe('E0029R');
    const [row] = await refusals();
    expect(row).toMatchObject({
      kind: 'authentication-refused',
      code: 'E0029R',
      detail: 'origin-not-allowed https://evil.test',
      username: Buffer.from('ann'),
      credential: createHash('sha256').update(id).digest().subarray(0, 8),
      request_id: answer.body['requestId'],
    });
    const sql = 'SELECT id FROM users WHERE username = ?';
    const [user] = await rowsOf<{ id: Buffer }>(server, sql, Buffer.from('ann'));
    expect(row?.user_id).toEqual(user?.id);
  });

  it('a refusal returns only the received origin; the log adds the allowed ones and a command', async () => {
    const tim = new FidoClient(server.url);
    await tim.register('tim');
    const answer = await tim.signIn('tim', { clientData: { origin: 'https://app.test:8443' } });
    const { requestId, ...body } = answer.body;
    expect(body).toEqual({
      status: 'failed',
      errorCode: 'E0029R',
      errorMessage: 'The origin https://app.test:8443 is not allowed for this relying party.',
      reason: 'origin.notAllowed',
    });
    const allowed = ['http://localhost:*', 'https://localhost:*'];
    const wanted = JSON.stringify({ origins: [...allowed, 'https://app.test:8443'] });
    expect(server.logged.find((line) => line['requestId'] === requestId)).toMatchObject({
      code: 'E0029R',
      origin: 'https://app.test:8443',
      allowed,
      allow: `echo '${wanted}' | ./servicefido relying-party change default localhost -`,
    });
  });

  it.each([
    ["https://a'; rm -rf x #", "https://a';?rm?-rf?x?#"],
    ['https://*.evil.test', 'https://*.evil.test'],
    ['https://ünsere.test', 'https://?nsere.test'],
    [`https://${'long.'.repeat(400)}test`, `https://${'long.'.repeat(400)}`.slice(0, 70) + '...'],
  ])('the log of a refusal has no command for the invalid origin %s', async (origin, shown) => {
    const ute = new FidoClient(server.url);
    await ute.register('ute');
    const answer = await ute.signIn('ute', { clientData: { origin } });
    expect(answer.body).toMatchObject({ reason: 'origin.notAllowed' });
    expect(answer.body.errorMessage).toContain(shown);
    const { requestId } = answer.body;
    const line = server.logged.find((one) => one['requestId'] === requestId);
    expect(line).toMatchObject({ origin: shown });
    expect(line).not.toHaveProperty('allow');
    expect((await refusals())[0]).toMatchObject({
      detail: `origin-not-allowed ${shown}`.slice(0, 100),
    });
  });

  it('the event of a refused sign-in names the requested user if there is no such user', async () => {
    const answer = await new FidoClient(server.url).beginAuthentication('nobody');
    expect(answer.status).toBe(403);
    expect((await refusals())[0]).toMatchObject({
      kind: 'authentication-refused',
      code: null,
      detail: 'unknown-user',
      username: Buffer.from('nobody'),
      user_id: Buffer.alloc(16),
      request_id: answer.body['requestId'],
    });
  });

  it('the event names a user without an enabled key, but the answer is that for an unknown user', async () => {
    const bea = new FidoClient(server.url);
    await bea.register('bea');
    await disableCredentials(server, bea.authenticator);
    const answer = await bea.beginAuthentication('bea');
    expect((await refusals())[0]).toMatchObject({
      code: null,
      detail: 'no-enabled-key',
      username: Buffer.from('bea'),
    });
    const unknown = await bea.beginAuthentication('nobody');
    const told = ({ status, body }: Answer) => ({ status, body: { ...body, requestId: '' } });
    expect(told(answer)).toEqual(told(unknown));
    expect(answer.body.errorMessage).toBe('No key of this user can sign in here.');
    expect(answer.body.reason).toBe('user.noUsableKey');
  });

  it('a refused ceremony is recorded even without a session or a valid body', async () => {
    const client = new FidoClient(server.url);
    for (const path of [PATHS.certify.completeRegistration, PATHS.alias.completeRegistration]) {
      expect((await client.post(path, {})).body.errorCode).toBe('E0024R');
      expect((await refusals())[0]).toMatchObject({
        kind: 'registration-refused',
        code: 'E0024R',
        detail: 'session.cookieMissing',
        username: Buffer.alloc(0),
      });
    }
    await client.post(PATHS.certify.beginRegistration, {});
    expect((await refusals())[0]).toMatchObject({ kind: 'registration-refused', code: 'E0001R' });
  });

  it('a wrong invitation code or a missing token for a list of keys is no refused ceremony', async () => {
    const before = (await refusals()).length;
    const client = new Client(server.url, { 'x-servicefido-relyingparty': 'localhost' });
    const lookUp = await client.post('/fidoapi/invitation', { code: 'mistyped' });
    const keys = await client.get('/fidoapi/keys');
    expect([lookUp.status, keys.status]).toEqual([404, 401]);
    expect(await refusals()).toHaveLength(before);
  });

  it('the event of a refusal shortens a long user name and contains nothing else of the body', async () => {
    const secret = 'secret-in-a-body';
    const body = { username: 'x'.repeat(40_000), secret };
    await new FidoClient(server.url).post(PATHS.certify.beginAuthentication, body);
    const [row] = await refusals();
    expect(row?.username).toEqual(Buffer.from('x'.repeat(255)));
    expect(JSON.stringify(row)).not.toContain(secret);
  });

  it('a refused ceremony is not invoiced', async () => {
    const sql = "events WHERE kind IN ('registration', 'authentication')";
    const before = await countOf(server, sql);
    await new FidoClient(server.url).beginAuthentication('nobody');
    await refusals();
    expect(await countOf(server, sql)).toBe(before);
  });

  it('a refused call to an unknown relying party is recorded at the only one that it can mean', async () => {
    const lost = new FidoClient(server.url, { relyingParty: 'nowhere.test' });
    const refuse = async (headers: Record<string, string> = {}) => {
      const answer = await lost.post(PATHS.certify.beginAuthentication, {}, headers);
      expect(answer.body.errorCode).toBe('E0025R');
      const recorded = (await refusals()).find(
        (row) => row.request_id === answer.body['requestId'],
      );
      const rps = server.get(RelyingPartyCache).current.all;
      return rps.find(({ id }) => recorded?.relying_party_id.equals(id))?.domain;
    };
    expect(await refuse()).toBe('localhost');

    const two = { domain: 'two.example', origins: ['https://two.example'] };
    await server.addRelyingParty('globex', two);
    expect(await refuse()).toBeUndefined();
    expect(await refuse({ origin: 'https://two.example' })).toBe('two.example');
    const { secret } = await issueKey(server.url, { tenant: 'globex', scopes: ['ceremonies'] });
    expect(await refuse({ ...bearer(secret), origin: 'http://localhost' })).toBe('two.example');
    await server.get(TenancyService).removeRelyingParty(server.call, 'globex', two.domain);
  });

  /** Goes to the beginning of the next minute, from which refusals are counted anew. */
  const nextMinute = () => server.clock.advance(60_000 - (server.clock.now() % 60_000));
  const callFrom = (address: string, relyingParty = 'localhost') => {
    const client = new FidoClient(server.url, { relyingParty });
    client.headers['x-forwarded-for'] = address;
    return client;
  };
  /** This number of refusals, which any caller can cause. */
  const flood = async (address: string, times: number) => {
    const caller = callFrom(address);
    for (let n = 0; n < times; n += 64) {
      const some = Array.from({ length: Math.min(64, times - n) });
      await Promise.all(some.map(() => caller.completeAuthentication({})));
    }
  };

  it('at most 2,000 refusals wait to be stored, and the rest is counted', async () => {
    nextMinute();
    const log = server.get(RefusalLog);
    const before = (await refusals()).length;
    const { dropped } = log;
    const relyingParty = relyingPartyOf(server, 'localhost');
    // For each reason as many as a minute records, each from a different address.
    const reasons = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    for (const [n, reason] of reasons.entries()) {
      for (let caller = 0; caller < 300; caller += 1) {
        const ip = `10.${n}.${caller >> 8}.${caller & 255}`;
        const path = PATHS.certify.completeAuthentication;
        const request = { relyingParty, ip, path, headers: {} };
        log.add(request as Request, new ApiError('E0024R', 'session.over', {}, { detail: reason }));
      }
    }
    expect((await refusals()).length - before).toBe(2000);
    expect(log.dropped - dropped).toBe(400);
  });

  it('a flood of refusals is recorded as its first ones and a sample, and the rest is counted', async () => {
    nextMinute();
    const log = server.get(RefusalLog);
    const before = (await refusals()).length;
    const { dropped } = log;
    await flood('192.0.2.1', 640);
    // The first 30, the 32nd, 64th, 128th, 256th and 512th.
    const after = await refusals();
    expect(after.length).toBe(before + 35);
    expect(log.dropped - dropped).toBe(640 - 35);
    const added = after.slice(0, after.length - before);
    const said = added.map(({ detail }) => detail).filter((detail) => detail?.endsWith('alike)'));
    expect(said).toEqual(
      [256, 128, 64, 32, 2].map((alike) => `session.cookieMissing (${alike} alike)`),
    );
    nextMinute();
    await flood('192.0.2.1', 1);
    expect((await refusals()).length).toBe(after.length + 1);
  });

  it('a flood of refusals hides neither a forged signature nor a refusal of another caller', async () => {
    await server.addRelyingParty('other', { domain: 'other.test' });
    nextMinute();
    await flood('192.0.2.1', 640);
    const forger = callFrom('192.0.2.1');
    await forger.register('mallory');
    const forged = await forger.signIn('mallory', {
      signature: (bytes) => bytes.fill(1, bytes.length - 4),
    });
    expect(forged.body.errorCode).toBe('E0032R');
    expect((await refusals())[0]).toMatchObject({ code: 'E0032R', detail: 'signature-invalid' });
    await flood('192.0.2.2', 1);
    expect((await refusals())[0]).toMatchObject({
      code: 'E0024R',
      detail: 'session.cookieMissing',
    });
    await callFrom('192.0.2.1', 'other.test').completeAuthentication({});
    expect((await refusals())[0]).toMatchObject({
      code: 'E0024R',
      detail: 'session.cookieMissing',
    });
    await server.get(TenancyService).removeRelyingParty(server.call, 'other', 'other.test');
  });

  it('refusals from many addresses of one network count as refusals of one caller', async () => {
    nextMinute();
    const before = (await refusals()).length;
    for (let n = 0; n < 64; n += 1) await flood(`2001:db8:1:${n.toString(16)}::1`, 1);
    expect((await refusals()).length).toBe(before + 32);
  });
});

describe('the log of refusals', () => {
  it('waiting refusals are stored before the server stops', async () => {
    const first = await TestServer.start({ on: 'SQLite' });
    await new FidoClient(first.url).beginAuthentication('nobody');
    await first.get(RefusalLog).onModuleDestroy();
    expect(await countOf(first, "events WHERE kind = 'authentication-refused'")).toBe(1);
    await first.stop();
  });
});
