import { Redis } from 'ioredis';
import { holdAtBarrier } from '../support/barrier.js';
import { REDIS_URL } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { TestServer } from '../support/test-server.js';

const ok = { status: 200, body: { status: 'ok' } };

describe('the permissions of a session', () => {
  let server: TestServer;
  let client: FidoClient;
  beforeAll(async () => {
    server = await TestServer.start({ options: { registration: 'first-only' } });
  });
  afterAll(() => server.stop());
  beforeEach(() => {
    client = new FidoClient(server.url);
  });

  it('the cookie of a signed-in user gives no rights of that user (E0024R, E0043R)', async () => {
    const attacker = new FidoClient(server.url);
    await attacker.beginRegistration('mallory');
    client.cookie = attacker.cookie;
    expect(await client.register('victim')).toMatchObject(ok);
    const body = client.assert(await client.beginAuthentication('victim'));
    expect(await client.completeAuthentication(body)).toMatchObject(ok);
    expect(client.cookie).toBe(attacker.cookie);

    expectRefusal(await attacker.completeAuthentication(body), 'E0024R');
    expectRefusal(await attacker.beginRegistration('victim'), 'E0043R');
    expect(await attacker.get('/userapi/manageusers')).toMatchObject({ status: 401 });
  });

  it('an attacker’s key cannot complete a ceremony of the victim in a planted session (E0033R)', async () => {
    const attacker = new FidoClient(server.url);
    expect(await attacker.register('eve')).toMatchObject(ok);
    expect(await client.register('planted')).toMatchObject(ok);
    client.cookie = attacker.cookie;
    const begun = await client.beginAuthentication('planted');
    const body = attacker.assert({ ...begun, body: { ...begun.body, allowCredentials: [] } });
    expectRefusal(await attacker.completeAuthentication(body), 'E0033R');
  });

  it('finds the session cookie among 500 others, and refuses more than 16 KB of cookies (431)', async () => {
    const body = client.create(await client.beginRegistration('crumbs'));
    const given = client.cookie;
    const crumbs = (count: number) => Array.from({ length: count }, (_, n) => `c${n}=x`).join('; ');
    client.cookie = crumbs(500);
    expectRefusal(await client.completeRegistration(body), 'E0024R');
    client.cookie = crumbs(3000);
    expect((await client.completeRegistration(body)).status).toBe(431);
    client.cookie = `${crumbs(500)}; ${given}`;
    expect(await client.completeRegistration(body)).toMatchObject(ok);
  });

  it('a slow call of a session does not restore a ceremony that was completed meanwhile (E0024R)', async () => {
    expect(await client.register('slow')).toMatchObject(ok);
    const body = client.assert(await client.beginAuthentication('slow'));
    const shots = ['/fidoapi/test', client.paths.beginRegistration].map((path) => ({
      url: server.url + path,
      body: { username: 'quick', displayName: 'quick' },
      headers: { ...client.headers, cookie: `${client.cookie}` },
    }));
    const release = await holdAtBarrier(shots);
    expect(await client.completeAuthentication(body)).toMatchObject(ok);
    expect((await release()).map(({ status }) => status)).toEqual([405, 200]);
    expectRefusal(await client.completeAuthentication(body), 'E0024R');
  });

  it('a result call uses only the members of its own kind of ceremony', async () => {
    const signer = new FidoClient(server.url);
    expect(await signer.register('signer')).toMatchObject(ok);
    const { body } = await client.beginRegistration('both');
    const asserted = signer.assert({
      ...(await signer.beginAuthentication('signer')),
      body: { ...body, allowCredentials: [] },
    });
    expectRefusal(await client.completeRegistration(asserted), 'E0007R');

    const created = client.create(await client.beginRegistration('both'));
    const response = { ...asserted.response, ...created.response };
    expect(await client.completeRegistration({ ...created, response })).toMatchObject(ok);
    const signed = client.assert(await client.beginAuthentication('both'));
    const mixed = { ...created.response, ...signed.response };
    expect(await client.completeAuthentication({ ...signed, response: mixed })).toMatchObject(ok);
  });
});

if (REDIS_URL !== undefined)
  describe('a damaged ceremony in Redis', () => {
    let server: TestServer;
    let redis: Redis;
    beforeAll(async () => {
      server = await TestServer.start({ options: { sessions: `${REDIS_URL}` } });
      redis = new Redis(`${REDIS_URL}`);
    });
    afterAll(async () => {
      await server.stop();
      await redis.quit();
    });

    it.each([
      ['invalid JSON', (entry: string) => entry.replace('{', '{{')],
      ['a truncated text', (entry: string) => entry.slice(0, -10)],
      ['another relying party', (entry: string) => entry.replace(/"rp":"[^"]*"/, '"rp":"AAAA"')],
      ['another kind', (entry: string) => entry.replace('"authentication"', '"registration"')],
      ['no challenge', (entry: string) => entry.replace('"challenge"', '"other"')],
      ['no expiry', (entry: string) => entry.replace('"expiresAt"', '"other"')],
      [
        'an expiry as text',
        (entry: string) => entry.replace(/"expiresAt":\d+/, '"expiresAt":"never"'),
      ],
    ])('a stored ceremony with %s cannot complete', async (title, spoil) => {
      const client = new FidoClient(server.url);
      expect(await client.register(title)).toMatchObject(ok);
      const body = client.assert(await client.beginAuthentication(title));
      const [, session = ''] = /s%3A([\w-]+)\./.exec(`${client.cookie}`) ?? [];
      const [key = ''] = await redis.keys(`servicefido:ceremonies:*:${session}`);
      await redis.lset(key, 0, spoil(`${await redis.lindex(key, 0)}`));
      const answer = await client.completeAuthentication(body);
      expect([401, 408]).toContain(answer.status);
      expect(answer.body).not.toHaveProperty('token');
      expect(await client.signIn(title)).toMatchObject(ok);
    });
  });
