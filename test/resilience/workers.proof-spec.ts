import { REDIS_URL } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { FidoClient } from '../support/fido-client.js';
import { describeWith } from '../support/needs.js';
import { createServerDatabase } from '../support/server-database.js';
import { ServerProcess } from '../support/server-process.js';

describeWith('MariaDB', 'Redis')('--workers 2 over MariaDB and Redis', () => {
  it('a server with two workers serves ceremonies from either process and exits with 0', async () => {
    const database = await createServerDatabase('MariaDB');
    const options = ['--db', database.url, '--sessions', `${REDIS_URL}`, '--workers', '2'];
    const server = new ServerProcess([...options, '--log-level', 'warn']);
    try {
      await server.start();
      const signedIn = Array.from({ length: 20 }, async (_, n) => {
        const client = new FidoClient(server.url);
        // A connection for each request, so that begin and complete meet different processes.
        client.headers['connection'] = 'close';
        expect((await client.register(`worker-${n}`)).status).toBe(200);
        return (await client.signIn(`worker-${n}`)).status;
      });
      expect(await Promise.all(signedIn)).toEqual(Array(20).fill(200));
      // Whichever process a scrape reaches, it reports all of them; an answer counts once it has been sent.
      const counted = /^servicefido_answers_total\{call="authentication-complete",.*\} (\d+)$/m;
      for (let scrape = 0; scrape < 6; scrape += 1) {
        await eventually(async () => {
          const answer = await fetch(`${server.url}/metrics`, { headers: { connection: 'close' } });
          const metrics = await answer.text();
          expect(counted.exec(metrics)?.[1]).toBe('20');
          expect(metrics).toMatch(/^servicefido_redis_connected 1$/m);
        });
      }
      expect(await server.end('SIGTERM')).toBe(0);
      expect(server.stderr).toBe('');
    } finally {
      await server.remove();
      await database.remove();
    }
  });
});
