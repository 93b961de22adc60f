import { Database } from '../../src/platform/database/database.js';
import type { SqlValue } from '../../src/platform/database/commit/unit.js';
import { credentialHashOf } from '../../src/users/credentials/credential-reader.js';
import { ReadyCredentials } from '../../src/fido/authentication/ready-credentials.js';
import { FindingsJob } from '../../src/trust/findings/findings-job.js';
import { AdminClient } from '../support/admin-client.js';
import { type CborInput, encodeCbor } from '../../packages/testing/src/cbor-writer.js';
import { ALG } from '../../packages/testing/src/key-pair.js';
import { SoftAuthenticator } from '../../packages/testing/src/soft-authenticator.js';
import type { Attestation } from '../../packages/testing/src/statements.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { countOf, relyingPartyOf, rowsOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

describe.each(DATABASES)('stored public keys on %s', (on) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ on });
    // It evaluates keys some seconds after the start, and would end the finding that a test stores itself.
    await server.get(FindingsJob).onModuleDestroy();
  });
  afterAll(() => server.stop());

  it('two users with one public key under two credential IDs remain separate (E0033R)', async () => {
    const anna = new FidoClient(server.url);
    const ben = new FidoClient(server.url);
    expect((await anna.register('anna')).status).toBe(200);
    const begun = await ben.beginRegistration('ben');
    const { keyPair } = anna.authenticator.credentials[0] ?? {};
    if (keyPair === undefined) throw new Error('There is no credential.');
    const copy = new SoftAuthenticator({ keyPair });
    const bodyOfBen = new FidoClient(server.url, { authenticator: copy }).create(begun);
    expect((await ben.completeRegistration(bodyOfBen)).status).toBe(200);
    expect(await anna.signIn('anna')).toMatchObject({ status: 200, body: { username: 'anna' } });
    const asBen = await anna.beginAuthentication('ben');
    expectRefusal(
      await anna.completeAuthentication(
        anna.assert({ ...asBen, body: { ...asBen.body, allowCredentials: [] } }),
      ),
      'E0033R',
    );
  });

  it('an altered public key signs no user in and does not affect other keys (E0039R)', async () => {
    const carl = new FidoClient(server.url);
    const dora = new FidoClient(server.url);
    expect((await carl.register('carl')).status).toBe(200);
    expect((await dora.register('dora')).status).toBe(200);
    const id = carl.authenticator.credentials[0]?.id ?? Buffer.of();
    const sql = 'UPDATE credentials SET public_key = ? WHERE credential_id = ?';
    const params = [Buffer.from('garbage'), id];
    await server.get(Database).commit([{ sql, params, mustChange: true }]);
    expectRefusal(await carl.signIn('carl'), 'E0039R');
    expect((await dora.signIn('dora')).status).toBe(200);
  });

  it('a key that a finding refuses signs in again when the finding ends (E0038R)', async () => {
    const emil = new FidoClient(server.url);
    const frida = new FidoClient(server.url);
    for (const [client, name] of [
      [emil, 'emil'],
      [frida, 'frida'],
    ] as const) {
      expect((await client.register(name)).status).toBe(200);
      expect((await client.signIn(name)).status).toBe(200);
    }
    const id = emil.authenticator.credentials[0]?.id ?? Buffer.of();
    const mark = (code: string | null) =>
      server.get(Database).commit([
        {
          sql: 'UPDATE credentials SET refused_with = ? WHERE credential_id = ?',
          params: [code, id],
          mustChange: true,
        },
      ]);
    await mark('E0038R');
    expectRefusal(await emil.signIn('emil'), 'E0038R');
    expect((await frida.signIn('frida')).status).toBe(200);
    // Any other reason to refuse the sign-in comes first.
    const begun = await emil.beginAuthentication('emil');
    expectRefusal(
      await emil.completeAuthentication(emil.assert(begun, { signCount: 1 })),
      'E0035R',
    );
    await mark(null);
    expect((await emil.signIn('emil')).status).toBe(200);
  });
});

