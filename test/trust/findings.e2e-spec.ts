import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Database } from '../../src/database/database.js';
import type { FindingAction } from '../../src/tenancy/policy.js';
import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import { OPERATOR } from '../../src/security/account.js';
import { FindingsJob } from '../../src/trust/findings/findings-job.js';
import { AdminClient } from '../support/admin-client.js';
import { SoftAuthenticator } from '../support/authenticator/soft-authenticator.js';
import { attestationRoot } from '../support/authenticator/statements.js';
import { adminClient } from '../support/client.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { blobEntry, blobRoot, writeBlob } from '../support/metadata/blob-writer.js';
import { pemOf } from '../support/pem.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { rowsOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

/** What the rule is called on pages. */
const STATUS = 'Status in the metadata';
const SHAKY = '5a4c0000-0000-4000-8000-000000000001';
const SOUND = '50d00000-0000-4000-8000-000000000002';

const directory = mkdtempSync(join(tmpdir(), 'servicefido-test-'));
const mdsRoots = join(directory, 'roots.pem');
writeFileSync(mdsRoots, pemOf(blobRoot().certificate));

const root = attestationRoot().certificate.toString('base64');
const entry = (aaguid: string, statuses: readonly object[] = []) =>
  blobEntry(
    aaguid,
    { attestationRootCertificates: [root] },
    { statusReports: [{ status: 'FIDO_CERTIFIED', effectiveDate: '2026-01-01' }, ...statuses] },
  );
const blob = (no: number, ...statuses: readonly object[]) =>
  writeBlob({ no, nextUpdate: '2099-01-01', entries: [entry(SHAKY, statuses), entry(SOUND)] });
const REVOKED = { status: 'REVOKED', effectiveDate: '2026-02-01' };

const bytesOf = (aaguid: string) => Buffer.from(aaguid.replaceAll('-', ''), 'hex');

