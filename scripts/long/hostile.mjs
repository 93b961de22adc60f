/**
 * `npm run long -- hostile [SECONDS]`: measures the share of sign-ins that a server at its limit
 * still serves while attackers send 20 of the most expensive registrations per second, from one address and
 * from twenty. Turns with and without them alternate. The server's CPU time is measured, because creating such
 * registrations costs more than checking them, and here both share a machine. Exit code 1 if less than 80 %
 * remain with one address, or a sign-in failed. The effect of many addresses is only printed: stopping them is
 * the task of a proxy in front. Needs Linux and an otherwise idle machine: if the registrations come more
 * slowly, their limit does not show. Choose a multiple of six seconds, in which an address may send its share:
 * turns of eight seconds let it send two shares, and less remains.
 */
import { X509Certificate } from 'node:crypto';
import { ORIGIN, RP_ID } from '../../bench/client/authenticator.mjs';
import { Load } from '../../bench/client/load.mjs';
import { median } from '../../bench/statistics.mjs';
import { printFigures } from '../lib/harness.mjs';
import { DEAREST, HostileCallers, anchor } from '../lib/hostile-callers.mjs';
import { runLoad } from '../lib/load/run-load.mjs';
import { say } from '../lib/project.mjs';

const PER_SECOND = 20;
const KEPT = 0.8;
const VISITORS = 32;
/** Few, so that this process can create the registrations fast enough. */
const CONCURRENCY = 2;
const ADDRESSES = [1, 20];
const ROUNDS = 3;

const percent = (share) => `${Math.round(share * 100)} %`;

await runLoad({ usual: 12 }, async ({ size: seconds, server, store }) => {
  // X-Forwarded-For names the caller.
  const place = ['--domain', RP_ID, '--origin', ORIGIN, '--trust-proxy', '1'];
  await server.start(['--db', store.url, ...place]);
  // With an anchor, paths are validated up to it.
  await server.admin.setPolicy(RP_ID, {
    anchors: [String(new X509Certificate(anchor()))],
    trust: 'report',
  });
  const { port } = server;
  const load = new Load({ port, visitors: VISITORS, concurrency: CONCURRENCY, prefix: 'person' });
  await load.prepare();
  const signIns = async () => (await load.logins(seconds)).length;
  await signIns();
  const turn = async (callers) => {
    const before = server.cpuSeconds;
    const count = await (callers ? callers.during(signIns, PER_SECOND) : signIns());
    return { count, cpu: server.cpuSeconds - before };
  };
  const kept = {};
  for (const [title, attestation] of DEAREST) {
    for (const addresses of ADDRESSES) {
      const callers = new HostileCallers({ port, addresses, attestation });
      const each = await costOf(callers, turn);
      const share = 1 - PER_SECOND * each;
      const answers = JSON.stringify(Object.fromEntries(callers.answers));
      const name = `${title}, from ${addresses === 1 ? 'one address' : `${addresses} addresses`}`;
      const cost = `${(each * 1000).toFixed(1)} ms each at ${callers.perSecond.toFixed(0)} a second`;
      say(`${name}: ${cost}, ${percent(share)} kept; ${answers}`);
      if (addresses === 1) kept[name] = share;
    }
  }
  const least = Math.min(...Object.values(kept));
  printFigures(
    'hostile',
    { 'least of the sign-ins kept beside one address': percent(least) },
    least >= KEPT,
  );
});

/** The CPU seconds of one hostile registration: the median of the rounds. */
async function costOf(callers, turn) {
  const costs = [];
  let before = await turn();
  for (let round = 0; round < ROUNDS; round += 1) {
    const served = callers.count;
    const beside = await turn(callers);
    const after = await turn();
    const login = (before.cpu + after.cpu) / (before.count + after.count);
    costs.push((beside.cpu - beside.count * login) / (callers.count - served));
    before = after;
  }
  return median(costs);
}
