import { writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { DataSource, type FindOptionsWhere } from 'typeorm';
import { AuditTrail } from '../../src/audit/audit-trail.js';
import { Database } from '../../src/platform/database/database.js';
import type { FindingAction, RelyingPartyPolicy } from '../../src/tenancy/policy/policy.js';
import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import { EvaluationBasis } from '../../src/trust/findings/evaluation/evaluation-basis.js';
import { EVERY_KEY, FIRST_POSITION } from '../../src/trust/findings/evaluation/evaluation-place.js';
import { StoredKeys } from '../../src/trust/findings/evaluation/stored-keys.js';
import { KeyFindings } from '../../src/trust/findings/key-findings.js';
import { EvaluationProgress } from '../../src/trust/findings/finding.entity.js';
import { FindingStore } from '../../src/trust/findings/finding-store.js';
import { sendForm } from '../support/console-form.js';
import { evaluateKeys } from '../support/key-evaluation.js';
import { AdminClient } from '../support/admin-client.js';
import { SoftAuthenticator } from '../../packages/testing/src/soft-authenticator.js';
import { createAttester, type Attester } from '../../packages/testing/src/attester.js';
import { DATABASES } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { FidoClient } from '../support/fido-client.js';
import { writeBlob } from '../../packages/testing/src/blob-writer.js';
import { fieldsOfForm } from '../support/page-forms.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { lastAuditRow, relyingPartyOf, rowsOf } from '../support/rows.js';
import { removeTenants } from '../support/tenants.js';
import { MDS_ROOTS, modelEntry, uploadBlob } from '../support/metadata.js';
import { testFile } from '../support/test-file.js';
import { BY_HAND, FAST, TestServer } from '../support/test-server.js';
import { aaguidBytes } from '../../src/webauthn/aaguid.js';

/** The name of the rule on pages. */
const STATUS = 'Status in the metadata';
const SHAKY = '5a4c0000-0000-4000-8000-000000000001';
const SOUND = '50d00000-0000-4000-8000-000000000002';

const options = { mds: ['upload'], mdsRoots: MDS_ROOTS };

const REVOKED = { status: 'REVOKED', effectiveDate: '2026-02-01' };

/** The text of HTML, without its tags. */
const textOf = (html: string) => html.replaceAll(/<[^>]*>/g, '').trim();

describe.each(DATABASES)('a finding about a key, on %s', (on) => {
  let server: TestServer;
  /** Another instance; SQLite serves one alone. */
  let other: TestServer | undefined;
  let blobs = 0;
  beforeAll(async () => {
    // Another round, of this instance or the other, could be the one that a test holds up.
    server = await TestServer.start({ on, options, speed: BY_HAND });
  });
  beforeEach(() => take());
  /** The next test evaluates none of these keys. */
  afterEach(() => removeTenants(server));
  afterAll(async () => {
    await other?.stop();
    await server.stop();
  });

  it('a finding about a key begins when its model is revoked and ends when the next BLOB clears the model', async () => {
    const { admin, newUser, found, events, said } = await place('report', 'report');
    const anna = await newUser('anna', SHAKY);
    const ben = await newUser('ben', SOUND);
    expect(await found()).toEqual([]);
    await take(REVOKED);
    const finding = { username: 'anna', rule: 'status', errorCode: 'E0038R', action: 'report' };
    expect(await found()).toMatchObject([{ ...finding, aaguid: SHAKY, enabled: true }]);
    expect(await server.get(KeyFindings).countSome()).toBe(1);
    for (const { signIn } of [anna, ben]) expect((await signIn()).status).toBe(200);
    expect(await said('anna')).toEqual([STATUS, expect.stringMatching(/^It is only reported: /)]);
    expect(await said('ben')).toBeUndefined();
    const page = await admin.get('/userapi/findings?limit=1');
    expect(page.body).toMatchObject({ relyingParty: 'report.example', next: null });
    await take();
    expect(await found()).toEqual([]);
    expect(await events()).toEqual(['anna finding', 'anna finding-closed']);
  });

  it('a finding about a key stays when a later status report is unknown to the server', async () => {
    const { newUser, found, events } = await place('unknown', 'disable');
    const anna = await newUser('anna', SHAKY);
    const later = { status: 'BRAND_NEW_STATUS', effectiveDate: '2026-03-01' };
    await take(later);
    expect((await anna.signIn()).status).toBe(200);
    for (const reports of [
      [REVOKED, later],
      [later, REVOKED],
    ]) {
      await take(...reports);
      expect(await found()).toMatchObject([{ username: 'anna', rule: 'status', enabled: false }]);
      expect((await anna.signIn()).status).toBe(403);
    }
    await take();
    expect(await events()).toEqual([
      'anna finding',
      'anna disabled',
      'anna finding-closed',
      'anna enabled',
    ]);
  });

  it('concerns only keys of the batch whose attestation key is compromised', async () => {
    const { admin, domain, newUser, found } = await place('batch', 'disable');
    const leaked = createAttester(aaguidBytes(SHAKY));
    const sound = createAttester(aaguidBytes(SHAKY));
    const anna = await newUser('anna', SHAKY, leaked);
    const ben = await newUser('ben', SHAKY, sound);
    const otto = await newUser('otto', SHAKY, leaked);
    await server.get(Database).commit([
      {
        sql: `UPDATE credentials SET attestation_asked = NULL WHERE relying_party_id =
          (SELECT id FROM relying_parties WHERE domain = ?) AND user_id IN
          (SELECT id FROM users WHERE username = ?)`,
        params: [domain, Buffer.from('otto')],
      },
      {
        sql: `DELETE FROM attestations WHERE id IN (SELECT id FROM credentials
          WHERE attestation_asked IS NULL)`,
        params: [],
      },
    ]);
    const status = 'ATTESTATION_KEY_COMPROMISE';
    const batchCertificate = leaked.x5c[0]?.toString('base64');
    await take({ status, effectiveDate: '2026-02-01', batchCertificate });
    expect(await found()).toMatchObject([{ username: 'anna', rule: 'status', enabled: false }]);
    expect((await anna.signIn()).status).toBe(403);
    // The certificate of otto's key was not stored, so its batch is unknown.
    for (const { signIn } of [ben, otto]) expect((await signIn()).status).toBe(200);
    await expect(newUser('carl', SHAKY, sound)).resolves.toBeDefined();
    await expect(newUser('dora', SHAKY, leaked)).rejects.toThrow('E0038R');
    expect((await admin.get(`/userapi/aaguid/${SHAKY}`)).body).toMatchObject({ against: null });
    await take({ status, effectiveDate: '2026-02-01' });
    expect(await found()).toMatchObject([{}, {}, {}, {}]);
    await take();
  });

  it('disables its key until the finding ends, except a key that an account disabled', async () => {
    const { admin, newUser, found, events, said, disabling } = await place('disable', 'disable');
    const anna = await newUser('anna', SHAKY);
    const ben = await newUser('ben', SOUND);
    const carl = await newUser('carl', SHAKY);
    await admin.manage({ type: 'disableall', filter: 'carl' });
    await take(REVOKED);
    expect(await found()).toMatchObject([{ enabled: false }, { enabled: false }]);
    expect((await anna.signIn()).status).toBe(403);
    expect((await ben.signIn()).status).toBe(200);
    expect(await said('anna')).toEqual([STATUS, expect.stringMatching(/^The rule has disabled/)]);
    expect(await disabling('anna')).toBeUndefined();
    expect(await said('carl')).toEqual([STATUS, expect.stringMatching(/^The rule .* key too\./)]);
    expect(await disabling('carl')).toMatch(/^admin has disabled the key\./);
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

  it('a finding about a key ends without enabling a key whose sign-ins another finding refuses', async () => {
    const { admin, newUser, found, said } = await place('refuse', 'refuse-next-sign-in');
    const anna = await newUser('anna', SHAKY);
    const ben = await newUser('ben', SHAKY);
    const carl = await newUser('carl', SHAKY);
    await admin.manage({ type: 'disableall', filter: 'carl' });
    await take(REVOKED);
    for (const { signIn } of [anna, ben]) expectRefusal(await signIn(), 'E0038R');
    expect(await said('ben')).toEqual([STATUS, expect.stringContaining('will be refused')]);
    await admin.manage({ type: 'disableall', filter: 'ben' });
    expect((await ben.signIn()).status).toBe(403);
    for (const { username, signIn } of [ben, carl]) {
      const { body } = await admin.manage({ type: 'enableall', filter: username });
      expect(body).toMatchObject({ users: 1, credentials: 1 });
      expectRefusal(await signIn(), 'E0038R');
    }
    await evaluateKeys(server);
    expectRefusal(await ben.signIn(), 'E0038R');
    expect(await found()).toMatchObject([{ rule: 'status' }, { rule: 'status' }, {}]);
    await take();
    for (const { signIn } of [anna, ben, carl]) expect((await signIn()).status).toBe(200);
  });

  it('a finding about a key ends without enabling a key that an account disabled too', async () => {
    const { admin, newUser, events, said, disabling } = await place('besides', 'disable');
    const anna = await newUser('anna', SHAKY);
    await take(REVOKED);
    const change = await admin.manage({ type: 'disableall', filter: 'anna' });
    const affected = [{ username: 'anna', credentialIds: [anna.id()] }];
    expect(change.body).toMatchObject({ users: 1, credentials: 1, affected });
    expect((await lastAuditRow(server, 'user.disable')).detail).toMatchObject({ credentials: 1 });
    expect(await said('anna')).toEqual([STATUS, expect.stringMatching(/^The rule .* key too\./)]);
    expect(await disabling('anna')).toMatch(/^admin has disabled the key\./);
    const again = await admin.manage({ type: 'disableall', filter: 'anna' });
    expect(again.body).toMatchObject({ users: 0, credentials: 0 });
    await take();
    expect((await anna.signIn()).status).toBe(403);
    expect(await said('anna')).toBeUndefined();
    expect(await disabling('anna')).toMatch(/^admin has disabled the key\./);
    expect((await admin.list('anna'))[0]?.credentials).toMatchObject([{ enabled: false }]);
    const device = anna.id();
    await admin.manage({ type: 'enabledevice', filter: 'anna', device });
    expect((await anna.signIn()).status).toBe(200);
    expect(await disabling('anna')).toBeUndefined();
    expect(await events()).toEqual([
      'anna finding',
      'anna disabled',
      'anna finding-closed',
      'anna enabled',
    ]);
  });

  it('a finding about a key ends when an account enables a key that was disabled for both reasons', async () => {
    const { admin, domain, newUser, found, events, said } = await place('accepted', 'disable');
    const anna = await newUser('anna', SHAKY);
    await take(REVOKED);
    await admin.manage({ type: 'disabledevice', filter: 'anna', device: anna.id() });
    expect(await found()).toMatchObject([{ enabled: false, acceptedBy: null }]);
    await admin.manage({ type: 'enableall', filter: 'anna' });
    expect((await anna.signIn()).status).toBe(200);
    expect(await found()).toMatchObject([{ enabled: true, acceptedBy: 'admin' }]);
    expect(await said('anna')).toEqual([STATUS, expect.stringMatching(/^admin has enabled/)]);
    const tenancy = server.get(TenancyService);
    const policy = { onFinding: 'disable', maxCredentials: 9 } as const;
    await tenancy.changeRelyingParty(server.call, 'acme', domain, { policy });
    await evaluateKeys(server);
    expect((await anna.signIn()).status).toBe(200);
    await take();
    await take(REVOKED);
    expect((await anna.signIn()).status).toBe(403);
    expect(await found()).toMatchObject([{ enabled: false, acceptedBy: null }]);
    expect(await events()).toEqual([
      ...['anna finding', 'anna disabled', 'anna enabled', 'anna finding-closed'],
      ...['anna finding', 'anna disabled'],
    ]);
    await take();
  });

  it('keeps an account’s disabling that happens while the finding ends', async () => {
    const { admin, newUser, events, found } = await place('meanwhile', 'disable');
    const anna = await newUser('anna', SHAKY);
    await take(REVOKED);
    const trail = server.get(AuditTrail);
    const commit = trail.commit.bind(trail);
    jest.spyOn(trail, 'commit').mockImplementationOnce(async (...change) => {
      await take();
      expect(await commit(...change)).toBe(false);
      return false;
    });
    const { body } = await admin.manage({ type: 'disableall', filter: 'anna' });
    expect(body).toMatchObject({ users: 1, credentials: 1 });
    expect(await found()).toEqual([]);
    expect((await anna.signIn()).status).toBe(403);
    expect((await events()).slice(2)).toEqual([
      'anna finding-closed',
      'anna enabled',
      'anna disabled',
    ]);
  });

  it('follows the minimum PIN length in the proof, also of a restored key', async () => {
    const { domain, found } = await place('pin', 'disable');
    const registered = async (username: string, minPinLength: number, asked: boolean) => {
      const authenticator = new SoftAuthenticator({ attestation: 'packed', minPinLength });
      const at = { relyingParty: domain, authenticator };
      const client = new FidoClient(server.url, at);
      const more = { attestation: 'direct', extensions: { minPinLength: asked } };
      expect((await client.register(username, more)).status).toBe(200);
      return client;
    };
    await registered('anna', 4, true);
    await registered('ben', 6, true);
    const keys = () => {
      const place = { todo: [], position: FIRST_POSITION };
      return server.get(StoredKeys).slice(relyingPartyOf(server, domain), place, 2);
    };
    // Other rules need no proof.
    expect(await keys()).toMatchObject([{ proof: null }, { proof: null }]);
    await registered('carl', 8, false);
    const anna = { name: 'anna', rp: domain };
    await form('/userapi/user', { action: 'delete-user', ...anna, confirm: 'anna' });
    const policy = { onFinding: 'disable', minPinLength: 6 } as const;
    await server.get(TenancyService).changeRelyingParty(server.call, 'acme', domain, { policy });
    const proof: unknown = expect.any(Buffer);
    expect(await keys()).toMatchObject([{ proof }, { proof }]);
    await evaluateKeys(server);
    const ofCarl = { username: 'carl', rule: 'minPinLength', errorCode: 'E0038R', enabled: false };
    expect(await found()).toMatchObject([ofCarl]);
    const [deletion] = await rowsOf<{ id: Buffer }>(
      server,
      'SELECT id FROM deletions WHERE username = ? ORDER BY id DESC',
      Buffer.from('anna'),
    );
    const id = deletion?.id.toString('base64url') ?? '';
    await form('/userapi/undo', { ...anna, deletion: id });
    expect(await found()).toEqual(
      expect.arrayContaining([
        expect.objectContaining(ofCarl),
        expect.objectContaining({ ...ofCarl, username: 'anna' }),
      ]),
    );
    expect(await found()).toHaveLength(2);
  });

  it('returns with a restored key, even if it was accepted', async () => {
    const { admin, domain, newUser, found, said, disabling } = await place('restored', 'disable');
    const anna = await newUser('anna', SHAKY);
    const ben = await newUser('ben', SHAKY);
    await take(REVOKED);
    await admin.manage({ type: 'disableall', filter: 'anna' });
    await admin.manage({ type: 'enableall', filter: 'ben' });
    const before = await found();
    for (const name of ['anna', 'ben']) {
      await form('/userapi/user', { action: 'delete-user', name, rp: domain, confirm: name });
    }
    expect(await found()).toEqual([]);
    for (const name of ['anna', 'ben']) {
      const [deletion] = await rowsOf<{ id: Buffer }>(
        server,
        'SELECT id FROM deletions WHERE username = ? ORDER BY id DESC',
        Buffer.from(name),
      );
      const id = deletion?.id.toString('base64url') ?? '';
      await form('/userapi/undo', { name, rp: domain, deletion: id });
    }
    const states = ({ username, enabled, acceptedBy }: Record<string, unknown>) => ({
      username,
      enabled,
      acceptedBy,
    });
    const after = (await found()) as Record<string, unknown>[];
    expect(after.map(states)).toEqual((before as Record<string, unknown>[]).map(states));
    expect(await said('anna')).toEqual([STATUS, expect.stringMatching(/^The rule .* key too\./)]);
    expect(await disabling('anna')).toMatch(/^admin has disabled the key\./);
    expect((await ben.signIn()).status).toBe(200);
    await take();
    expect((await anna.signIn()).status).toBe(403);
    await admin.manage({ type: 'enableall', filter: 'anna' });
    expect((await anna.signIn()).status).toBe(200);
  });

  it('keeps its key disabled when a page undoes an account’s disabling', async () => {
    const { domain, newUser, said, disabling, cardOf } = await place('undone', 'disable');
    const anna = await newUser('anna', SHAKY);
    const ben = await newUser('ben', SOUND);
    await take(REVOKED);
    expect(await cardOf('anna')).toMatch(/value="disable-key"[^]*value="enable-key"/);
    const users = ['anna', 'ben'].map((name) => `${domain}/${name}`);
    const fields = { user: users, reason: 'phones lost' };
    const done = await form('/userapi/bulk', { action: 'disable-all', ...fields });
    const lost = /^admin has disabled the key\..* Reason: phones lost$/;
    for (const name of ['anna', 'ben']) expect(await disabling(name)).toMatch(lost);
    expect(await cardOf('anna')).not.toContain('value="disable-key"');
    expect((await ben.signIn()).status).toBe(403);
    const [action] = /value="(undo-[^"]*)"/.exec(done.text)?.slice(1) ?? [];
    const undo = fieldsOfForm(done.text, '/userapi/bulk');
    expect(undo['keys']).toHaveLength(2);
    await form('/userapi/bulk', { ...undo, action: String(action) });
    expect((await ben.signIn()).status).toBe(200);
    expect((await anna.signIn()).status).toBe(403);
    expect(await disabling('anna')).toBeUndefined();
    expect(await said('anna')).toEqual([STATUS, expect.stringMatching(/^The rule .* key: /)]);
    await take();
    expect((await anna.signIn()).status).toBe(200);
  });

  it('follows a change of the policy, and judges no key without stored proof', async () => {
    const { domain, newUser, found } = await place('policy', 'report');
    await newUser('anna', SHAKY);
    await newUser('ben', SOUND);
    const old = await newUser('olga', SOUND);
    await server.get(Database).commit([
      {
        sql: `UPDATE credentials SET attestation_asked = NULL, attestation_trusted = 0 WHERE user_id =
          (SELECT id FROM users WHERE username = ?)`,
        params: [Buffer.from(old.username)],
      },
    ]);
    const policy = { block: [SOUND] };
    await server.get(TenancyService).changeRelyingParty(server.call, 'acme', domain, { policy });
    await evaluateKeys(server);
    expect(await found()).toMatchObject([{ username: 'ben', rule: 'block', errorCode: 'E0037R' }]);
  });

  it('the round of findings lets other work run between two relying parties that need no evaluation', async () => {
    for (let n = 0; n < 5; n += 1) {
      await server.addRelyingParty('many', { domain: `many-${n}.example` });
    }
    await evaluateKeys(server);
    let turns = 0;
    const count = () => {
      turns += 1;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    await evaluateKeys(server);
    clearImmediate(next);
    expect(turns).toBeGreaterThanOrEqual(6);
  });

  it('a finding about a key ends when its key is deleted', async () => {
    const { admin, newUser, found } = await place('gone', 'report');
    await newUser('anna', SHAKY);
    await take(REVOKED);
    expect(await found()).toHaveLength(1);
    await admin.manage({ type: 'deluser', filter: 'anna' });
    expect(await found()).toEqual([]);
  });

  it('keeps a copied key disabled after the finding’s end, until an account enables it', async () => {
    const { admin, domain, newUser, disabling } = await place('copied', 'disable');
    const policy = { onFinding: 'disable', counter: 'disable' } as const;
    await server.get(TenancyService).changeRelyingParty(server.call, 'acme', domain, { policy });
    const anna = await newUser('anna', SHAKY);
    expect((await anna.signIn({ signCount: 5 })).status).toBe(200);
    expect((await anna.signIn({ signCount: 3 })).status).toBe(401);
    await take(REVOKED);
    await take();
    expect((await anna.signIn({ signCount: 6 })).status).toBe(403);
    expect(await disabling('anna')).toMatch(
      /^The key is disabled because its counter did not rise/,
    );
    await admin.manage({ type: 'enableall', filter: 'anna' });
    expect((await anna.signIn({ signCount: 7 })).status).toBe(200);
  });

  it('keeps an account’s disabling at another instance that happens while the finding ends', async () => {
    const { admin, domain, newUser } = await place('race', 'disable');
    const anna = await newUser('anna', SHAKY);
    await take(REVOKED);
    const { database } = server;
    if (on !== 'SQLite') other ??= await TestServer.start({ database, options, speed: BY_HAND });
    const elsewhere = new AdminClient((other ?? server).url, domain);
    const store = server.get(FindingStore);
    const storeSlice = store.storeSlice.bind(store);
    const spy = jest.spyOn(store, 'storeSlice').mockImplementation(async (rp, place, changes) => {
      if (rp.domain === domain && changes.length > 0) {
        spy.mockRestore();
        const { body } = await elsewhere.manage({ type: 'disableall', filter: 'anna' });
        expect(body).toMatchObject({ users: 1, credentials: 1 });
        expect(await storeSlice(rp, place, changes)).toBe(false);
        return false;
      }
      return storeSlice(rp, place, changes);
    });
    await take();
    await evaluateKeys(server);
    expect((await admin.get('/userapi/findings')).body['findings']).toEqual([]);
    expect((await anna.signIn()).status).toBe(403);
  });

  it('a finding about a key is stored once if two instances find it at once', async () => {
    const { domain, newUser, found } = await place('twice', 'report');
    await newUser('anna', SHAKY);
    const { database } = server;
    if (on !== 'SQLite') other ??= await TestServer.start({ database, options, speed: BY_HAND });
    const elsewhere = (other ?? server).get(FindingStore);
    const storeElsewhere = elsewhere.storeSlice.bind(elsewhere);
    const store = server.get(FindingStore);
    const storeSlice = store.storeSlice.bind(store);
    const outcomes: boolean[] = [];
    const spy = jest.spyOn(store, 'storeSlice').mockImplementation(async (rp, place, changes) => {
      if (rp.domain !== domain || changes.length === 0) return storeSlice(rp, place, changes);
      spy.mockRestore();
      const both = [storeSlice(rp, place, changes), storeElsewhere(rp, place, changes)] as const;
      outcomes.push(...(await Promise.all(both)));
      return false;
    });
    await take(REVOKED);
    await evaluateKeys(server);
    expect(outcomes.toSorted()).toEqual([false, true]);
    expect(await found()).toHaveLength(1);
  });

  it('a finding about a key begins one evaluation if two instances begin at once', async () => {
    const domain = 'begun.example';
    await server.addRelyingParty('acme', { domain });
    const { database } = server;
    if (on !== 'SQLite') other ??= await TestServer.start({ database, options, speed: BY_HAND });
    const elsewhere = other ?? server;
    await evaluateKeys(server);
    const rp = relyingPartyOf(server, domain);
    const known = server.get(EvaluationBasis).of(rp);
    if (!known) throw new Error('The metadata is not loaded.');
    const changed = Buffer.alloc(32, 1);
    const basis = { ...known, digest: changed, all: changed };
    const rows = server.get(DataSource).getRepository(EvaluationProgress);
    const outcomes: unknown[] = [];
    const overtaken = rows.extend({
      async findOneBy(where: FindOptionsWhere<EvaluationProgress>) {
        const row = await rows.findOneBy(where);
        outcomes.push(await elsewhere.get(FindingStore).begin(rp, basis));
        return row;
      },
    });
    const keys = server.get(StoredKeys);
    const store = new FindingStore(server.get(Database), overtaken, keys, server.clock);
    outcomes.push(await store.begin(rp, basis));
    expect(outcomes).toEqual([{ todo: [EVERY_KEY], position: FIRST_POSITION }, 'taken']);
  });

  /** Loads a new BLOB, and evaluates the keys. */
  async function take(...statuses: readonly object[]): Promise<void> {
    const jwt = blob((blobs += 1), ...statuses);
    await uploadBlob(server, jwt);
    await evaluateKeys(server);
  }

  function form(path: string, fields: Readonly<Record<string, string | readonly string[]>>) {
    return sendForm(server, path, fields, { headers: { accept: 'text/html' } });
  }

  /** A new relying party with a policy for findings. */
  async function place(name: string, onFinding: FindingAction) {
    const domain = `${name}.example`;
    await server.addRelyingParty('acme', { domain, policy: { onFinding } });
    const newUser = async (username: string, aaguid: string, attester?: Attester) => {
      const authenticator = new SoftAuthenticator({
        attestation: 'packed',
        aaguid: aaguidBytes(aaguid),
        ...(attester && { attester }),
      });
      const at = { relyingParty: domain, authenticator };
      const client = new FidoClient(server.url, at);
      const answer = await client.register(username, { attestation: 'direct' });
      expect(answer).toMatchObject({ status: 200, body: { attestation: { trusted: true } } });
      const id = () => String(authenticator.credentials[0]?.id.toString('base64url'));
      return { signIn: (tweaks = {}) => client.signIn(username, tweaks), username, id };
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
    const cardOf = async (name: string) => {
      const path = `/userapi/user?${new URLSearchParams({ name, rp: domain }).toString()}`;
      const { text } = await admin.get(path, { accept: 'text/html' });
      return /<li class="card key[^]*?<\/li>/.exec(text)?.[0] ?? '';
    };
    /** The help desk's text about a user's key. */
    const said = async (name: string) => {
      const card = await cardOf(name);
      const [, rule, means = ''] =
        /now breaks a rule[^]*?<strong>(.*?)<[^]*?<\/p><p>(.*?)<\/p>/.exec(card) ?? [];
      return rule === undefined ? undefined : [rule, textOf(means)];
    };
    /** Who disabled a user's key, in the words of its card. */
    const disabling = async (name: string) => {
      const notice = /class="notice">([^]*?)<\/div>/.exec(await cardOf(name))?.[1];
      return notice === undefined ? undefined : textOf(notice);
    };
    return { domain, admin, newUser, found, events, said, disabling, cardOf };
  }
});

describe('an evaluation of keys', () => {
  it('an evaluation of keys begins for a changed metadata file even during continuous policy changes', async () => {
    const path = testFile(blob(20));
    const options = { mds: [path], mdsRoots: MDS_ROOTS };
    const server = await TestServer.start({ options, speed: FAST });
    const domain = 'restless.example';
    await server.addRelyingParty('acme', { domain, policy: { onFinding: 'report' } });
    const authenticator = new SoftAuthenticator({
      attestation: 'packed',
      aaguid: aaguidBytes(SHAKY),
    });
    const at = { relyingParty: domain, authenticator };
    const answer = await new FidoClient(server.url, at).register('anna', { attestation: 'direct' });
    expect(answer.status).toBe(200);
    await evaluateKeys(server);
    const admin = new AdminClient(server.url, domain);
    writeFileSync(path, blob(21, REVOKED));
    let n = 0;
    await eventually(async () => {
      n += 1;
      const policy: RelyingPartyPolicy = { onFinding: 'report', maxCredentials: 2 + (n % 60) };
      await server.get(TenancyService).changeRelyingParty(server.call, 'acme', domain, { policy });
      await pause(server.clock.timer(250));
      const { body } = await admin.get('/userapi/findings');
      expect(body['findings']).toMatchObject([{ username: 'anna', rule: 'status' }]);
    });
    await server.stop();
  });
});

function entry(aaguid: string, statuses: readonly object[] = []) {
  return modelEntry(
    aaguid,
    {},
    { statusReports: [{ status: 'FIDO_CERTIFIED', effectiveDate: '2026-01-01' }, ...statuses] },
  );
}

function blob(no: number, ...statuses: readonly object[]) {
  return writeBlob({
    no,
    nextUpdate: '2099-01-01',
    entries: [entry(SHAKY, statuses), entry(SOUND)],
  });
}
