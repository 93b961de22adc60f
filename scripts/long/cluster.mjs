/**
 * `npm run long -- cluster`: two instances over a Galera cluster of three nodes and Redis with Sentinel,
 * behind HAProxy, all started here from installed programs. Users register and sign in while two nodes write,
 * and while nodes are killed, isolated and restored; finally every acknowledged registration and sign-in is
 * checked on every node. Prints one line of figures; exit code 1 on a violation.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { ensureBuild } from '../lib/build.mjs';
import { Cluster } from '../lib/cluster/cluster.mjs';
import { printFigures } from '../lib/harness.mjs';
import { Visitors } from '../lib/load/visitors.mjs';
import { say } from '../lib/project.mjs';
import { run } from '../lib/run.mjs';

const CALM_MS = 3000;
/** Sign-ins after an event, which show that the service is well. */
const ENOUGH = 20;
const PATIENCE_MS = 60_000;
/** How long another node writes. */
const CONFLICT_MS = 20_000;
/** Codes that a client with a genuine key, used once at a time, must never receive. */
const FALSE_ALARM = /E003[2-6]R/;
/** The maximum outage: the failover time of the database and of the session store. */
const LIMIT_MS = 10_000;

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

await run(async () => {
  ensureBuild();
  say('starting three Galera nodes, Redis with a replica and Sentinels, HAProxy, two instances');
  const cluster = await Cluster.start();
  try {
    await test(cluster);
  } finally {
    await cluster.stop();
  }
});
process.exit();

async function test(cluster) {
  const visitors = await new Visitors(new URL(cluster.url).port).join();
  const gaps = {};
  const refusals = [];
  let logins = 0;
  const during = async (name, event) => {
    say(name);
    const work = () => event().then(() => signInsGoOn(visitors));
    const options = { registering: true, replaying: true };
    const { durations, failures } = await visitors.during(work, options);
    gaps[name] = Math.round(visitors.longestGap);
    logins += durations.length;
    refusals.push(...failures);
    return failures;
  };
  await during('calm', async () => {});
  const faults = [...cluster.exposedPasswords().map(() => 'a password on a command line')];
  if (await believesClients(cluster)) faults.push('an address that a client made up was believed');
  const torn = await conflict(cluster, visitors, during);
  const killed = await cluster.writer();
  await during('the writer is killed', () => killed.end('SIGKILL'));
  await during('it comes back', () => killed.start(cluster.nodes));
  const cutOff = await cluster.writer();
  await during('the new writer is cut off', () => cutOff.isolate(true));
  await during('it is joined again', async () => {
    await cutOff.isolate(false);
    await cutOff.synced();
  });
  const [primary, replica] = cluster.redis;
  await during('the Redis primary is killed', () => primary.end('SIGKILL'));
  await during('it comes back as a replica', () => primary.start(replica));
  const [server] = cluster.servers;
  let exitCode;
  const refused = await during('an instance is restarted', async () => {
    exitCode = await server.end('SIGTERM');
    await cluster.startServer(server);
  });
  const disturbed = refused.length + (exitCode === 0 ? 0 : 1);
  const lost = await reconcile(cluster, visitors);
  report({ visitors, logins, gaps, refusals, disturbed, faults, torn, lost });
}

/**
 * Another node changes the keys with which visitors sign in, so that Galera undoes transactions of the server in the
 * middle.
 *
 * @returns how many sign-ins were refused, or stored without being acknowledged, or the other way round
 */
async function conflict(cluster, visitors, during) {
  const writer = await cluster.writer();
  const other = cluster.nodes.find((node) => node !== writer);
  const numberOf = async (sql) => Number(Object.values((await writer.sql(sql))[0]).at(-1));
  const undone = () => numberOf("SHOW STATUS LIKE 'wsrep_local_bf_aborts'");
  const stored = () =>
    numberOf("SELECT COUNT(*) FROM servicefido.events WHERE kind = 'authentication'");
  const before = { undone: await undone(), stored: await stored() };
  let goesOn = true;
  const writing = (async () => {
    for (let n = 0; goesOn; n += 1) {
      const sql = `UPDATE servicefido.credentials SET device_name = 'key ${n}' ORDER BY RAND() LIMIT 4`;
      // Galera may undo this change as well.
      await other.sql(sql).catch(() => undefined);
    }
  })();
  const refused = await during('another node writes too', () => pause(CONFLICT_MS)).finally(
    () => (goesOn = false),
  );
  await writing;
  const conflicts = (await undone()) - before.undone;
  say(`transactions that Galera undid because of the other node: ${conflicts}`);
  const difference = Math.abs((await stored()) - before.stored - visitors.durations.length);
  return refused.length + difference;
}

async function signInsGoOn(visitors) {
  const enough = visitors.durations.length + ENOUGH;
  const deadline = performance.now() + PATIENCE_MS;
  while (visitors.durations.length < enough) {
    if (performance.now() > deadline) {
      throw new Error(`nobody could sign in for a minute: ${visitors.failures.at(-1)}`);
    }
    await pause(20);
  }
  await pause(CALM_MS);
}

/** Whether a client can make the servers believe in another address than its own, or in HTTPS over plain HTTP. */
async function believesClients(cluster) {
  const made = '203.0.113.9';
  const forwarded = {
    'x-forwarded-for': made,
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'evil.example',
    forwarded: `for=${made};proto=https`,
  };
  const body = JSON.stringify({ tenant: 'forwarded' });
  const headers = { ...forwarded, 'content-type': 'application/json' };
  await cluster.admin.text('/tenantapi/tenants', { method: 'POST', headers, body });
  const { entries } = (await cluster.admin.get('/userapi/audit?action=tenant.create&limit=1')).body;
  const { headers: answered } = await fetch(`${cluster.url}/health/live`, { headers: forwarded });
  return entries[0]?.address !== '127.0.0.1' || answered.has('strict-transport-security');
}

/** Acknowledged users who are missing on a node, or whose counter is lower than acknowledged. */
async function reconcile({ nodes }, { visitors }) {
  let lost = 0;
  for (const node of nodes) {
    await node.synced();
    const rows = await node.sql(
      'SELECT u.username, c.sign_count FROM servicefido.users u JOIN servicefido.credentials c ON c.user_id = u.id',
    );
    const counts = new Map(rows.map((row) => [row.username.toString('utf8'), row.sign_count]));
    for (const { username, signCount } of visitors) {
      if (!(counts.get(username) >= signCount)) lost += 1;
    }
  }
  return lost;
}

function report({ visitors, logins, gaps, refusals, disturbed, faults, torn, lost }) {
  say(`longest time without a sign-in: ${JSON.stringify(gaps)} ms`);
  const byCode = Object.groupBy(refusals, (refusal) => /E\d{4}R/.exec(refusal)?.[0] ?? refusal);
  for (const [code, all] of Object.entries(byCode))
    say(`refused meanwhile: ${code} ×${all.length}`);
  for (const fault of faults) say(fault);
  const slow = Object.values(gaps).filter((ms) => ms > LIMIT_MS);
  const falseAlarms = refusals.filter((refusal) => FALSE_ALARM.test(refusal)).length;
  const violations = {
    lost,
    'refused or torn by another writer': torn,
    'false alarms': falseAlarms,
    'replays taken': visitors.replaysTaken,
    'outages too long': slow.length,
    'calls disturbed by the restart of an instance': disturbed,
    'passwords or addresses exposed': faults.length,
  };
  const { registered, replays } = visitors;
  const figures = { registrations: registered, 'sign-ins': logins, replays, ...violations };
  const held = Object.values(violations).every((count) => count === 0);
  printFigures('cluster', figures, held);
}