describe.each(DATABASES)('keys are held against what becomes known later, on %s', (on) => {
  let server: TestServer;
  let blobs = 0;
  beforeAll(async () => {
    server = await TestServer.start({ on, options: { mds: ['upload'], mdsRoots } });
    await take();
  });
  afterAll(() => server.stop());

  /** A new BLOB comes, and the keys are held against it. */
  async function take(...statuses: readonly object[]): Promise<void> {
    const jwt = blob((blobs += 1), ...statuses);
    const type = { 'content-type': 'application/jose' };
    const answer = await adminClient(server.url).post('/userapi/mds', jwt, type);
    expect(answer.status).toBe(200);
    await server.get(FindingsJob).catchUp();
  }
  /** A relying party of its own, whose policy says what is done about findings. */
  async function place(name: string, onFinding: FindingAction) {
    const domain = `${name}.example`;
    await server.addRelyingParty('acme', { domain, policy: { onFinding } });
    const person = async (username: string, aaguid: string) => {
      const authenticator = new SoftAuthenticator({
        attestation: 'packed',
        aaguid: bytesOf(aaguid),
      });
      const at = { relyingParty: domain, origin: `https://${domain}`, authenticator };
      const client = new FidoClient(server.url, at);
      const answer = await client.register(username, { attestation: 'direct' });
      expect(answer).toMatchObject({ status: 200, body: { attestation: { trusted: true } } });
      return { signIn: () => client.signIn(username), username };
    };
    const admin = new AdminClient(server.url, domain);
    const found = async () => (await admin.get('/userapi/findings')).body['findings'];
    const events = async () => {
      const rows = await rowsOf<{ kind: string; username: Buffer }>(
        server,
        `SELECT e.kind, e.username FROM events e JOIN relying_parties r ON r.id = e.relying_party_id
         WHERE r.domain = ? AND e.kind IN ('finding', 'finding-closed', 'enabled', 'disabled')
         ORDER BY e.id`,
        domain,
      );
      return rows.map(({ kind, username }) => `${username.toString('utf8')} ${kind}`);
    };
    /** What the help desk reads at a person's key. */
    const said = async (name: string) => {
      const path = `/userapi/user?${new URLSearchParams({ name, rp: domain }).toString()}`;
      const { text } = await admin.get(path, { accept: 'text/html' });
      const card = /<li class="card key[^]*?<\/dl>/.exec(text)?.[0] ?? '';
      return /breaks a rule now[^]*?<strong>(.*?)<[^]*?<\/p><p>(.*?)</.exec(card)?.slice(1);
    };
    return { domain, admin, person, found, events, said };
  }

  it('a revoked model is a finding, and none any more when the next BLOB clears it', async () => {
    const { admin, person, found, events, said } = await place('report', 'report');
    const [anna, ben] = [await person('anna', SHAKY), await person('ben', SOUND)];
    expect(await found()).toEqual([]);
    await take(REVOKED);
    const finding = { username: 'anna', rule: 'status', errorCode: 'E0038R', action: 'report' };
    expect(await found()).toMatchObject([{ ...finding, aaguid: SHAKY, enabled: true }]);
    for (const { signIn } of [anna, ben]) expect((await signIn()).status).toBe(200);
    expect(await said('anna')).toEqual([STATUS, expect.stringMatching(/^It is only reported: /)]);
    expect(await said('ben')).toBeUndefined();
    const page = await admin.get('/userapi/findings?limit=1');
    expect(page.body).toMatchObject({ relyingParty: 'report.example', next: null });
    await take();
    expect(await found()).toEqual([]);
    expect(await events()).toEqual(['anna finding', 'anna finding-closed']);
  });

  it('disable: the key is off until then, one that a person disabled stays off', async () => {
    const { admin, person, found, events, said } = await place('disable', 'disable');
    const [anna, ben] = [await person('anna', SHAKY), await person('ben', SOUND)];
    const carl = await person('carl', SHAKY);
    await admin.manage({ type: 'disableall', filter: 'carl' });
    await take(REVOKED);
    expect(await found()).toMatchObject([{ enabled: false }, { enabled: false }]);
    expect((await anna.signIn()).status).toBe(403);
    expect((await ben.signIn()).status).toBe(200);
    expect(await said('anna')).toEqual([STATUS, expect.stringMatching(/^The rule has disabled/)]);
    expect(await said('carl')).toEqual([STATUS, expect.stringMatching(/^Somebody has disabled/)]);
    await take();
    expect(await said('anna')).toBeUndefined();
    expect((await anna.signIn()).status).toBe(200);
    expect((await carl.signIn()).status).toBe(403);
    const told = (await events()).sort();
    expect(told).toEqual([
      'anna disabled',
      'anna enabled',
      'anna finding',
      'anna finding-closed',
      'carl disabled',
      'carl finding',
      'carl finding-closed',
    ]);
  });

  it('refuse-next-sign-in: refused with the code of the rule; whom a person lets in comes in', async () => {
    const { admin, person, found, said } = await place('refuse', 'refuse-next-sign-in');
    const [anna, ben] = [await person('anna', SHAKY), await person('ben', SHAKY)];
    await take(REVOKED);
    for (const { signIn } of [anna, ben]) expectRefusal(await signIn(), 'E0038R');
    expect(await said('ben')).toEqual([STATUS, expect.stringContaining('will be refused')]);
    await admin.manage({ type: 'disableall', filter: 'ben' });
    await admin.manage({ type: 'enableall', filter: 'ben' });
    expect((await ben.signIn()).status).toBe(200);
    expect(await said('ben')).toEqual([STATUS, expect.stringMatching(/^Somebody has enabled/)]);
    await server.get(FindingsJob).catchUp();
    expect((await ben.signIn()).status).toBe(200);
    expect(await found()).toMatchObject([{ rule: 'status' }, { rule: 'status' }]);
    await take();
    expect((await anna.signIn()).status).toBe(200);
  });

  it('a policy that changes is held against the keys, and what nobody kept is not judged', async () => {
    const { domain, person, found } = await place('policy', 'report');
    await person('anna', SHAKY);
    await person('ben', SOUND);
    const old = await person('olga', SOUND);
    await server.get(Database).commit([
      {
        sql: `UPDATE credentials SET attestation_asked = NULL, attestation_trusted = 0 WHERE user_id =
          (SELECT id FROM users WHERE username = ?)`,
        params: [Buffer.from(old.username)],
      },
    ]);
    const policy = { block: [SOUND] };
    await server.get(TenancyService).changeRelyingParty(OPERATOR, 'acme', domain, { policy });
    await server.get(FindingsJob).catchUp();
    expect(await found()).toMatchObject([{ username: 'ben', rule: 'block', errorCode: 'E0037R' }]);
  });

  it('goes with its key', async () => {
    const { admin, person, found } = await place('gone', 'report');
    await person('anna', SHAKY);
    await take(REVOKED);
    expect(await found()).toHaveLength(1);
    await admin.manage({ type: 'deluser', filter: 'anna' });
    expect(await found()).toEqual([]);
  });
});
