import { jest } from '@jest/globals';
import { DataSource } from 'typeorm';
import { aaguidBytes } from '../../src/webauthn/aaguid.js';
import { Batch } from '../../src/batches/batch.entity.js';
import { BatchRunner } from '../../src/batches/batch-runner.js';
import { Batches } from '../../src/batches/batches.js';
import { InvitationFile, invitationCsv } from '../../src/invitations/invitation-file.js';
import { OPERATOR_ACCOUNT } from '../../src/platform/access/accounts/account.js';
import { RelyingPartyCache } from '../../src/tenancy/scope/relying-party-cache.js';
import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import { FindingsJob } from '../../src/trust/findings/findings-job.js';
import { DisableModelJob } from '../../src/trust/models/disable-model-job.js';
import { CacheVersion } from '../../src/platform/database/cache-version.js';
import { insertStep } from '../../src/platform/database/commit/step-of.js';
import { Database } from '../../src/platform/database/database.js';
import { newId } from '../../src/platform/database/row-ids.js';
import { scope } from '../../src/platform/database/scope.js';
import { CredentialReader } from '../../src/users/credentials/credential-reader.js';
import { SignInWriter } from '../../src/users/credentials/sign-in-writer.js';
import { sendForm } from '../support/console-form.js';
import { accountsFile, clientOf } from '../support/accounts.js';
import { AdminClient } from '../support/admin-client.js';
import { batchCall } from '../support/batch-call.js';
import { adminClient } from '../support/client.js';
import { DATABASES } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { createServerDatabase } from '../support/server-database.js';
import { settle } from '../support/settled-users.js';
import { countOf, relyingPartyOf, rowsOf } from '../support/rows.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { removeTenants } from '../support/tenants.js';
import { TestServer } from '../support/test-server.js';
import { occasionIn } from '../support/page-forms.js';

const LOST = '5a4c0000-0000-4000-8000-00000000000a';
const OTHER = '5a4c0000-0000-4000-8000-00000000000b';
/** A row for each invited user. */
const ISSUED = "audit WHERE action = 'invitation.issue'";
const MODEL = `/userapi/aaguid/${LOST}`;
const HELP_DESK = { name: 'helpdesk', role: 'helpdesk' } as const;

interface Job {
  readonly id: string;
  readonly state: string;
  readonly disabledKeys: number;
  readonly disabledUsers: number;
  readonly enabledKeys: number;
  readonly relyingParties: readonly { readonly relyingParty: string }[];
}
const jobOf = ({ body }: { body: Readonly<Record<string, unknown>> }) => body['job'] as Job;

