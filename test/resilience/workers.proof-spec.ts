import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { REDIS_URL } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { FidoClient } from '../support/fido-client.js';
import { describeWith } from '../support/needs.js';
import { createServerDatabase } from '../support/server-database.js';
import { ServerProcess } from '../support/server-process.js';

/** Process IDs of the workers that serve. */
const workersOf = ({ pid }: ServerProcess): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);

describeWith('MariaDB', 'Redis')('--workers 2 over MariaDB and Redis', () => {
  it(
    'a server with two workers serves ceremonies from either process and exits with 0',
    inTwoWorkers(async ({ server }) => {
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
    }),
  );

  it('gives the log of setup problems to the replacement of the worker that had it, and to no other', async () => {
    const database = await createServerDatabase('MariaDB');
    const options = ['--db', database.url, '--sessions', `${REDIS_URL}`, '--workers', '2'];
    const server = new ServerProcess([...options, '--conformance', 'on']);
    /** Process IDs of the workers that logged a setup problem. */
    const loggers = () => {
      const lines = server.stdout.split('\n').filter((line) => line.includes('"context":"Setup"'));
      return [...new Set(lines.map((line) => (JSON.parse(line) as { pid: number }).pid))];
    };
    try {
      await server.start();
      await eventually(() => expect(loggers()).toHaveLength(1));
      const [first = 0] = loggers();
      const [other = 0] = workersOf(server).filter((pid) => pid !== first);
      process.kill(other, 'SIGKILL');
      await eventually(() => expect(workersOf(server)).toHaveLength(2));
      process.kill(first, 'SIGKILL');
      await eventually(() => expect(loggers()).toHaveLength(2));
      expect(loggers()).not.toContain(other);
    } finally {
      await server.remove();
      await database.remove();
    }
  });

  it('survives a worker that dies while it waits for metrics, and never reports one worker alone', async () => {
    const database = await createServerDatabase('MariaDB');
    const options = ['--db', database.url, '--sessions', `${REDIS_URL}`, '--workers', '2'];
    const server = new ServerProcess([...options, '--log-level', 'warn']);
    const get = (path: string) => fetch(server.url + path, { headers: { connection: 'close' } });
    /** One request for each worker; resolves with the first answer. */
    const atEither = (path: string) => Promise.any([get(path), get(path)]);
    try {
      await server.start();
      const [asking = 0, silent = 0] = workersOf(server);
      process.kill(silent, 'SIGSTOP');
      const scrapes = Promise.allSettled([get('/metrics'), get('/metrics')]);
      // The worker that answers this has asked for the metrics: their request arrived before.
      expect((await atEither('/health/live')).status).toBe(200);
      process.kill(asking, 'SIGKILL');
      await eventually(() => expect(workersOf(server)).not.toContain(asking));
      // The first process gives up waiting for the silent worker, and answers the dead one before this one.
      const refused = await atEither('/metrics');
      process.kill(silent, 'SIGCONT');
      expect(refused.status).toBe(503);
      expect(await refused.json()).toMatchObject({ errorCode: 'E0052R' });
      expect(refused.headers.get('content-type')).toMatch(/^application\/json/);
      await scrapes;
      await eventually(async () => expect((await get('/metrics')).status).toBe(200));
      expect((await get('/health/live')).status).toBe(200);
      expect(await server.end('SIGTERM')).toBe(0);
    } finally {
      await server.remove();
      await database.remove();
    }
  });

  it(
    'answers requests under way although every process gets the signal to stop, twice',
    inTwoWorkers(async ({ server }) => {
      // Of three requests, two are in one worker. Its first answer proves that it has noticed the first signal.
      const pending = await Promise.all([0, 1, 2].map((n) => beginAt(server, n)));
      const workers = workersOf(server);
      const ended = server.end('SIGTERM');
      for (const finish of pending) {
        workers.forEach(askToStop);
        expect(await finish()).toBe(200);
      }
      expect(await ended).toBe(0);
      expect(server.stderr).toBe('');
    }),
  );

  it(
    'replaces a worker that dies at once, and one that dies soon after it after a pause',
    inTwoWorkers(async ({ server }) => {
      const [, other = 0] = workersOf(server);
      for (const seconds of [0, 1, 2]) {
        const [dying = 0] = workersOf(server).filter((pid) => pid !== other);
        process.kill(dying, 'SIGKILL');
        const report = new RegExp(`ended with SIGKILL.*; the next one starts in ${seconds} s`);
        await eventually(() => expect(server.stdout).toMatch(report));
        await eventually(() => expect(workersOf(server)).toHaveLength(2));
      }
      expect(await readyOf(server)).toBe(200);
    }),
  );

  it(
    'goes on with the other workers while a new one cannot start, and starts it later',
    inTwoWorkers(async ({ server, configure }) => {
      const [dying = 0, other = 0] = workersOf(server);
      configure('unknown');
      process.kill(dying, 'SIGKILL');
      const report = /ended with code 2 before it listened; the next one starts in 2 s/;
      await eventually(() => expect(server.stdout).toMatch(report));
      expect(await readyOf(server)).toBe(200);
      configure('info');
      await eventually(async () => {
        const [started = 0] = workersOf(server).filter((pid) => pid !== other);
        await (await fetch(`${server.url}/docs`, { headers: { connection: 'close' } })).text();
        expect(server.stdout).toContain(`"pid":${started}`);
      });
      expect(server.stdout.match(/is ready at/g)).toHaveLength(1);
      expect(await server.end('SIGTERM')).toBe(0);
    }),
  );

  it(
    'ends with the exit code of a worker that cannot start once no other worker listens',
    inTwoWorkers(async ({ server, configure }) => {
      configure('unknown');
      for (const worker of workersOf(server)) process.kill(worker, 'SIGKILL');
      await eventually(() => expect(server.exitCode).toBe(2));
      expect(server.stdout).toContain('before it listened, and no other one listens');
    }),
  );
});

