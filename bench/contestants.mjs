import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { EarlierVersion } from '../scripts/lib/earlier-version.mjs';
import { newFolder } from '../scripts/lib/folder.mjs';
import { createStore } from '../scripts/lib/load/stores.mjs';
import { inProject } from '../scripts/lib/project.mjs';
import { findServer } from '../scripts/lib/services/find-server.mjs';
import { MARIADB } from '../scripts/lib/services/mariadb.mjs';
import { REDIS } from '../scripts/lib/services/redis.mjs';
import { ORIGIN, RP_ID } from './client/authenticator.mjs';

/** All users here share one address, so the limit of an address must not apply. */
const UNLIMITED = ['--rate-address', '1000000000', '--rate-user', '1000000000'];

/** Flags of a server for many users of this client, whose page has another port. */
export const FOR_VISITORS = ['--domain', RP_ID, '--origin', ORIGIN, ...UNLIMITED];

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
  const folder = newFolder('bench');
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
  const [{ TEST_MYSQL_URL: mysql }, { TEST_REDIS_URL: redis }] = services.map(({ env }) => env);
  const store = await createStore('mariadb', { mysql });
  const shared = ['--sessions', redis, '--workers', String(workers)];
  const one = { ...ours({ main, database: store.url, more: shared }), cores: workers };
  const cleanUp = async () => {
    await store.remove();
    await Promise.all([one.cleanUp(), ...services.map(({ stop }) => stop?.())]);
  };
  return { ...one, cleanUp };
}