describe.each(DATABASES)('the stored proof of a registration, on %s', (on) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ on });
  });
  afterAll(() => server.stop());

  const kept = (client: FidoClient) =>
    rowsOf<{ evidence: string; asked: number; flags: number; rk: number | null }>(
      server,
      `SELECT a.evidence, c.attestation_asked AS asked, c.registration_flags AS flags,
         c.resident_key AS rk
       FROM credentials c LEFT JOIN attestations a ON a.id = c.id WHERE c.credential_id = ?`,
      client.authenticator.credentials[0]?.id ?? Buffer.of(),
    );
  const holding = (attestation: Attestation) =>
    new FidoClient(server.url, { authenticator: new SoftAuthenticator({ attestation }) });

  it('the proof of a registration is stored with the key, shown on its page and deleted with it', async () => {
    const gina = holding('packed');
    expect((await gina.register('gina', { attestation: 'direct' })).status).toBe(200);
    const [row] = await kept(gina);
    expect(JSON.parse(row?.evidence ?? '{}')).toEqual({
      format: 'packed',
      type: 'basic',
      trustPath: [0],
    });
    expect(row).toMatchObject({ asked: 1, flags: 0x45 });
    const admin = new AdminClient(server.url);
    const page = await admin.get('/userapi/user?name=gina&rp=localhost', { accept: 'text/html' });
    expect(page.text).toContain('packed, root ServiceFido Test Root');
    await admin.manage({ type: 'deluser', filter: 'gina' });
    expect(await kept(gina)).toEqual([]);
    expect(await countOf(server, 'attestations')).toBe(0);
  });

  it('a registration without an attestation stores no attestation', async () => {
    const hans = holding('none');
    expect((await hans.register('hans')).status).toBe(200);
    expect(await kept(hans)).toMatchObject([{ evidence: null, asked: 0, flags: 0x45 }]);
    expect(await countOf(server, 'attestations')).toBe(0);
  });
});

describe('the cache of recent credentials', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  /** An RSA key of 8,192 bits, the largest that may be: 1,024 bytes and an exponent. */
  const publicKey = encodeCbor(
    new Map<number, CborInput>([
      [1, 3],
      [3, ALG.RS256],
      [-1, Buffer.alloc(1024, 0xff)],
      [-2, Buffer.of(1, 0, 1)],
    ]),
  );
  const COUNT = 7000;

  /** Copies the one credential that there is `COUNT` times, each with an ID of its own. */
  async function copyCredential(): Promise<string[]> {
    const [row] = await rowsOf<Record<string, SqlValue>>(server, 'SELECT * FROM credentials');
    const ids = Array.from({ length: COUNT }, (_, n) => Buffer.from(`copy ${n}`));
    const steps = ids.map((credential_id) => {
      const credential_hash = credentialHashOf(credential_id);
      const id = credential_hash.subarray(0, 16);
      const copy = { ...row, id, credential_id, credential_hash, public_key: publicKey };
      const names = Object.keys(copy);
      const marks = names.map(() => '?').join(', ');
      const sql = `INSERT INTO credentials (${names.join(', ')}) VALUES (${marks})`;
      return { sql, params: Object.values(copy) };
    });
    await server.get(Database).commit(steps);
    return ids.map((id) => id.toString('base64url'));
  }

  it('the cache of recent credentials uses at most 40 MiB, however large the keys are', async () => {
    await new FidoClient(server.url).register('emil');
    const ids = await copyCredential();
    const rp = relyingPartyOf(server, 'localhost');
    const ready = server.get(ReadyCredentials);
    for (const id of ids) await ready.read(rp, id);
    const recalled = ids.filter((id) => ready.recall(rp, id) !== undefined);
    // Some 6 KB each, including the parsed key.
    expect(recalled.length).toBeGreaterThan(6000);
    expect(recalled.length * 6 * 1024).toBeLessThanOrEqual(40 * 1024 * 1024);
    expect(recalled).toEqual(ids.slice(-recalled.length));
  });
});