interface Workers {
  readonly server: ServerProcess;
  /** Changes the level of the log in the file of options, which each new worker reads. */
  readonly configure: (logLevel: string) => void;
}

function inTwoWorkers(test: (workers: Workers) => Promise<void>): () => Promise<void> {
  return async () => {
    const database = await createServerDatabase('MariaDB');
    const options = ['--db', database.url, '--sessions', `${REDIS_URL}`, '--workers', '2'];
    const server = new ServerProcess(options);
    const file = join(server.data, 'options.yaml');
    options.push('--config', file);
    const configure = (logLevel: string) => writeFileSync(file, `log-level: ${logLevel}\n`);
    try {
      configure('warn');
      await server.start();
      await test({ server, configure });
    } finally {
      await server.remove();
      await database.remove();
    }
  };
}

/** Does nothing if the worker has ended, since none of its requests is pending. */
function askToStop(worker: number): void {
  try {
    process.kill(worker, 'SIGTERM');
  } catch (error) {
    expect(error).toMatchObject({ code: 'ESRCH' });
  }
}

/** The status of the readiness probe; 503 if nothing listens any more. */
function readyOf({ url }: ServerProcess): Promise<number> {
  const answer = fetch(`${url}/health/ready`, { headers: { connection: 'close' } });
  return answer.then(
    ({ status }) => status,
    () => 503,
  );
}

/**
 * Begins a request: resolves once a worker has read its head.
 *
 * @returns sends the rest, and returns the status of the answer
 */
async function beginAt({ url }: ServerProcess, n: number): Promise<() => Promise<number>> {
  const body = JSON.stringify({ username: `held-${n}`, displayName: 'x' });
  const call = request(`${url}/fidoapi/certify/attestation/options`, {
    method: 'POST',
    agent: false,
    headers: {
      'content-type': 'application/json',
      'content-length': body.length,
      expect: '100-continue',
      'x-servicefido-relyingparty': 'localhost',
    },
  });
  const answered = once(call, 'response') as Promise<[IncomingMessage]>;
  // A connection that breaks is reported by `finish`.
  answered.catch(() => undefined);
  call.flushHeaders();
  await once(call, 'continue');
  return async () => {
    call.end(body);
    const [response] = await answered;
    response.resume();
    return response.statusCode ?? 0;
  };
}
