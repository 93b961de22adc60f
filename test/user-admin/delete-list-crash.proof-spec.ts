import { AdminClient } from '../support/admin-client.js';
import { BrowserClient } from '../support/browser-client.js';
import { changeRows } from '../support/change-rows.js';
import { connectionsEnded } from '../support/connections-ended.js';
import { DATABASES } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { IS_HARNESS, report } from '../support/harness.js';
import { DELETION, UPLOAD, postList } from '../support/list-upload.js';
import { settle } from '../support/settled-users.js';
import { readCount } from '../support/read-rows.js';
import { relyingPartyOf } from '../support/rows.js';
import { createServerDatabase } from '../support/server-database.js';
import { ServerProcess } from '../support/server-process.js';
import { slowRows } from '../support/slow-rows.js';
import { ADMIN, TestServer } from '../support/test-server.js';

/** `npm run long -- crash` deletes a list of the maximum length. */
const CROWD = IS_HARNESS ? 10_000 : 1500;
/** The server is killed when this share of the deletion is done, and then started again. */
const HITS = [
  [0.03, 'SIGKILL'],
  [0.1, 'SIGKILL'],
  [0.2, 'SIGTERM'],
] as const;

describe.each(DATABASES)('kill -9 or SIGTERM in the middle of a deletion on %s', (on) => {
  it('leaves no user half deleted, and the next run completes the list', async () => {
    const database = await createServerDatabase(on);
    const names = Array.from({ length: CROWD }, (_, n) => `leaver-${n}`);
    const filling = await TestServer.start({ database });
    const users = names.map((username) => ({ username, devices: ['one', 'two'] }));
    await settle(filling, relyingPartyOf(filling, 'localhost'), users);
    await filling.stop();

    const server = new ServerProcess(['--db', database.url, '--log-level', 'warn']);
    const count = (from: string) => readCount(database.url, from);
    /** Users with less than both credentials, and events that do not fit what is left. */
    const expectWhole = async () => {
      const halves = `users u WHERE (SELECT COUNT(*) FROM credentials c WHERE c.user_id = u.id) <> 2`;
      expect(await count(halves)).toBe(0);
      const left = await count('users');
      expect(await count('credentials')).toBe(2 * left);
      expect(await count("events WHERE kind = 'deleted'")).toBe(2 * (CROWD - left));
      expect(await count("events WHERE kind = 'user-deleted'")).toBe(CROWD - left);
      expect(await count("audit WHERE action = 'user.delete'")).toBe(CROWD - left);
      expect(await count("upload_lines WHERE outcome = 'deleted'")).toBe(CROWD - left);
      return left;
    };
    try {
      await server.start();
      const { uploadId } = (
        await postList(new AdminClient(server.url, 'localhost'), UPLOAD, names.join('\n'))
      ).body;
      for (const [share, signal] of HITS) {
        const endSlowness = await slowRows(database.url, 'DELETE ON users');
        const running = new AdminClient(server.url, 'localhost')
          .post(DELETION, { uploadId })
          .catch(() => undefined);
        await eventually(async () => {
          expect(await count('users')).toBeLessThan(CROWD * (1 - share));
        });
        expect(await server.end(signal)).toBe(signal === 'SIGTERM' ? 0 : null);
        await running;
        await connectionsEnded(database.url);
        await endSlowness();
        expect(await expectWhole()).toBeGreaterThanOrEqual(signal === 'SIGTERM' ? 0 : 1);
        await server.start();
      }
      const left = await count('users');
      const admin = new AdminClient(server.url, 'localhost');
      const { body } = await admin.post(DELETION, { uploadId });
      expect(body).toMatchObject({ status: 'ok', total: CROWD, deleted: left, stopped: false });
      expect(await expectWhole()).toBe(0);
      const progress = await admin.get(`${DELETION}/${String(uploadId)}`);
      expect(progress.body).toMatchObject({
        state: 'done',
        deleted: CROWD,
        credentials: 2 * CROWD,
      });
      report({ kills: HITS.length, deleted: CROWD });
    } finally {
      await server.remove();
      await database.remove();
    }
  });
});

const SIGNALS = ['SIGKILL', 'SIGTERM'] as const;

/** Starts a server with users, and uploads a list of them. */
async function withLeavers(on: (typeof DATABASES)[number], size: number) {
  const database = await createServerDatabase(on);
  const names = Array.from({ length: size }, (_, n) => `leaver-${n}`);
  const filling = await TestServer.start({ database });
  const users = names.map((username) => ({ username, devices: ['one', 'two'] }));
  await settle(filling, relyingPartyOf(filling, 'localhost'), users);
  await filling.stop();
  const server = new ServerProcess(['--db', database.url, '--log-level', 'warn']);
  await server.start();
  const admin = () => new AdminClient(server.url, 'localhost');
  const { uploadId } = (await postList(admin(), UPLOAD, names.join('\n'))).body;
  const endSlowness = await slowRows(database.url, 'DELETE ON users');
  const path = `${DELETION}/${String(uploadId)}`;
  return {
    server,
    path,
    uploadId,
    admin,
    progress: async () => (await admin().get(path)).body,
    /** Resolves when some of the users are deleted. */
    begun: () =>
      eventually(async () => {
        expect(await readCount(database.url, 'users')).toBeLessThan(size);
      }),
    /** Ends the server, and starts it again. */
    restart: async (signal: (typeof SIGNALS)[number]) => {
      await server.end(signal);
      await connectionsEnded(database.url);
      await endSlowness();
      await server.start();
    },
    /** Nobody has used the list for a minute. */
    letRest: () => changeRows(database.url, 'UPDATE uploads SET expires_at = expires_at - 60001'),
    remove: async () => {
      await server.remove();
      await database.remove();
    },
  };
}

const CASES = DATABASES.flatMap((on) => SIGNALS.map((signal) => [signal, on] as const));

it.each(CASES)(
  'a deletion that a page has started continues after %s and a new start, on %s',
  async (signal, on) => {
    const list = await withLeavers(on, CROWD);
    try {
      const browser = await BrowserClient.signedIn(list.server.url, ADMIN.user, ADMIN.password);
      await browser.open(`${DELETION}?upload=${String(list.uploadId)}`);
      await browser.submit(`${list.path}/start`, { confirm: `${CROWD}`, reason: 'left' });
      await list.begun();
      await list.restart(signal);
      const done = { state: 'done', deleted: CROWD, credentials: 2 * CROWD, left: 0 };
      await eventually(async () => expect(await list.progress()).toMatchObject(done));
    } finally {
      await list.remove();
    }
  },
);

it.each(CASES)(
  'a deletion within a request can be completed after %s and a new start, on %s',
  async (signal, on) => {
    const list = await withLeavers(on, CROWD);
    try {
      const running = list.admin().post(DELETION, { uploadId: list.uploadId });
      const ended = running.catch(() => undefined);
      await list.begun();
      await list.restart(signal);
      await ended;
      await list.letRest();
      // A server that is asked to end completes its requests, if they end soon.
      const states = signal === 'SIGKILL' ? ['stopped'] : ['stopped', 'done'];
      const stateOf = async () => (await list.progress())['state'];
      await eventually(async () => expect(states).toContain(await stateOf()));
      if ((await stateOf()) === 'stopped') {
        const { body } = await list.admin().post(DELETION, { uploadId: list.uploadId });
        expect(body).toMatchObject({ total: CROWD, stopped: false });
      }
      const done = { state: 'done', deleted: CROWD, credentials: 2 * CROWD, left: 0 };
      expect(await list.progress()).toMatchObject(done);
    } finally {
      await list.remove();
    }
  },
);