describe.each(DATABASES)('a lost model on %s', (on) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ on, options: { accounts: accountsFile() } });
    // The tests do the rounds: on a slow machine the server's own would end a job before it is stopped.
    await server.get(BatchRunner).onModuleDestroy();
    // It evaluates the keys of a new relying party after some seconds, and would end a finding that a test stores itself.
    await server.get(FindingsJob).onModuleDestroy();
  });
  afterEach(() => removeTenants(server));
  afterAll(() => server.stop());

  it('shows the number of its users, and of its users without another key', async () => {
    const { admin } = await place('counted.example', 'counted', 3, 2);
    const { body } = await admin.get(MODEL);
    expect(body).toMatchObject({
      aaguid: LOST,
      keys: 5,
      open: 5,
      users: 5,
      alone: 3,
      withoutKey: 0,
      complete: true,
      blockedAt: [],
      jobs: [],
      against: null,
    });
    const page = await admin.get(MODEL, { accept: 'text/html' });
    expect(page.text).toContain('3 users will have no key left.');
    expect(page.text).toContain('All users of this model have a key that can sign in.');
  });

  it('a lost model has only its own keys disabled and enabled again, with an event and an audit row for each user', async () => {
    const { admin, rp } = await place('job.example', 'job', 260, 3);
    const started = jobOf(await admin.post(`${MODEL}/jobs`, { reason: 'lost in the mail' }));
    expect(started).toMatchObject({ state: 'disabling', total: 263, disabledKeys: 0 });
    expectRefusal(await admin.post(`${MODEL}/jobs`, {}), 'E0045R', 400);
    await Promise.all([work(), work()]);
    const path = `${MODEL}/jobs/${started.id}`;
    const ended = jobOf(await admin.get(path));
    expect(ended).toMatchObject({ state: 'disabled', disabledKeys: 263, disabledUsers: 263 });
    expect(await enabledAt(rp.id)).toBe(3);
    expect(await eventsAt(rp.id, 'disabled')).toBe(263);
    const audited = (action: string) =>
      countOf(
        server,
        `audit WHERE action = ? AND relying_party = ?`,
        action,
        Buffer.from(rp.domain),
      );
    expect(await audited('credential.disable')).toBe(263);
    const [row] = await rowsOf<{ detail: string }>(
      server,
      `SELECT detail FROM audit WHERE action = 'credential.disable' AND relying_party = ?`,
      Buffer.from(rp.domain),
    );
    const detail = { credentials: 1, model: LOST, job: started.id, reason: 'lost in the mail' };
    expect(JSON.parse(row?.detail ?? '')).toEqual(detail);
    // One user finds the key, which is then disabled again for another reason; another key is enabled for good.
    await admin.manage({ type: 'enableall', filter: 'alone-0' });
    await admin.manage({ type: 'disableall', filter: 'alone-0' });
    await admin.manage({ type: 'enableall', filter: 'alone-1' });
    expect((await admin.post(`${path}/undo`, {})).status).toBe(200);
    await work();
    const undone = jobOf(await admin.get(path));
    expect(undone).toMatchObject({ state: 'undone', enabledKeys: 261, disabledKeys: 263 });
    expect(await enabledAt(rp.id)).toBe(265);
    expect(await audited('credential.enable')).toBe(261);
    const [left] = (await admin.list('alone-0')).map(({ credentials }) => credentials);
    expect(left).toMatchObject([{ enabled: false }]);
    await admin.post(`${path}/undo`, {});
    await work();
    expect(jobOf(await admin.get(path))).toEqual(undone);
  });

  it('leaves a key disabled after the undo that a finding disables too', async () => {
    const { admin, rp } = await place('finding.example', 'finding', 2, 0);
    await rowsOf(
      server,
      `UPDATE credentials SET enabled = 0, disabled_by_rule = 'status'
       WHERE relying_party_id = ? AND user_id =
         (SELECT id FROM users WHERE relying_party_id = ? AND username = ?)`,
      ...[rp.id, rp.id, Buffer.from('alone-0')],
    );
    const { id } = jobOf(await admin.post(`${MODEL}/jobs`, {}));
    await work();
    expect(jobOf(await admin.get(`${MODEL}/jobs/${id}`))).toMatchObject({ disabledKeys: 2 });
    expect(await eventsAt(rp.id, 'disabled')).toBe(1);
    await admin.post(`${MODEL}/jobs/${id}/undo`, {});
    await work();
    expect(await enabledAt(rp.id)).toBe(1);
    expect(await eventsAt(rp.id, 'enabled')).toBe(1);
  });

  it('leaves a key disabled after the undo that an account disabled during the job', async () => {
    const { admin, rp } = await place('stolen.example', 'stolen', 2, 0);
    const { id } = jobOf(await admin.post(`${MODEL}/jobs`, {}));
    await work();
    const disable = async () =>
      (await admin.manage({ type: 'disableall', filter: 'alone-0' })).body['credentials'];
    expect([await disable(), await disable()]).toEqual([1, 0]);
    await admin.post(`${MODEL}/jobs/${id}/undo`, {});
    await work();
    expect(await enabledAt(rp.id)).toBe(1);
    const [stolen] = (await admin.list('alone-0')).map(({ credentials }) => credentials);
    expect(stolen).toMatchObject([{ enabled: false }]);
    expect(await eventsAt(rp.id, 'disabled')).toBe(2);
  });

  it('leaves a key disabled after the undo until a disabling of several users is undone too', async () => {
    const { admin, rp } = await place('twice.example', 'twice', 2, 0);
    const { id } = jobOf(await admin.post(`${MODEL}/jobs`, {}));
    await work();
    const bulk = (fields: Record<string, string>) => {
      const user = `${rp.domain}/alone-0`;
      return sendForm(server, '/userapi/bulk', { user, ...fields }, HELP_DESK);
    };
    const { text } = await bulk({ action: 'disable-all' });
    expect(text).toContain('1 user changed.');
    await admin.post(`${MODEL}/jobs/${id}/undo`, {});
    await work();
    expect(await enabledAt(rp.id)).toBe(1);
    expect(await eventsAt(rp.id, 'disabled')).toBe(2);
    const occasion = occasionIn(text);
    await bulk({ action: 'undo-disable-all', occasion });
    expect(await enabledAt(rp.id)).toBe(2);
    expect(await eventsAt(rp.id, 'enabled')).toBe(2);
  });

  it('leaves a key disabled after the undo whose counter did not rise during the job', async () => {
    const { admin, rp } = await place('cloned.example', 'cloned', 2, 0);
    const [key] = await rowsOf<{ hash: Buffer }>(
      server,
      'SELECT credential_hash AS hash FROM credentials WHERE relying_party_id = ?',
      rp.id,
    );
    const known = await server.get(CredentialReader).findByHash(rp, key?.hash ?? aaguidBytes(LOST));
    if (!known) throw new Error('The key is missing.');
    const { id } = jobOf(await admin.post(`${MODEL}/jobs`, {}));
    await work();
    await server.get(SignInWriter).recordCloneAlarm(rp, known, { disable: true, overlaps: false });
    await admin.post(`${MODEL}/jobs/${id}/undo`, {});
    await work();
    expect(await enabledAt(rp.id)).toBe(1);
    const now = await server.get(CredentialReader).findByHash(rp, known.credentialHash);
    expect(now?.enabled).toBe(false);
  });

  it('a lost model has its keys disabled at a relying party that another instance has just added', async () => {
    const relyingParties = server.get(RelyingPartyCache);
    const before = { snapshot: relyingParties.current, version: undefined };
    const { admin, rp } = await place('newest.example', 'newest', 1, 0);
    await admin.post(`${MODEL}/jobs`, {});
    Object.assign(relyingParties, before);
    await work();
    expect(await enabledAt(rp.id)).toBe(0);
  });

  it('a lost model has a job that stops and continues', async () => {
    const { admin, rp } = await place('stopped.example', 'stopped', 4, 0);
    const { id } = jobOf(await admin.post(`${MODEL}/jobs`, {}));
    const path = `${MODEL}/jobs/${id}`;
    expect(jobOf(await admin.send(path, { method: 'DELETE' })).state).toBe('stopped');
    await work();
    expect(await enabledAt(rp.id)).toBe(4);
    expect(jobOf(await admin.post(`${path}/resume`, {})).state).toBe('disabling');
    await work();
    expect(await enabledAt(rp.id)).toBe(0);
  });

  it('a lost model leaves no audit row of a job that is stopped after its end', async () => {
    const { admin } = await place('late.example', 'late', 2, 0);
    const { id } = jobOf(await admin.post(`${MODEL}/jobs`, {}));
    await work();
    const stops = () => countOf(server, "audit WHERE action = 'model.disable.stop'");
    const before = await stops();
    const stopped = await admin.send(`${MODEL}/jobs/${id}`, { method: 'DELETE' });
    expect(jobOf(stopped).state).toBe('disabled');
    expect(await stops()).toBe(before);
  });

  it('a lost model has a job completed and undone that an instance of 1.0 has started', async () => {
    const { admin, rp } = await place('older.example', 'older', 3, 0);
    const id = newId();
    const caller = { account: 'admin', role: 'admin', address: '', requestId: 'r' };
    await rowsOf(
      server,
      `INSERT INTO model_jobs (id, relying_party_id, tenant_id, aaguid, state, caller, position,
         total, looked, disabled_keys, disabled_users, enabled_keys, enabled_users)
       VALUES (?, ?, ?, ?, 'disabling', ?, ?, 3, 0, 0, 0, 0, 0)`,
      ...[id, rp.id, rp.tenantId, aaguidBytes(LOST), JSON.stringify(caller), Buffer.alloc(0)],
    );
    const path = `${MODEL}/jobs/${id.toString('base64url')}`;
    await work();
    expect(jobOf(await admin.get(path))).toMatchObject({ state: 'disabled', disabledKeys: 3 });
    await admin.post(`${path}/undo`, {});
    await work();
    expect(jobOf(await admin.get(path))).toMatchObject({ state: 'undone', enabledKeys: 3 });
    expect(await enabledAt(rp.id)).toBe(3);
  });

  it('a lost model has every old key disabled of a user who registers a further one during the job', async () => {
    // More users than a job changes at a time.
    const { admin, rp } = await place('further.example', 'further', 201, 0);
    const keys = await rowsOf<{ id: Buffer; user_id: Buffer }>(
      server,
      'SELECT id, user_id FROM credentials WHERE relying_party_id = ? ORDER BY credential_hash',
      rp.id,
    );
    const first = keys.at(0);
    const last = keys.at(-1);
    await admin.post(`${MODEL}/jobs`, {});
    await server.get(BatchRunner).catchUp(async () => {
      const disabled = 'credentials WHERE relying_party_id = ? AND enabled = 0';
      if ((await countOf(server, disabled, rp.id)) === 200) {
        const further = 'UPDATE credentials SET user_id = ? WHERE id = ?';
        await rowsOf(server, further, last?.user_id ?? null, first?.id ?? null);
      }
      return true;
    });
    expect(await enabledAt(rp.id)).toBe(0);
  });

  it('delays no other tenant’s job, not even one that begins later', async () => {
    const { admin: large, rp: many } = await place('large.example', 'large', 601, 0);
    const { admin: small, rp: few } = await place('small.example', 'small', 1, 0);
    await large.post(`${MODEL}/jobs`, {});
    let calls = 0;
    await server.get(BatchRunner).catchUp(async () => {
      calls += 1;
      if (calls === 3) await small.post(`${MODEL}/jobs`, {});
      return calls <= 5;
    });
    expect([await enabledAt(many.id), await enabledAt(few.id)]).toEqual([1, 0]);
    await work();
    expect(await enabledAt(many.id)).toBe(0);
  });

  it('a lost model has its job continued when it is resumed, even if another tenant’s job is in progress', async () => {
    const { admin: other } = await place('long.example', 'long', 601, 0);
    const { admin, rp } = await place('resumed.example', 'resumed', 1, 0);
    await other.post(`${MODEL}/jobs`, {});
    const { id } = jobOf(await admin.post(`${MODEL}/jobs`, {}));
    const path = `${MODEL}/jobs/${id}`;
    const job = server.get(DisableModelJob);
    const find = job.find.bind(job);
    let isStopped = false;
    let isResumed = false;
    const spy = jest.spyOn(job, 'find').mockImplementation(async (batch) => {
      const page = await find(batch);
      const isOther = !batch.relyingPartyId.equals(rp.id);
      if (isStopped && !isResumed && isOther) {
        isResumed = true;
        await admin.post(`${path}/resume`, {});
      }
      if (!isStopped && !isOther) {
        isStopped = true;
        await admin.send(path, { method: 'DELETE' });
      }
      return page;
    });
    await server.get(BatchRunner).catchUp();
    spy.mockRestore();
    expect(jobOf(await admin.get(path))).toMatchObject({ state: 'disabled', disabledKeys: 1 });
    expect(await enabledAt(rp.id)).toBe(0);
  });

  it('a lost model gets no job if it is unused or unknown', async () => {
    await server.addRelyingParty('none', { domain: 'none.example' });
    const admin = new AdminClient(server.url, 'none.example');
    expectRefusal(await admin.post(`${MODEL}/jobs`, {}), 'E0045R', 400);
    expectRefusal(await admin.get(`${MODEL}/jobs/AZrlG0R3cAOAfJ0WQ2x9Sg`), 'E0044R', 404);
    expectRefusal(await admin.get(`${MODEL}/jobs/nothing`), 'E0044R', 404);
    expectRefusal(await admin.get('/userapi/aaguid/nothing'), 'E0045R', 400);
  });

  it('a lost model can be disabled by a tenant’s administrator only within that tenant', async () => {
    const { rp: theirs } = await place('mine.example', 'acme', 2, 0);
    const { rp: others } = await place('foreign.example', 'foreign', 2, 0);
    const acme = clientOf(server.url, 'acme-admin');
    expect((await acme.get(MODEL)).body).toMatchObject({ keys: 2 });
    const { id, relyingParties } = jobOf(await acme.post(`${MODEL}/jobs`, {}));
    expect(relyingParties).toMatchObject([{ relyingParty: 'mine.example' }]);
    await work();
    expect([await enabledAt(theirs.id), await enabledAt(others.id)]).toEqual([0, 2]);
    const foreign = new AdminClient(server.url, 'foreign.example');
    expectRefusal(await foreign.post(`${MODEL}/jobs/${id}/undo`, {}), 'E0044R', 404);
    for (const role of ['auditor', 'finance']) {
      const refused = await clientOf(server.url, role).post(`${MODEL}/jobs`, {});
      expectRefusal(refused, 'E0043R', 403);
    }
  });

  it('a lost model has its keys disabled and enabled again at each relying party of a tenant by one job', async () => {
    const { rp: first } = await place('first.acme.example', 'acme', 2, 0);
    const { rp: second } = await place('second.acme.example', 'acme', 3, 0);
    const acme = clientOf(server.url, 'acme-admin');
    const { id, relyingParties } = jobOf(await acme.post(`${MODEL}/jobs`, {}));
    expect(relyingParties.map((part) => part.relyingParty)).toEqual(
      expect.arrayContaining(['first.acme.example', 'second.acme.example']),
    );
    await work();
    expect([await enabledAt(first.id), await enabledAt(second.id)]).toEqual([0, 0]);
    expect((await acme.post(`${MODEL}/jobs/${id}/undo`, {})).status).toBe(200);
    await work();
    expect([await enabledAt(first.id), await enabledAt(second.id)]).toEqual([2, 3]);
  });

  it('shows its running job however many newer jobs of other tenants exist', async () => {
    const { admin } = await place('beside.example', 'beside', 1, 0);
    const { rp: others } = await place('crowd.example', 'crowd', 1, 0);
    const { id } = jobOf(await admin.post(`${MODEL}/jobs`, {}));
    const jobs = Array.from({ length: 1000 }, (_, n) => ({
      ...scope(others),
      id: Buffer.from(`ff${String(n).padStart(30, '0')}`, 'hex'),
      job: 'disable-model',
      target: aaguidBytes(LOST),
      state: 'disabled' as const,
      total: 1,
      caller: '{}',
      reason: null,
      position: Buffer.alloc(0),
      looked: 1,
      changedKeys: 1,
      changedUsers: 1,
      undoneKeys: 0,
      undoneUsers: 0,
    }));
    const batches = server.get(DataSource).getRepository(Batch);
    await server.get(Database).commit(jobs.map((job) => insertStep(batches, job)));
    expect((await admin.get(MODEL)).body['jobs']).toMatchObject([{ id }]);
    expectRefusal(await admin.post(`${MODEL}/jobs`, {}), 'E0045R', 400);
    await rowsOf(server, 'DELETE FROM model_jobs WHERE relying_party_id = ?', others.id);
    await work();
  });

  it('a lost model is blocked at every relying party whose rule is enforced', async () => {
    await server.addRelyingParty('blocks', { domain: 'plain.example' });
    const block = [OTHER];
    await server.addRelyingParty('blocks', { domain: 'some.example', policy: { block } });
    const policy = { block: { mode: 'report' as const, list: [OTHER] } };
    await server.addRelyingParty('blocks', { domain: 'reports.example', policy });
    const at = (domain: string) => new AdminClient(server.url, domain);
    const blockAt = async (domain: string) => (await at(domain).post(`${MODEL}/block`, {})).body;
    expect(await blockAt('plain.example')).toMatchObject({ changed: ['plain.example'], left: [] });
    expect(await blockAt('plain.example')).toMatchObject({ changed: [], left: [] });
    expect(await blockAt('some.example')).toMatchObject({ changed: ['some.example'] });
    expect(await blockAt('reports.example')).toMatchObject({ left: ['reports.example'] });
    const blockOf = (domain: string) => relyingPartyOf(server, domain).policy.block;
    expect(blockOf('some.example')).toEqual({ mode: 'enforce', value: [OTHER, LOST] });
    expect(blockOf('reports.example')).toEqual({ mode: 'report', value: [OTHER] });
    expect(
      (await at('plain.example').send(`${MODEL}/block`, { method: 'DELETE' })).body,
    ).toMatchObject({
      changed: ['plain.example'],
    });
    expect(blockOf('plain.example')).toBeUndefined();
    const desk = clientOf(server.url, 'helpdesk');
    expectRefusal(await desk.post(`${MODEL}/block`, {}), 'E0043R', 403);
  });

  it('a lost model has its users without another key invited once, and again on request', async () => {
    const { admin } = await place('invited.example', 'invited', 2, 1);
    await admin.post(`${MODEL}/jobs`, {});
    await work();
    const invite = async (body: object) => (await admin.post(`${MODEL}/invitations`, body)).text;
    const linesOf = (csv: string) => csv.trim().split('\r\n').slice(1);
    const refused = linesOf(await invite({}));
    expect(refused).toHaveLength(2);
    expect(refused[0]).toMatch(/^"alone-\d","alone-\d","invited.example","","","E0045R /);
    const change = { enrolmentUrl: 'https://invited.example/enrol' };
    await server
      .get(TenancyService)
      .changeRelyingParty(server.call, 'invited', 'invited.example', change);
    const lines = linesOf(await invite({ ttl: 600 }));
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/"https:\/\/invited\.example\/enrol#[\w-]{22}",".*Z",""$/);
    const skipped = linesOf(await invite({}));
    expect(skipped).toHaveLength(2);
    expect(skipped[0]).toMatch(/^"alone-\d",.*,"","","The user has an open invitation: /);
    expect(linesOf(await invite({ again: true }))).toHaveLength(2);
    expect(await countOf(server, `${ISSUED} AND relying_party IS NOT NULL`)).toBe(4);
    expect(await countOf(server, `${ISSUED} AND relying_party IS NULL`)).toBe(0);
  });

  it('says in the last line of a file of invitations that more users remain', async () => {
    await server.addRelyingParty('many', { domain: 'many.example' });
    const relyingParty = relyingPartyOf(server, 'many.example');
    const users = Array.from({ length: 501 }, (_, n) => ({
      username: `user-${n}`,
      displayName: `User ${n}`,
      relyingParty,
    }));
    const wish = { ttl: 600, again: false, issuer: OPERATOR_ACCOUNT, origin: server.url };
    const lines: string[] = [];
    const outcomes = server.get(InvitationFile).invite(users, wish, batchCall(server).row);
    for await (const line of invitationCsv(outcomes)) lines.push(line);
    expect(lines).toHaveLength(1 + 500 + 1);
    expect(lines.at(-1)).toMatch(/^"","","","","","More users are to be invited, /);
  });

  it('a lost model has a page with the buttons that the role allows', async () => {
    await place('buttons.example', 'buttons', 1, 0);
    const page = async (role: string) => {
      const html = { accept: 'text/html' };
      return (await clientOf(server.url, role).get(MODEL, html)).text;
    };
    const desk = await page('helpdesk');
    const auditor = await page('auditor');
    expect(desk).toContain(`action="${MODEL}/disable"`);
    expect(desk).not.toContain('block-everywhere');
    expect(desk).toContain('This server has no metadata.');
    expect(auditor).not.toContain('<form method="post" action="/userapi/aaguid');
    const sent = await sendForm(server, `${MODEL}/disable`, { reason: '' }, HELP_DESK);
    expect([sent.status, sent.headers.get('location')]).toEqual([303, MODEL]);
    const running = await page('helpdesk');
    expect(running).toContain('<progress');
    expect(running).toContain(`action="${MODEL}/stop"`);
  });

  /** A relying party with users: some have the lost model alone, some another key too. */
  async function place(domain: string, tenant: string, alone: number, both: number) {
    await server.addRelyingParty(tenant, { domain });
    const rp = relyingPartyOf(server, domain);
    const named = (kind: string, n: number) =>
      Array.from({ length: n }, (_, at) => ({
        username: `${kind}-${at}`,
        model: aaguidBytes(LOST),
      }));
    await settle(server, rp, named('alone', alone));
    await settle(
      server,
      rp,
      named('both', both).map((one) => ({ ...one, devices: ['one', 'two'] })),
    );
    const second = await rowsOf<{ id: Buffer }>(
      server,
      `SELECT id FROM credentials WHERE relying_party_id = ? AND device_name = 'two'`,
      rp.id,
    );
    for (const { id } of second) {
      await rowsOf(
        server,
        'UPDATE credentials SET aaguid = ? WHERE id = ?',
        aaguidBytes(OTHER),
        id,
      );
    }
    return { admin: new AdminClient(server.url, domain), rp };
  }

  /** Does rounds until all jobs have ended: a round stops where another one is faster. */
  async function work(): Promise<void> {
    const underWay = `model_jobs WHERE state IN ('disabling', 'undoing')`;
    do await server.get(BatchRunner).catchUp();
    while ((await countOf(server, underWay)) > 0);
  }

  function enabledAt(id: Buffer) {
    return countOf(server, 'credentials WHERE relying_party_id = ? AND enabled = 1', id);
  }

  function eventsAt(id: Buffer, kind: string) {
    return countOf(server, 'events WHERE relying_party_id = ? AND kind = ?', id, kind);
  }
});

