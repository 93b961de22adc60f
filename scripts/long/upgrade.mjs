/**
 * `npm run long -- upgrade [--users N --from REF]`: an earlier version (REF, by default the last release, or
 * version 1.0) with N users (20,000) is replaced by this one: on MariaDB and Redis
 * instance by instance, on SQLite by a stop and a start. During this users register and sign in; on MariaDB
 * users of a domain that moves sign in at the new one, an administrator changes keys, a program reads events,
 * a webhook receives them, and finance issues statements. There a later version with migrations replaces this
 * one too: its first start is killed while a migration waits for a long read. Nothing may fail or be missing,
 * and nobody may sign in as somebody else. Then the earlier version starts again over the same database,
 * unless a later one has migrated it.
 */
import { parseArgs } from 'node:util';
import { percentile } from '../../bench/statistics.mjs';
import { ensureBuild } from '../lib/build.mjs';
import { printFigures } from '../lib/harness.mjs';
import { Refusal, say } from '../lib/project.mjs';
import { run } from '../lib/run.mjs';
import { findServer } from '../lib/services/find-server.mjs';
import { MARIADB } from '../lib/services/mariadb.mjs';
import { REDIS } from '../lib/services/redis.mjs';
import { EarlierVersion } from '../lib/earlier-version.mjs';
import { replaceOneByOne, stopAndStart } from '../lib/upgrade/upgrades.mjs';

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

const { values } = parseArgs({
  options: { users: { type: 'string', default: '20000' }, from: { type: 'string' } },
});

await run(async () => {
  const users = Number(values.users);
  if (!Number.isInteger(users) || users < 1) throw new Refusal('--users takes a whole number');
  ensureBuild();
  const services = await Promise.all([findServer(MARIADB), findServer(REDIS)]);
  const earlier = new EarlierVersion(values.from ?? (await EarlierVersion.defaultRef()));
  try {
    earlier.build();
    const migrations = earlier.laterMigrations();
    say(`migrations since: ${migrations.join(', ') || 'none'}`);
    const place = { earlier, migrations };
    report('upgrade on SQLite', await stopAndStart(earlier, { users }), place);
    const [mysql, redis] = services.map(({ env }) => Object.values(env)[0]);
    for (const { name, missing } of services) if (missing) say(`${name}: ${missing}`);
    if (!mysql || !redis) return;
    const figures = await replaceOneByOne(earlier, { users, mysql, redis });
    report('upgrade on MariaDB and Redis', figures, place);
  } finally {
    earlier.remove();
    await Promise.all(services.map(({ stop }) => stop?.()));
  }
});
process.exit();

/** Prints the line of figures; exit code 1 if the upgrade failed. */
function report(
  title,
  { visitors, failures, work, retries, unclean, readyMs, before },
  { earlier, migrations },
) {
  const { durations, registered, begunAgain } = visitors;
  for (const failure of new Set(failures)) say(failure);
  // A version refuses a schema that is newer than itself: see docs/operations.md.
  const goesBack = before === 'starts' || migrations.length > 0 || work.changes > 0;
  const missing = (work.unread ?? 0) + (work['read twice'] ?? 0) + (work.undelivered ?? 0);
  const figures = {
    from: earlier.name,
    'sign-ins': durations.length,
    registrations: registered,
    ...work,
    failed: failures.length,
    'second tries': retries,
    'keypair begun again': begunAgain,
    'longest sign-in ms': Math.round(percentile(durations, 1)),
    'ready within ms': readyMs,
    'started again, the version before': before === 'starts' ? 'serves' : `says "${before}"`,
  };
  printFigures(title, figures, failures.length + unclean + missing === 0 && goesBack);
}
