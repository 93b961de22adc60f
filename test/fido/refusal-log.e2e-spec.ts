import { createHash } from 'node:crypto';
import { MAX_A_MINUTE, RefusalLog } from '../../src/fido/refusal-log.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient, PATHS } from '../support/fido-client.js';
import { countOf, rowsOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

interface Row {
  kind: string;
  code: string | null;
  detail: string | null;
  user_id: Buffer;
  username: Buffer;
  credential: Buffer;
  request_id: string;
}

describe.each(DATABASES)('refused ceremonies on %s', (on) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ on });
  });
  afterAll(() => server.stop());

  const refusals = async () => {
    await server.get(RefusalLog).flush();
    const sql = "SELECT * FROM events WHERE kind LIKE '%-refused' ORDER BY id DESC";
    return rowsOf<Row>(server, sql);
  };

  it('name the code, the failure, the user, the credential and the request', async () => {
    const ann = new FidoClient(server.url);
    await ann.register('ann');
    const id = ann.authenticator.credentials[0]?.id ?? Buffer.alloc(0);
    const answer = await ann.signIn('ann', { clientData: { origin: 'https://evil.test' } });
    expect(answer.body.errorCode).toBe('E0029R');
    const [row] = await refusals();
    expect(row).toMatchObject({
      kind: 'authentication-refused',
      code: 'E0029R',
      detail: 'origin-not-allowed',
      username: Buffer.from('ann'),
      credential: createHash('sha256').update(id).digest().subarray(0, 8),
      request_id: answer.body['requestId'],
    });
    const [user] = await rowsOf<{ id: Buffer }>(server, 'SELECT id FROM users');
    expect(row?.user_id).toEqual(user?.id);
  });

  it('name the user who was claimed, where there is no such user', async () => {
    const answer = await new FidoClient(server.url).beginAuthentication('nobody');
    expect(answer.status).toBe(403);
    expect((await refusals())[0]).toMatchObject({
      kind: 'authentication-refused',
      code: null,
      username: Buffer.from('nobody'),
      user_id: Buffer.alloc(16),
      request_id: answer.body['requestId'],
    });
  });

  it('are recorded without session and without a body that fits, too', async () => {
    const client = new FidoClient(server.url);
    for (const path of [PATHS.certify.completeRegistration, PATHS.alias.completeRegistration]) {
      expect((await client.post(path, {})).body.errorCode).toBe('E0024R');
      expect((await refusals())[0]).toMatchObject({
        kind: 'registration-refused',
        code: 'E0024R',
        username: Buffer.alloc(0),
      });
    }
    await client.post(PATHS.certify.beginRegistration, {});
    expect((await refusals())[0]).toMatchObject({ kind: 'registration-refused', code: 'E0001R' });
  });

  it('cut a name of any length, and keep nothing else that was sent', async () => {
    const secret = 'secret-in-a-body';
    const body = { username: 'x'.repeat(40_000), secret };
    await new FidoClient(server.url).post(PATHS.certify.beginAuthentication, body);
    const [row] = await refusals();
    expect(row?.username).toEqual(Buffer.from('x'.repeat(255)));
    expect(JSON.stringify(row)).not.toContain(secret);
  });

  it('change no invoice and no figure', async () => {
    const sql = "events WHERE kind IN ('registration', 'authentication')";
    const before = await countOf(server, sql);
    await new FidoClient(server.url).beginAuthentication('nobody');
    await refusals();
    expect(await countOf(server, sql)).toBe(before);
  });

  it('are not recorded of a relying party that does not exist', async () => {
    const before = await refusals();
    const lost = new FidoClient(server.url, { relyingParty: 'nowhere.test' });
    expect((await lost.beginAuthentication('ann')).body.errorCode).toBe('E0025R');
    expect(await refusals()).toHaveLength(before.length);
  });

  it('of a flood: some each minute are recorded, the rest is counted, and others are recorded', async () => {
    await server.addRelyingParty('other', { domain: 'other.test' });
    const log = server.get(RefusalLog);
    server.clock.advance(60_000 - (server.clock.now() % 60_000));
    const before = (await refusals()).length;
    const flood = new FidoClient(server.url);
    const extra = 50;
    for (let n = 0; n < MAX_A_MINUTE + extra; n += 50) {
      await Promise.all(Array.from({ length: 50 }, () => flood.beginAuthentication('nobody')));
    }
    expect(log.dropped).toBe(extra);
    const other = new FidoClient(server.url, { relyingParty: 'other.test' });
    await other.beginAuthentication('neighbour');
    const after = await refusals();
    expect(after).toHaveLength(before + MAX_A_MINUTE + 1);
    server.clock.advance(60_000);
    await flood.beginAuthentication('nobody');
    expect(await refusals()).toHaveLength(after.length + 1);
  });
});

describe('the log of refusals', () => {
  it('stores what waits before a server that is stopped goes', async () => {
    const first = await TestServer.start({ on: 'SQLite' });
    await new FidoClient(first.url).beginAuthentication('nobody');
    await first.get(RefusalLog).onModuleDestroy();
    expect(await countOf(first, "events WHERE kind = 'authentication-refused'")).toBe(1);
    await first.stop();
  });
});
