import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EarlierVersion } from '../scripts/lib/earlier-version.mjs';
import { inProject } from '../scripts/lib/project.mjs';
import { findServer } from '../scripts/lib/services/find-server.mjs';
import { MARIADB } from '../scripts/lib/services/mariadb.mjs';
import { REDIS } from '../scripts/lib/services/redis.mjs';

/** All users here share one address, so the limit of an address must not apply. */
export const UNLIMITED = ['--rate-address', '1000000000', '--rate-user', '1000000000'];

/** The contestants: a title, and a function that prepares a server for start on a port. */
export const CONTESTANTS = {
  floor: {
    title: 'floor: node:http and one crypto.verify, a Map',
    prepare: () => ({ args: (port) => [inProject('bench/servers/floor.mjs'), String(port)] }),
  },
  usual: {
    title: 'usual: Express, express-session, SimpleWebAuthn, in memory',
    prepare: () => ({ args: (port) => [inProject('bench/servers/usual.mjs'), String(port)] }),
  },
  sqlite: { title: 'ServiceFido on SQLite', prepare: ({ main }) => ours({ main }), isOurs: true },
  before: { title: 'ServiceFido on SQLite, the version before', prepare: versionBefore },
  mariadb: {
    title: 'ServiceFido on MariaDB and Redis',
    prepare: onMariadbAndRedis,
    isOurs: true,
  },
};

function ours({ main, database, more = [] }) {
  const folder = mkdtempSync(join(tmpdir(), 'servicefido-bench-'));
  const db = database ?? `sqlite:${join(folder, 'servicefido.sqlite')}`;
  const place = ['--data', folder, '--db', db, '--host', '127.0.0.1'];
  const base = [...place, '--log-level', 'warn', ...UNLIMITED];
  return {
    database: db,
    args: (port) => [main, '--port', String(port), ...base, ...more],
    cleanUp: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Builds an earlier commit, for comparison with this tree. */
function versionBefore({ against }) {
  const earlier = new EarlierVersion(against);
  earlier.build();
  const one = ours({ main: earlier.main });
  const cleanUp = async () => {
    await one.cleanUp();
    earlier.remove();
  };
  return { ...one, cleanUp };
}

/** Uses the same services as the tests; without them this contestant reports why it does not take part. */
async function onMariadbAndRedis({ main, workers }) {
  const services = await Promise.all([findServer(MARIADB), findServer(REDIS)]);
  const absent = services.filter(({ missing }) => missing !== undefined);
  if (absent.length > 0) {
    await Promise.all(services.map(({ stop }) => stop?.()));
    return { absent: absent.map(({ name, missing }) => `${name}: ${missing}`).join('; ') };
  }
  const [{ TEST_MYSQL_URL: server }, { TEST_REDIS_URL: redis }] = services.map(({ env }) => env);
  const name = `servicefido_bench_${randomUUID().slice(0, 8)}`;
  await onServer(server, `CREATE DATABASE ${name}`);
  const shared = ['--sessions', redis, '--workers', String(workers)];
  const one = { ...ours({ main, database: `${server}/${name}`, more: shared }), cores: workers };
  const cleanUp = async () => {
    await onServer(server, `DROP DATABASE ${name}`);
    await Promise.all([one.cleanUp(), ...services.map(({ stop }) => stop?.())]);
  };
  return { ...one, cleanUp };
}

async function onServer(uri, statement) {
  const { createConnection } = await import('mysql2/promise');
  const connection = await createConnection({ uri });
  await connection.query(statement);
  await connection.end();
}