describe('a lost model', () => {
  it('the page of a lost model shows and invites all users whose keys its button disables', async () => {
    const server = await TestServer.start({ options: { domain: 'localhost' } });
    try {
      await server.addRelyingParty('other', { domain: 'other.example' });
      for (const domain of ['localhost', 'other.example']) {
        const allUsers = [{ username: 'anna', model: aaguidBytes(LOST) }];
        await settle(server, relyingPartyOf(server, domain), allUsers);
      }
      const admin = adminClient(server.url);
      expect((await admin.get(MODEL)).body).toMatchObject({ keys: 1 });
      const shown = await admin.get(MODEL, { accept: 'text/html' });
      expect(shown.text).toContain('2 users will have no key left.');
      const send = (button: string) =>
        sendForm(server, `${MODEL}/${button}`, {}, { headers: { accept: 'text/html' } });
      expect((await send('disable')).status).toBe(303);
      const enabled = 'credentials WHERE enabled = 1';
      do await server.get(BatchRunner).catchUp();
      while ((await countOf(server, enabled)) > 0);
      const page = await send('invite');
      expect(page.status).toBe(200);
      expect(page.text).toContain('1 link was made.');
      expect(page.text).toContain('1 user gets no link; the reason is below.');
      const [, href = ''] = /href="(data:[^"]+)" download="invitations.csv"/.exec(page.text) ?? [];
      const file = decodeURIComponent(href.replaceAll('&#x3D;', '='));
      expect(file).toMatch(/"anna","anna","localhost","http[^"]+\/enrol[^"]+#[\w-]{22}"/);
      expect(file).toMatch(/"other.example","","","Nobody can be invited here yet.+ \(E0045R\)"/);
      expect(await rowsOf(server, `SELECT target, result FROM ${ISSUED}`)).toEqual([
        { target: Buffer.from('anna'), result: 'ok' },
      ]);
      const again = await send('invite');
      expect(again.text).toContain('No link was made.');
      expect(again.text).toContain('The user has an open invitation');
      expect(again.text).not.toContain('download="invitations.csv"');
      expect(await countOf(server, ISSUED)).toBe(1);
    } finally {
      await server.stop();
    }
  });

  it.each(DATABASES)('two instances share a job on %s, and no key is changed twice', async (on) => {
    const database = await createServerDatabase(on);
    const one = await TestServer.start({ database });
    const two = on === 'SQLite' ? one : await TestServer.start({ database });
    try {
      const allUsers = Array.from({ length: 500 }, (_, n) => ({
        username: `holder-${n}`,
        model: aaguidBytes(LOST),
      }));
      await settle(one, relyingPartyOf(one, 'localhost'), allUsers);
      const admin = new AdminClient(one.url);
      const { id } = jobOf(await admin.post(`${MODEL}/jobs`, {}));
      const runs = [one, two].map((at) => at.get(BatchRunner));
      const path = `${MODEL}/jobs/${id}`;
      do await Promise.all(runs.map((runner) => runner.catchUp()));
      while (jobOf(await admin.get(path)).state === 'disabling');
      expect(jobOf(await admin.get(path))).toMatchObject({ disabledKeys: 500, disabledUsers: 500 });
      expect(await countOf(one, "events WHERE kind = 'disabled'")).toBe(500);
      expect(await countOf(one, "audit WHERE action = 'credential.disable'")).toBe(500);
    } finally {
      if (two !== one) await two.stop();
      await one.stop();
      await database.remove();
    }
  });

  it.each(DATABASES)(
    'an instance works at once on a job on %s that begins while it reads the jobs in progress',
    async (on) => {
      const server = await TestServer.start({ on });
      try {
        const rp = relyingPartyOf(server, 'localhost');
        await settle(server, rp, [{ username: 'holder', model: aaguidBytes(LOST) }]);
        const admin = new AdminClient(server.url);
        const batches = server.get(Batches);
        const underWay = batches.underWay.bind(batches);
        jest.spyOn(batches, 'underWay').mockImplementationOnce(async () => {
          const read = await underWay();
          await admin.post(`${MODEL}/jobs`, {});
          return read;
        });
        await server.get(BatchRunner).runNow();
        await eventually(async () =>
          expect((await admin.get(MODEL)).body).toMatchObject({ jobs: [{ state: 'disabled' }] }),
        );
      } finally {
        await server.stop();
      }
    },
  );

  it.each(DATABASES)(
    'an instance unblocks a model whose block it has not noticed yet, on %s',
    async (on) => {
      const database = await createServerDatabase(on);
      const servers = [await TestServer.start({ database }), await TestServer.start({ database })];
      const [here, there] = servers as [TestServer, TestServer];
      try {
        await there.get(CacheVersion).onModuleDestroy();
        await new AdminClient(here.url).post(`${MODEL}/block`, {});
        const admin = new AdminClient(there.url);
        const { body } = await admin.send(`${MODEL}/block`, { method: 'DELETE' });
        expect(body).toMatchObject({ changed: ['localhost'], left: [] });
        const { policy } = await here.get(TenancyService).relyingParty('default', 'localhost');
        expect(policy).toEqual({});
      } finally {
        await Promise.all(servers.map((server) => server.stop()));
        await database.remove();
      }
    },
  );
});
