import { aaguidBytes } from '../../src/webauthn/aaguid.js';
import { AdminClient } from '../support/admin-client.js';
import { DATABASES } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { settle } from '../support/settled-users.js';
import { relyingPartyOf } from '../support/rows.js';
import { createServerDatabase } from '../support/server-database.js';
import { ServerProcess } from '../support/server-process.js';
import { TestServer } from '../support/test-server.js';

const MODEL = '5a4c0000-0000-4000-8000-00000000000c';
const HOLDERS = 1500;

interface Job {
  readonly state: string;
  readonly disabledKeys: number;
  readonly enabledKeys: number;
}

describe.each(DATABASES)('a crash in the middle of a job on %s', (on) => {
  it('keeps the job and its undo complete, and no key is changed twice', async () => {
    const database = await createServerDatabase(on);
    const filling = await TestServer.start({ database });
    const model = aaguidBytes(MODEL);
    const users = Array.from({ length: HOLDERS }, (_, n) => ({ username: `holder-${n}`, model }));
    await settle(filling, relyingPartyOf(filling, 'localhost'), users);
    await filling.stop();

    const server = new ServerProcess(['--db', database.url, '--log-level', 'warn']);
    const ask = (path: string) =>
      new AdminClient(server.url).get(`/userapi/aaguid/${MODEL}${path}`, {});
    const send = (path: string) =>
      new AdminClient(server.url).post(`/userapi/aaguid/${MODEL}${path}`, {});
    const until = (id: string, fits: (job: Job) => boolean) =>
      eventually(async () => {
        const job = (await ask(`/jobs/${id}`)).body['job'] as Job;
        if (!fits(job)) throw new Error(`The job is not as far: ${JSON.stringify(job)}`);
        return job;
      });
    try {
      await server.start();
      const { id } = (await send('/jobs')).body['job'] as { id: string };
      await until(id, ({ disabledKeys }) => disabledKeys > 0);
      await server.end('SIGKILL');
      await server.start();
      const done = await until(id, ({ state }) => state === 'disabled');
      expect(done.disabledKeys).toBe(HOLDERS);
      await send(`/jobs/${id}/undo`);
      await until(id, ({ enabledKeys }) => enabledKeys > 0);
      await server.end('SIGKILL');
      await server.start();
      const undone = await until(id, ({ state }) => state === 'undone');
      expect(undone).toMatchObject({ disabledKeys: HOLDERS, enabledKeys: HOLDERS });
      expect((await ask('')).body).toMatchObject({ keys: HOLDERS, open: HOLDERS, withoutKey: 0 });
    } finally {
      await server.remove();
      await database.remove();
    }
  });
});
