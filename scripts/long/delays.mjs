/**
 * `npm run long -- delays [USERS --store sqlite|mariadb]`: how long the event loop of a server with USERS
 * users (a million) is held up while people sign in and the administration pages through all users, uploads
 * a list or asks for an invoice, or TPM keys are registered. Exit code 1 where that is more than 50 ms, or a
 * sign-in failed. Needs Linux.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { ORIGIN } from '../../bench/client/authenticator.mjs';
import { UNLIMITED } from '../../bench/contestants.mjs';
import { fillStore } from '../../bench/fill.mjs';
import { JOBS } from '../lib/delays/jobs.mjs';
import { spread } from '../lib/harness.mjs';
import { Logins } from '../lib/load/logins.mjs';
import { runLoad } from '../lib/load/run-load.mjs';
import { say } from '../lib/project.mjs';

const MOST_MS = 50;

await runLoad({ usual: 1_000_000 }, async ({ size: users, server, store }) => {
  const place = ['--domain', 'localhost', '--origin', ORIGIN, ...UNLIMITED];
  await server.start(['--db', store.url, ...place]);
  const logins = await Logins.register(server.port);
  say(`filling: ${users} users`);
  await fillStore(store, users);
  await server.admin.warmUp();
  for (const [title, job] of JOBS) {
    const during = await logins.during(async () => {
      await pause(1000);
      await server.lag();
      const began = performance.now();
      const calls = await job({ server, users });
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      return { calls, seconds, ...(await server.lag()) };
    });
    const { calls, seconds, p99, max } = during.result;
    const delay = `event loop p99 ${p99} ms, longest ${max} ms`;
    const others = `logins ${spread(during.durations)}, ${during.failures.length} failed`;
    say(`${title}: ${calls} calls in ${seconds} s; ${delay}; ${others}`);
    if (max > MOST_MS || during.failures.length > 0) process.exitCode = 1;
  }
});
