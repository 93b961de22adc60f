import { Load } from './client/load.mjs';
import { fill } from '../scripts/lib/load/population.mjs';
import { Store } from '../scripts/lib/load/stores.mjs';
import { cpuSeconds, peakMemory } from './process-meter.mjs';
import { startServer } from './server-process.mjs';
import { evaluate, median, medians } from './statistics.mjs';

/** Shares of a server's capacity at which users arrive at random times. */
export const SHARES = [0.1, 0.3, 0.7];
/** How long a server is used before the measurement, so that its code is compiled. */
const WARM_UP_SECONDS = 3;

/** Starts a contestant and warms it up. */
export async function enter(contestant, { node, flags, visitors, users, concurrency }) {
  const { args, database, cores } = contestant.ready;
  const server = await startServer({ node, flags, args, cores });
  if (database !== undefined) {
    const store = new Store(database);
    await fill(store, users);
    await store.close();
  }
  const load = new Load({ port: server.port, visitors, concurrency, prefix: contestant.name });
  await load.prepare();
  await load.logins(WARM_UP_SECONDS);
  const arrivals = SHARES.map(() => []);
  return { ...contestant, server, load, logins: [], arrivals, registrations: [] };
}

/**
 * One turn of one contestant: sequential logins, logins at random times, then registrations; the others
 * are idle during this.
 */
export async function takeTurn(entry, seconds) {
  const { load, server } = entry;
  entry.logins.push(await phase(server.pid, () => load.logins(seconds)));
  for (const [n, share] of SHARES.entries()) {
    const perSecond = share * median(entry.logins.map((turn) => turn.perSecond));
    entry.arrivals[n].push(await phase(server.pid, () => load.arrivals(perSecond, seconds / 2)));
  }
  const expected = Math.ceil((entry.logins[0].perSecond * seconds) / 2);
  entry.registrations.push(
    // Creating the keys is the client's work, done before the phase is timed.
    await phase(server.pid, load.freshRegistrations(seconds / 2, expected)),
  );
}

/** A contestant's result over all rounds. */
export function resultOf({ name, title, server, logins, arrivals, registrations }) {
  return {
    name,
    title,
    login: medians(logins),
    arrivals: arrivals.map(medians),
    registration: medians(registrations),
    peakMemoryMiB: peakMemory(server.pid),
    rounds: { logins, arrivals, registrations },
  };
}

async function phase(pid, work) {
  const cpu = cpuSeconds(pid);
  const start = performance.now();
  const durations = await work();
  const seconds = (performance.now() - start) / 1000;
  return evaluate({ durations, seconds, cpu: cpuSeconds(pid) - cpu });
}
