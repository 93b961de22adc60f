/**
 * `npm run long -- users [USERS --store sqlite|mariadb]` fills a database with users (a million) who have two
 * keys each. While users sign in, the administration and others make expensive calls. Prints the duration of
 * these calls, the delay of the event loop and the duration of a sign-in: the figures of docs/users.md and
 * docs/speed.md. Exit code 1 if the event loop is delayed by more than 50 ms, a sign-in fails, or a hundredth
 * of the searches by words take more than 100 ms. Needs Linux.
 */
import { FOR_VISITORS } from '../../bench/contestants.mjs';
import { percentile } from '../../bench/statistics.mjs';
import { spread } from '../lib/harness.mjs';
import { People } from '../lib/load/people.mjs';
import { fill, usersWithKeys } from '../lib/load/population.mjs';
import { runLoad } from '../lib/load/run-load.mjs';
import { say } from '../lib/project.mjs';
import { JOBS, SEARCH } from '../lib/users/jobs.mjs';

const MOST_DELAY_MS = 50;
const MOST_SEARCH_MS = 100;

await runLoad({ usual: 1_000_000 }, async ({ size: users, server, store }) => {
  const options = ['--db', store.url, ...FOR_VISITORS];
  await server.start(options);
  await server.end();
  say(`filling ${store.name}: ${users} users, ${2 * users} credentials`);
  await fill(store, users, usersWithKeys(2));
  await store.run('DELETE FROM search_progress');
  await store.analyse('users', 'credentials');
  await server.start(options);
  const people = await new People(server.port).join();
  await server.admin.warmUp();
  const load = { server, admin: server.admin, users };
  for (const [title, job] of JOBS) {
    await server.lag();
    const work = () => server.memoryDuring(() => job(load));
    const { result, seconds, durations, failures } = await people.during(work);
    const { result: calls, memory } = result;
    const { p99, max } = await server.lag();
    const taken = calls.length > 0 ? `, ${spread(calls)}` : '';
    say(`${title}: ${calls.length} calls in ${seconds.toFixed(1)} s${taken}`);
    say(
      `  meanwhile: ${durations.length} sign-ins, ${spread(durations)}, ${failures.length} failed`,
    );
    say(`  event loop p99 ${p99} ms, longest ${max} ms; at most ${memory} MiB`);
    for (const failure of new Set(failures)) say(failure);
    const isSlow = title === SEARCH && percentile(calls, 0.99) > MOST_SEARCH_MS;
    if (max > MOST_DELAY_MS || failures.length > 0 || isSlow) process.exitCode = 1;
  }
});
