/**
 * `npm run long -- cluster`: two instances over a Galera cluster of three nodes and Redis with Sentinel,
 * behind HAProxy, all started here from installed programs. Users register and sign in while nodes are
 * killed, isolated and restored; finally every acknowledged registration and sign-in is checked on every
 * node. Prints one line of figures; exit code 1 on a violation.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { ensureBuild } from '../lib/build.mjs';
import { Cluster } from '../lib/cluster/cluster.mjs';
import { Population } from '../lib/cluster/population.mjs';
import { ensurePackages } from '../lib/packages.mjs';
import { say } from '../lib/project.mjs';
import { run } from '../lib/run.mjs';

const CONCURRENCY = 8;
const CALM_MS = 3000;
/** The maximum outage: the failover time of the database and of the session store. */
const LIMIT_MS = { database: 10_000, sessions: 10_000 };

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

await run(async () => {
  ensurePackages();
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
  const users = new Population(cluster.url, CONCURRENCY);
  const gaps = {};
  const during = async (name, event) => {
    say(name);
    gaps[name] = await users.during(event);
    await pause(CALM_MS);
  };
  await during('calm', async () => {});
  const faults = [...cluster.exposedPasswords().map(() => 'a password on a command line')];
  if (await believesClients(cluster)) faults.push('an address that a client made up was believed');
  const killed = await cluster.writer();
  await during('the writer is killed', () => killed.kill());
  await during('it comes back', () => killed.start(cluster.nodes));
  const cutOff = await cluster.writer();
  await during('the new writer is cut off', () => cutOff.isolate(true));
  await during('it is joined again', async () => {
    await cutOff.isolate(false);
    await cutOff.synced();
  });
  const [primary, replica] = cluster.redis;
  await during('the Redis primary is killed', () => primary.process.end('SIGKILL'));
  await during('it comes back as a replica', () => primary.start(replica));
  const [server] = cluster.servers;
  let exitCode;
  const before = users.refusalCount;
  await during('an instance is restarted', async () => {
    exitCode = await server.end('SIGTERM');
    await cluster.startServer(server);
  });
  const disturbed = users.refusalCount - before + (exitCode === 0 ? 0 : 1);
  await users.stop();
  report({ users, gaps, disturbed, faults, lost: await reconcile(cluster, users) });
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
async function reconcile({ nodes }, { journal }) {
  let lost = 0;
  for (const node of nodes) {
    await node.synced();
    const rows = await node.sql(
      'SELECT u.username, c.sign_count FROM servicefido.users u JOIN servicefido.credentials c ON c.user_id = u.id',
    );
    const counts = new Map(rows.map((row) => [row.username.toString('utf8'), row.sign_count]));
    for (const [username, { count }] of journal) {
      if (!(counts.get(username) >= count)) lost += 1;
    }
  }
  return lost;
}

function report({ users, gaps, disturbed, faults, lost }) {
  const refused = [...users.refusals].map(([code, times]) => `${code} ×${times}`).join(', ');
  say(`longest time without a sign-in: ${JSON.stringify(gaps)} ms`);
  say(`refused meanwhile: ${refused || 'nothing'}`);
  for (const fault of faults) say(fault);
  const slow = Object.entries(gaps).filter(
    ([name, ms]) => ms > LIMIT_MS[name.includes('Redis') ? 'sessions' : 'database'],
  );
  const violations = lost + users.falseAlarms + users.replaysTaken + slow.length + disturbed;
  console.log(
    `cluster: ${users.journal.size} registrations and ${users.logins} sign-ins acknowledged, ` +
      `${lost} lost, ${users.falseAlarms} false alarms, ` +
      `${users.replaysTaken} of ${users.replays} replays taken, ${slow.length} outages too long, ` +
      `${disturbed} calls disturbed by the restart of an instance, ` +
      `${faults.length} passwords or addresses exposed`,
  );
  process.exitCode = violations + faults.length === 0 ? 0 : 1;
}
