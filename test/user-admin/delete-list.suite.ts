import { jest } from '@jest/globals';
import { DataSource } from 'typeorm';
import { DeleteUsersJob } from '../../src/user-admin/lists/delete-users-job.js';
import { UploadLines } from '../../src/user-admin/lists/upload-lines.js';
import { UploadCleanup } from '../../src/user-admin/lists/upload-cleanup.js';
import { UploadStore } from '../../src/user-admin/lists/upload-store.js';
import { UploadEntity } from '../../src/user-admin/lists/upload.entity.js';
import { ListPreview } from '../../src/user-admin/pages/lists/list-preview.js';
import { batchCall } from '../support/batch-call.js';
import { AdminClient } from '../support/admin-client.js';
import { adminClient } from '../support/client.js';
import { BrowserClient, type FormFields } from '../support/browser-client.js';
import { DATABASES } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { FidoClient } from '../support/fido-client.js';
import { holdNextFind } from '../support/held-find.js';
import { DELETION, UPLOAD, postList } from '../support/list-upload.js';
import { Places, settle } from '../support/settled-users.js';
import { countOf, relyingPartyOf, rowsOf } from '../support/rows.js';
import { ADMIN, TestServer } from '../support/test-server.js';

describe.each(DATABASES)('deletelistusers on %s', (on) => {
  let server: TestServer;
  let places: Places;
  beforeAll(async () => {
    server = await TestServer.start({ on });
    places = new Places(server);
  });
  afterAll(() => server.stop());

  /** Does something in the middle of a deletion, once it has changed so many rows. */
  const afterRows = (count: number, act: () => Promise<unknown>) => {
    const job = server.get(DeleteUsersJob);
    const change = job.change.bind(job);
    let changed = 0;
    return jest.spyOn(job, 'change').mockImplementation(async (...row) => {
      const outcome = await change(...row);
      changed += 1;
      if (changed === count) await act();
      return outcome;
    });
  };
  const crowd = (size: number) =>
    places.open(
      ...Array.from({ length: size }, (_, n) => ({ username: `c-${n}`, devices: ['one', 'two'] })),
    );
  const names = (size: number) => Array.from({ length: size }, (_, n) => `c-${n}`);

  it('offers a few relying parties as links, and more as a list to choose from', async () => {
    const domain = 'link.example';
    await server.addRelyingParty('places', { domain });
    const page = async () =>
      (await adminClient(server.url).get('/userapi/deletelistusers', { accept: 'text/html' })).text;
    const LIST = '<select name="rp"';
    const LINK = `<a href="/userapi/deletelistusers?rp&#x3D;${domain}">`;
    for (let n = 0; !(await page()).includes(LIST); n += 1) {
      expect(n).toBeLessThan(8);
      expect(await page()).toContain(LINK);
      await server.addRelyingParty('places', { domain: `link-${n}.example` });
    }
    expect(await page()).not.toContain(LINK);
  });

  it('deletes the listed users, reports the rest and affects no other user', async () => {
    const here = await crowd(5);
    const there = await crowd(5);
    const { body } = await postList(here, DELETION, 'c-1\nnobody\nc-3\nc-3\nb\u200bad\n');
    expect(body).toMatchObject({
      status: 'ok',
      errorMessage: '',
      total: 4,
      deleted: 2,
      missing: 1,
      invalid: 1,
      credentials: 4,
      stopped: false,
    });
    expect(await here.names()).toEqual(['c-0', 'c-2', 'c-4']);
    expect(await there.names()).toHaveLength(5);
  });

  it('accepts a list of names as JSON', async () => {
    const here = await crowd(3);
    const { body } = await here.post(DELETION, { users: ['c-0', 'c-2', 'x\u0000'] });
    expect(body).toMatchObject({ total: 3, deleted: 2, missing: 0, invalid: 1, credentials: 4 });
    expect(await here.names()).toEqual(['c-1']);
  });

  it('deletes no user who took a listed name after the upload', async () => {
    const domain = 'handed-over.example';
    await server.addRelyingParty('places', { domain });
    const rp = relyingPartyOf(server, domain);
    await settle(server, rp, [{ username: 'c-0' }, { username: 'c-1' }]);
    const here = new AdminClient(server.url, domain);
    const { uploadId, found } = (await postList(here, UPLOAD, 'c-0\nc-1\nlater\n')).body;
    expect(found).toBe(2);
    const names = { relyingParty: domain, username: 'c-0', newUsername: 'other' };
    const renamed = await here.patch('/userapi/users', names);
    expect(renamed.status).toBe(200);
    await settle(server, rp, [{ username: 'c-0' }, { username: 'later' }]);
    const page = `/userapi/deletelistusers/${String(uploadId)}/preview.csv`;
    const preview = await here.get(page);
    expect(preview.text.match(/"(found|missing)"/g)).toEqual(['"missing"', '"found"', '"missing"']);
    const { body } = await here.post(DELETION, { uploadId });
    expect(body).toMatchObject({ total: 3, deleted: 1, missing: 2 });
    expect(await here.names()).toEqual(['c-0', 'later', 'other']);
  });

  it('shows the users who will be deleted among many names without a user', async () => {
    const here = await crowd(3);
    const strangers = Array.from({ length: 60 }, (_, n) => `stranger-${n}`);
    const { uploadId } = (await postList(here, UPLOAD, [...strangers, 'c-1'].join('\n'))).body;
    const address = `/userapi/deletelistusers?upload=${String(uploadId)}`;
    const { text } = await here.get(address, { accept: 'text/html' });
    expect(text.match(/Will be deleted/g)).toHaveLength(1);
    expect(text.match(/>stranger-\d+</g)).toHaveLength(49);
  });

  it.each([
    [
      'the name of a later line is erased',
      'UPDATE upload_lines SET username = NULL WHERE line = 2',
    ],
    ['its lines are deleted', 'DELETE FROM upload_lines'],
  ])('ends the count of a list although %s meanwhile', async (_, change) => {
    const here = new AdminClient(server.url, 'localhost');
    const { uploadId } = (await postList(here, UPLOAD, 'anna\nbert\n')).body;
    const { account } = batchCall(server);
    const upload = await server.get(UploadStore).find(String(uploadId), account);
    if (!upload) throw new Error('There is no list.');
    const lines = server.get(UploadLines);
    const tally = lines.tally.bind(lines);
    jest.spyOn(lines, 'tally').mockImplementationOnce(async (list) => {
      const counted = await tally(list);
      await rowsOf(server, change);
      return counted;
    });
    const rp = relyingPartyOf(server, 'localhost');
    const { found, missing } = await server.get(ListPreview).count(upload, rp);
    expect(found + missing).toBe(2);
  });

  describe('a list that two tabs show', () => {
    const upload = async (...users: string[]) => {
      const here = await places.open(...users);
      const list = users.map((name) => name.toLowerCase()).join('\n');
      const { uploadId } = (await postList(here, UPLOAD, list)).body;
      const browser = await BrowserClient.signedIn(server.url, ADMIN.user, ADMIN.password);
      const page = `/userapi/deletelistusers?upload=${String(uploadId)}`;
      const send = (form: string, fields: FormFields) =>
        browser.submit(`${DELETION}/${String(uploadId)}/${form}`, fields);
      await browser.open(page);
      const find = async () => {
        const { text } = await browser.open(`${DELETION}/${String(uploadId)}/preview.csv`);
        return text.match(/"found"/g)?.length ?? 0;
      };
      return { here, send, find, page };
    };

    it('a list that two tabs show contains the names that both add at the same time', async () => {
      const { send, find } = await upload('Anna', 'Bert', 'Cora');
      const tabs = ['Anna', 'Bert', 'Cora'].map((user) => send('similar', { user }));
      expect((await Promise.all(tabs)).map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(await find()).toBe(3);
    });

    it('deletes no user whom the other tab adds after the users were counted', async () => {
      const { here, send } = await upload('Anna', 'Bert');
      await send('similar', { user: 'Anna' });
      const preview = server.get(ListPreview);
      const count = preview.count.bind(preview);
      jest.spyOn(preview, 'count').mockImplementationOnce(async (...list) => {
        const counted = await count(...list);
        await send('similar', { user: 'Bert' });
        return counted;
      });
      const { text } = await send('start', { confirm: '1' });
      expect(text).toContain('The number that you typed does not match.');
      expect(await here.names()).toEqual(['Anna', 'Bert']);
    });
  });

  it('accepts an uploaded list, and shows its progress and result', async () => {
    const here = await crowd(450);
    const list = [...names(420), 'nobody', '=b\u200bad', '=formula'].join('\n');
    const { uploadId } = (await postList(here, UPLOAD, list)).body;
    const progress = async () => (await here.get(`${DELETION}/${String(uploadId)}`)).body;
    const before = {
      state: 'ready',
      left: 422,
      deleted: 0,
      missing: 0,
      invalid: 1,
      credentials: 0,
    };
    expect(await progress()).toMatchObject({ status: 'ok', uploadId, ...before });
    const { body } = await here.post(DELETION, { uploadId });
    expect(body).toMatchObject({
      total: 423,
      deleted: 420,
      missing: 2,
      invalid: 1,
      credentials: 840,
    });
    const after = {
      state: 'done',
      left: 0,
      deleted: 420,
      missing: 2,
      invalid: 1,
      credentials: 840,
    };
    expect(await progress()).toMatchObject(after);
    const result = await here.get(`${DELETION}/${String(uploadId)}/result`);
    expect(result.headers.get('content-type')).toMatch(/^text\/csv/);
    expect(result.headers.get('content-disposition')).toContain('attachment');
    const french = { 'accept-language': 'fr' };
    const sheet = await here.get(
      `${DELETION}/${String(uploadId)}/result?format=spreadsheet`,
      french,
    );
    expect(sheet.text).toMatch(/^"line";"username";/);
    const rows = result.text.trim().split('\r\n');
    expect(rows).toHaveLength(424);
    expect(rows.slice(0, 2)).toEqual([
      '"line","username","outcome","credentials"',
      '"1","c-0","deleted","2"',
    ]);
    expect(rows.slice(-3)).toEqual([
      '"421","nobody","missing","0"',
      `"422","'=b\u200bad","invalid","0"`,
      `"423","'=formula","missing","0"`,
    ]);
    expect(await here.names()).toHaveLength(30);
  });

  it('leaves no audit row when the button of a deletion in progress is clicked again', async () => {
    const here = await crowd(1);
    const uploadId = String((await postList(here, UPLOAD, names(1).join('\n'))).body['uploadId']);
    const browser = await BrowserClient.signedIn(server.url, ADMIN.user, ADMIN.password);
    await browser.open(`${DELETION}?upload=${uploadId}`);
    const id = Buffer.from(uploadId, 'base64url');
    await rowsOf(server, "UPDATE uploads SET state = 'deleting' WHERE id = ?", id);
    expect((await browser.submit(`${DELETION}/${uploadId}/start`, {})).status).toBe(200);
    expect(await countOf(server, 'audit WHERE target = ?', Buffer.from(uploadId))).toBe(0);
  });

  it('names the relying party in the audit rows of a stopped list', async () => {
    const here = await crowd(1);
    const uploadId = String((await postList(here, UPLOAD, names(1).join('\n'))).body['uploadId']);
    const path = `${DELETION}/${uploadId}`;
    const browser = await BrowserClient.signedIn(server.url, ADMIN.user, ADMIN.password);
    await browser.open(`${DELETION}?upload=${uploadId}`);
    await here.send(path, { method: 'DELETE' });
    await browser.submit(`${path}/stop`, {});
    const named = 'audit WHERE target = ? AND tenant IS NOT NULL AND relying_party IS NOT NULL';
    expect(await countOf(server, named, Buffer.from(uploadId))).toBe(2);
  });

  it('leaves no audit row when a deletion is stopped that has ended', async () => {
    const here = await crowd(1);
    const uploadId = String((await postList(here, UPLOAD, names(1).join('\n'))).body['uploadId']);
    const path = `${DELETION}/${uploadId}`;
    await here.post(DELETION, { uploadId });
    const browser = await BrowserClient.signedIn(server.url, ADMIN.user, ADMIN.password);
    await browser.open(`${DELETION}?upload=${uploadId}`);
    expect((await here.send(path, { method: 'DELETE' })).body).toMatchObject({ stopped: false });
    await browser.submit(`${path}/stop`, {});
    const stops = "audit WHERE target = ? AND action = 'users.delete-list.stop'";
    expect(await countOf(server, stops, Buffer.from(uploadId))).toBe(0);
  });

  it('finds no user in a second run of the same list', async () => {
    const here = await crowd(10);
    const { uploadId } = (await postList(here, UPLOAD, names(10).join('\n'))).body;
    await here.post(DELETION, { uploadId });
    const again = await here.post(DELETION, { uploadId });
    expect(again.body).toMatchObject({ status: 'ok', deleted: 0, missing: 10, credentials: 0 });
    const { body } = await here.get(`${DELETION}/${String(uploadId)}`);
    expect(body).toMatchObject({ deleted: 10, missing: 0, credentials: 20 });
  });

  describe('a list whose users a page has deleted and restored', () => {
    /** Deletes users on the page, perhaps stopped after the first of two slices of lines, and restores them. */
    const restored = async (size: number) => {
      const here = await crowd(size);
      const { uploadId } = (await postList(here, UPLOAD, names(size).join('\n'))).body;
      const path = `${DELETION}/${String(uploadId)}`;
      const browser = await BrowserClient.signedIn(server.url, ADMIN.user, ADMIN.password);
      await browser.open(`${DELETION}?upload=${String(uploadId)}`);
      const progress = async () => (await here.get(path)).body;
      const ends = async (state: object) =>
        eventually(async () => expect(await progress()).toMatchObject(state));
      return { here, uploadId, path, browser, progress, ends };
    };

    it('leaves them alone when it is deleted again, and counts keys once', async () => {
      const { here, uploadId, path, browser, ends } = await restored(3);
      const done = { state: 'done', deleted: 3, missing: 0, left: 0, credentials: 6 };
      await browser.submit(`${path}/start`, { confirm: '3' });
      await ends(done);
      const { text } = await browser.submit('/userapi/undo', { occasion: String(uploadId) });
      expect(text).toContain('3 deletions are undone.');
      const again = await here.post(DELETION, { uploadId });
      expect(again.body).toMatchObject({ deleted: 0, missing: 3, credentials: 0, stopped: false });
      await browser.submit(`${path}/start`, {});
      await ends(done);
      expect(await here.names()).toEqual(names(3));
    });

    it('leaves them alone when it was stopped and continues, and counts keys once', async () => {
      const { here, uploadId, path, browser, ends } = await restored(300);
      const stopping = afterRows(100, () => browser.submit(`${path}/stop`, {}));
      await browser.submit(`${path}/start`, { confirm: '300' });
      await ends({ state: 'stopped', deleted: 200, left: 100, credentials: 400 });
      stopping.mockRestore();
      const { text } = await browser.submit('/userapi/undo', { occasion: String(uploadId) });
      expect(text).toContain('200 deletions are undone.');
      await browser.submit(`${path}/start`, {});
      await ends({ state: 'done', deleted: 300, left: 0, credentials: 600 });
      expect(await here.names()).toHaveLength(200);
    });
  });

  it('continues a list that is resumed while the server notices that it was stopped', async () => {
    const here = await crowd(3);
    const { uploadId } = (await postList(here, UPLOAD, names(3).join('\n'))).body;
    const path = `${DELETION}/${String(uploadId)}`;
    const browser = await BrowserClient.signedIn(server.url, ADMIN.user, ADMIN.password);
    await browser.open(`${DELETION}?upload=${String(uploadId)}`);
    const job = server.get(DeleteUsersJob);
    const find = job.find.bind(job);
    jest.spyOn(job, 'find').mockImplementationOnce(async (batch) => {
      await browser.submit(`${path}/stop`, {});
      const page = await find(batch);
      await browser.submit(`${path}/start`, {});
      return page;
    });
    await browser.submit(`${path}/start`, { confirm: '3' });
    await eventually(async () =>
      expect((await here.get(path)).body).toMatchObject({ state: 'done', deleted: 3 }),
    );
  });

  it('shows a list as stopped that an instance of 1.0 left in the middle, and deletes the rest', async () => {
    const here = await crowd(3);
    const { uploadId } = (await postList(here, UPLOAD, names(3).join('\n'))).body;
    const path = `${DELETION}/${String(uploadId)}`;
    const id = Buffer.from(String(uploadId), 'base64url');
    await rowsOf(server, "UPDATE uploads SET state = 'deleting' WHERE id = ?", id);
    expect((await here.get(path)).body).toMatchObject({ state: 'deleting', left: 3 });
    server.clock.advance(61_000);
    expect((await here.get(path)).body).toMatchObject({ state: 'stopped', left: 3 });
    expect((await here.post(DELETION, { uploadId })).body).toMatchObject({ deleted: 3 });
    expect((await here.get(path)).body).toMatchObject({ state: 'done', deleted: 3 });
  });

  it('treats an asterisk in a list literally', async () => {
    const here = await places.open('*', 'a', 'a*', 'b');
    const { body } = await here.post(DELETION, { users: ['*', 'a*', '%'] });
    expect(body).toMatchObject({ deleted: 2, missing: 1 });
    expect(await here.names()).toEqual(['a', 'b']);
  });

  it('deletes a listed name once, in any spelling', async () => {
    const here = await places.open('émile', 'emile');
    const { body } = await here.post(DELETION, { users: ['e\u0301mile', 'émile'] });
    expect(body).toMatchObject({ total: 1, deleted: 1, missing: 0 });
    expect(await here.names()).toEqual(['emile']);
  });

  it('deletes and counts each user of overlapping lists once', async () => {
    const here = await crowd(600);
    const lists = [names(600), names(400), names(600).reverse(), names(600).slice(200)];
    const answers = await Promise.all(
      lists.map((list) => postList(here, DELETION, list.join('\n'))),
    );
    const sum = (name: string) => answers.reduce((all, { body }) => all + Number(body[name]), 0);
    expect([sum('deleted'), sum('credentials')]).toEqual([600, 1200]);
    expect(sum('total')).toBe(sum('deleted') + sum('missing'));
    expect(await here.names()).toEqual([]);
  });

  it('stops on request, and continues when called again', async () => {
    const here = await crowd(1000);
    const { uploadId } = (await postList(here, UPLOAD, names(1000).join('\n'))).body;
    const path = `${DELETION}/${String(uploadId)}`;
    const stopping = afterRows(100, () => here.send(path, { method: 'DELETE' }));
    const { body } = await here.post(DELETION, { uploadId });
    stopping.mockRestore();
    expect(body).toMatchObject({ status: 'ok', stopped: true });
    const left = await here.names();
    expect(left).toHaveLength(1000 - Number(body['deleted']));
    const again = await here.post(DELETION, { uploadId });
    expect(again.body).toMatchObject({ stopped: false, deleted: left.length });
    expect(await here.names()).toEqual([]);
  });

  it('adds an event for each deleted credential and user', async () => {
    const here = await places.open({ username: 'told', devices: ['one', 'two'] });
    const answer = await here.post(DELETION, { users: ['told'] });
    const events = await rowsOf<{ kind: string; request: string }>(
      server,
      'SELECT kind, request_id AS request FROM events WHERE username = ?',
      Buffer.from('told'),
    );
    const request = answer.headers.get('x-request-id');
    expect(events.map((event) => event.kind).sort()).toEqual([
      'deleted',
      'deleted',
      'user-deleted',
    ]);
    expect(events.every((event) => event.request === request)).toBe(true);
  });

  it('voids the ceremonies of a deleted user, whose name then belongs to a new user', async () => {
    const client = new FidoClient(server.url);
    await client.register('leaver');
    const begun = client.assert(await client.beginAuthentication('leaver'));
    const admin = new AdminClient(server.url, 'localhost');
    await admin.post(DELETION, { users: ['leaver'] });
    expect((await client.completeAuthentication(begun)).body.errorCode).toBe('E0033R');
    expect((await new FidoClient(server.url).register('leaver')).status).toBe(200);
  });

  it.each<[string, unknown, number, string]>([
    ['nothing', {}, 400, 'E0045R'],
    ['both', { users: ['a'], uploadId: 'x' }, 400, 'E0045R'],
    ['no array', { users: 'c-0' }, 400, 'E0045R'],
    ['an empty array', { users: [] }, 400, 'E0045R'],
    ['a pattern object', { users: [{ $gt: '' }] }, 400, 'E0045R'],
    ['numbers', { users: [1] }, 400, 'E0045R'],
    ['an unknown list', { uploadId: 'AAAAAAAAAAAAAAAAAAAAAA' }, 400, 'E0045R'],
    ['a list that is no text', { uploadId: ['x'] }, 400, 'E0045R'],
    ['an array', [], 400, 'E0001R'],
  ])('refuses a body with %s (E0045R)', async (_, body, status, errorCode) => {
    const here = await crowd(2);
    expect(await here.post(DELETION, body)).toMatchObject({ status, body: { errorCode } });
    expect(await here.names()).toHaveLength(2);
  });

  it('keeps a list for its account and relying party for an hour', async () => {
    const here = await crowd(2);
    const there = await crowd(2);
    const { uploadId } = (await postList(here, UPLOAD, 'c-0')).body;
    const path = `${DELETION}/${String(uploadId)}`;
    const elsewhere = await there.post(DELETION, { uploadId });
    expect(elsewhere).toMatchObject({ status: 400, body: { errorCode: 'E0045R' } });
    expect((await there.get(path)).status).toBe(400);
    expect((await there.get(`${path}/result`)).status).toBe(400);
    expect((await there.send(path, { method: 'DELETE' })).status).toBe(400);
    server.clock.advance(3_700_000);
    expect(await here.post(DELETION, { uploadId })).toMatchObject({ status: 400 });
    expect(await there.names()).toHaveLength(2);
    expect(await here.names()).toHaveLength(2);
  });

  it('keeps a list that takes longer than an hour to arrive, and adds no names to a deleted one', async () => {
    await crowd(1);
    const rp = relyingPartyOf(server, 'localhost');
    const store = server.get(UploadStore);
    const cleanup = server.get(UploadCleanup);
    const upload = await store.begin({ name: ADMIN.user, role: 'admin' }, rp);
    for (const line of [1, 2, 3]) {
      await store.add(upload, rp, [{ line, username: `slow-${line}` }]);
      server.clock.advance(2_000_000);
      await cleanup.runNow();
    }
    expect(await countOf(server, 'upload_lines WHERE upload_id = ?', upload.id)).toBe(3);
    server.clock.advance(3_700_000);
    await cleanup.runNow();
    const late = store.add(upload, rp, [{ line: 4, username: 'slow-4' }]);
    await expect(late).rejects.toMatchObject({ code: 'E0044R' });
    expect(await countOf(server, 'upload_lines WHERE upload_id = ?', upload.id)).toBe(0);
  });

  it('deletes the lines of an expired list, not the blank lines of its file', async () => {
    await crowd(1);
    const rp = relyingPartyOf(server, 'localhost');
    const store = server.get(UploadStore);
    const upload = await store.begin({ name: ADMIN.user, role: 'admin' }, rp);
    for (const part of [0, 1]) {
      const stored = Array.from({ length: 1000 }, (_, n) => ({
        line: 90_000_000 * part + n + 1,
        username: `c-${n + 1000 * part}`,
      }));
      await store.add(upload, rp, stored);
    }
    await store.expire(upload);
    await server.get(UploadCleanup).runNow();
    expect(await countOf(server, 'upload_lines WHERE upload_id = ?', upload.id)).toBe(0);
    expect(await countOf(server, 'uploads WHERE id = ?', upload.id)).toBe(0);
  });

  it('keeps a list whose deletion begins at an instance whose clock is behind', async () => {
    const here = await crowd(3);
    const store = server.get(UploadStore);
    const cleanup = server.get(UploadCleanup);
    const { uploadId } = (await postList(here, UPLOAD, names(3).join('\n'))).body;
    const upload = await store.find(String(uploadId), { name: ADMIN.user, role: 'admin' });
    if (!upload) throw new Error('There is no list.');
    const lines = () => countOf(server, 'upload_lines WHERE upload_id = ?', upload.id);
    server.clock.advance(3_601_000);
    const held = holdNextFind(server.get(DataSource).getRepository(UploadEntity));
    const sweep = cleanup.runNow();
    await eventually(() => expect(held.found).toBe(true));
    server.clock.advance(-2_000);
    expect(await store.enter(upload, 'deleting')).toBe(true);
    held.letGo();
    await sweep;
    expect(await lines()).toBe(3);
    server.clock.advance(3_700_000);
    await cleanup.runNow();
    expect(await lines()).toBe(0);
    const rp = relyingPartyOf(server, 'localhost');
    const late = await server.get(DeleteUsersJob).run(upload, rp, batchCall(server));
    expect(late.deletion).toMatchObject({ total: 0, stopped: true });
  });

  it('leaves no credential without a user during registrations', async () => {
    const here = new AdminClient(server.url, 'localhost');
    const joining = Array.from({ length: 12 }, (_, n) => `join-${n}`);
    for (const username of joining) await new FidoClient(server.url).register(username);
    const seconds = await Promise.all(
      joining.map(async (username) => {
        const client = new FidoClient(server.url);
        const body = client.create(await client.beginRegistration(username));
        return () => client.completeRegistration(body);
      }),
    );
    await Promise.all([
      here.post(DELETION, { users: joining }),
      ...seconds.map((complete) => complete()),
    ]);
    const orphans = `credentials c WHERE NOT EXISTS (SELECT 1 FROM users u WHERE u.id = c.user_id)`;
    expect(await countOf(server, orphans)).toBe(0);
  });
});
