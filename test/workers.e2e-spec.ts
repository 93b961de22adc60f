import { createDatabase, REDIS_URL } from './support/databases.js';
import { FidoClient } from './support/fido-client.js';
import { ServerProcess } from './support/server-process.js';

describe('--workers 2 over MariaDB and Redis', () => {
  it('serves ceremonies from any of its processes, and ends with 0', async () => {
    const database = await createDatabase('MariaDB');
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
      expect(await server.end('SIGTERM')).toBe(0);
      expect(server.stderr).toBe('');
    } finally {
      await server.remove();
      await database.remove();
    }
  });
});
