import { jest } from '@jest/globals';
import { DataSource } from 'typeorm';
import { Batch } from '../../src/batches/batch.entity.js';
import { BatchRunner } from '../../src/batches/batch-runner.js';
import { DeleteUsersJob } from '../../src/user-admin/lists/delete-users-job.js';
import { KeyChangeBatches } from '../../src/user-admin/lists/key-change-batches.js';
import { UploadCleanup } from '../../src/user-admin/lists/upload-cleanup.js';
import { UploadStore } from '../../src/user-admin/lists/upload-store.js';
import { AdminClient } from '../support/admin-client.js';
import { batchCall } from '../support/batch-call.js';
import { DATABASES } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { holdNextFind } from '../support/held-find.js';
import { UPLOAD, postList } from '../support/list-upload.js';
import { countOf, relyingPartyOf } from '../support/rows.js';
import { settle } from '../support/settled-users.js';
import { ADMIN, BY_HAND, TestServer } from '../support/test-server.js';

const OUTAGE_MS = 61 * 60_000;

describe.each(DATABASES)('a job on the users of a list on %s', (on) => {
  let server: TestServer;
  let opened = 0;
  beforeAll(async () => {
    server = await TestServer.start({ on, speed: BY_HAND });
    jest.spyOn(server.get(BatchRunner), 'take').mockReturnValue();
  });
  afterAll(() => server.stop());

  it.each(['disable', 'delete'] as const)(
    'a list to %s has all its users changed after an outage of more than an hour',
    async (job) => {
      const { starts, enabled, batches, findList } = await listOf(450);
      expect(await starts[job]()).toBe(true);
      await workOnOneSlice();
      expect(await enabled()).toBe(250);
      server.clock.advance(OUTAGE_MS);
      await cleanUp();
      expect(await findList()).toBeDefined();
      await finish();
      expect(await enabled()).toBe(0);
      expect(await batches("state = 'done'")).toBe(1);
      server.clock.advance(OUTAGE_MS);
      await cleanUp();
      expect(await batches('1 = 1')).toBe(0);
    },
  );

  it('a list has its job completed although its account uploads eight others meanwhile', async () => {
    const { starts, upload, enabled } = await listOf(450);
    expect(await starts.disable()).toBe(true);
    await workOnOneSlice();
    server.clock.advance(11_000);
    for (let n = 0; n < 8; n += 1) await upload();
    await finish();
    expect(await enabled()).toBe(0);
  });

  it('a list has its job completed if it is resumed while the cleanup begins to delete the list', async () => {
    const { starts, alter, enabled } = await listOf(3);
    expect(await starts.disable()).toBe(true);
    await alter('stop');
    server.clock.advance(OUTAGE_MS);
    const held = holdNextFind(server.get(DataSource).getRepository(Batch));
    const sweep = cleanUp();
    await eventually(() => expect(held.found).toBe(true));
    await alter('resume');
    held.letGo();
    await sweep;
    await finish();
    expect(await enabled()).toBe(0);
  });

  it.each([
    ['disable', 'delete', 'disable-listed-keys'],
    ['delete', 'disable', 'delete-users'],
  ] as const)(
    'a list that was read before another tab started to %s refuses to %s',
    async (first, second, job) => {
      const { starts, enabled, batches } = await listOf(3);
      expect([await starts[first](), await starts[second]()]).toEqual([true, false]);
      expect(await batches(`job = '${job}'`)).toBe(1);
      await finish();
      expect(await enabled()).toBe(0);
    },
  );

  it('a list takes one of two changes of its keys that start at the same time', async () => {
    const { starts } = await listOf(3);
    const taken = await Promise.all([starts.disable(), starts.enable()]);
    expect(taken.filter(Boolean)).toHaveLength(1);
  });

  it('a list is not deleted by an instance whose clock differs from the clock of the database', async () => {
    const { list } = await listOf(1);
    const lines = () => countOf(server, 'upload_lines WHERE upload_id = ?', list.id);
    server.clock.advance(OUTAGE_MS);
    const { now } = Date;
    Date.now = () => now() + 61_000;
    await cleanUp().finally(() => (Date.now = now));
    // SQLite has the clock of its server.
    expect(await lines()).toBe(on === 'SQLite' ? 0 : 1);
    await cleanUp();
    expect(await lines()).toBe(0);
  });

  /** Users with one key each at a new relying party, and a list of all of them. */
  async function listOf(size: number) {
    opened += 1;
    const domain = `list-${opened}.example`;
    await server.addRelyingParty('places', { domain });
    const rp = relyingPartyOf(server, domain);
    const names = Array.from({ length: size }, (_, n) => `c-${n}`);
    await settle(
      server,
      rp,
      names.map((username) => ({ username, devices: ['one'] })),
    );
    const admin = new AdminClient(server.url, domain);
    const account = { name: ADMIN.user, role: 'admin' } as const;
    const upload = async () => {
      const { uploadId } = (await postList(admin, UPLOAD, names.join('\n'))).body;
      const found = await server.get(UploadStore).find(String(uploadId), account);
      if (!found) throw new Error('There is no list.');
      return found;
    };
    const list = await upload();
    const findList = () => server.get(UploadStore).find(list.id.toString('base64url'), account);
    const call = batchCall(server);
    const keys = server.get(KeyChangeBatches);
    const starts = {
      disable: () => keys.start(list, rp, call, { change: 'disable', total: size }),
      enable: () => keys.start(list, rp, call, { change: 'enable', total: size }),
      delete: () => server.get(DeleteUsersJob).start(list, rp, call, {}),
    };
    const alter = async (how: 'stop' | 'resume') => {
      const last = await keys.of(list, rp);
      return last && keys.alter(how, last, rp, call);
    };
    const enabled = () =>
      countOf(server, 'credentials WHERE relying_party_id = ? AND enabled = 1', rp.id);
    const batches = (condition: string) =>
      countOf(server, `model_jobs WHERE id = ? AND ${condition}`, list.id);
    return { list, starts, alter, upload, findList, enabled, batches };
  }

  function cleanUp() {
    return server.get(UploadCleanup).runNow();
  }

  function finish() {
    return server.get(BatchRunner).catchUp();
  }

  function workOnOneSlice() {
    let asked = 0;
    return server.get(BatchRunner).catchUp(() => {
      asked += 1;
      return asked <= 2;
    });
  }
});
