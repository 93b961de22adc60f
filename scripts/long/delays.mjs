/**
 * `npm run long -- delays [USERS [sqlite|mysql://root@127.0.0.1:3306]]`: how long the event loop of a
 * server with USERS users (a million) is held up while people sign in and the administration pages
 * through all users, uploads a list or asks for an invoice, or TPM keys are registered. Exit code 1 where
 * that is more than 50 ms, or a sign-in failed. Needs Linux.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { percentile } from '../../bench/statistics.mjs';
import { ORIGIN } from '../../bench/client/authenticator.mjs';
import { UNLIMITED } from '../../bench/contestants.mjs';
import { fill } from '../../bench/fill.mjs';
import { ensureBuild } from '../lib/build.mjs';
import { OwnServer, PASSWORD } from '../lib/own-server.mjs';
import { say } from '../lib/project.mjs';
import { run } from '../lib/run.mjs';
import { Admin } from '../lib/users-load/admin.mjs';
import { LoadDatabase } from '../lib/users-load/database.mjs';
import { Logins } from '../lib/users-load/logins.mjs';
import { JOBS } from '../lib/delays/jobs.mjs';

const MOST_MS = 50;

const [wanted = '1000000', target = 'sqlite'] = process.argv.slice(2);

await run(async () => {
  ensureBuild();
  const users = Number(wanted);
  const server = new OwnServer();
  const database = target === 'sqlite' ? undefined : await LoadDatabase.create(target);
  const uri = database?.url ?? `sqlite:${server.folder}/servicefido.sqlite`;
  try {
    await server.start(['--db', uri, '--domain', 'localhost', '--origin', ORIGIN, ...UNLIMITED]);
    const logins = await Logins.register(server.port);
    say(`filling: ${users} users`);
    await fill(uri, users);
    const admin = new Admin(server, PASSWORD);
    await admin.warmUp();
    for (const [title, job] of JOBS) {
      const held = await measure(title, () => job({ admin, server, users }), { server, logins });
      if (!held) process.exitCode = 1;
    }
  } finally {
    await server.remove();
    await database?.remove();
  }
});
process.exit();

/** @returns whether nothing failed and nobody waited too long */
async function measure(title, job, { server, logins }) {
  logins.durations.length = 0;
  logins.failures.length = 0;
  logins.begin();
  await pause(1000);
  await lagOf(server.port);
  const began = performance.now();
  const calls = await job();
  const seconds = (performance.now() - began) / 1000;
  const { p99, max } = await lagOf(server.port);
  await logins.end();
  const [login, longest] = [0.99, 1].map((share) => percentile(logins.durations, share).toFixed(0));
  say(
    `${title}: ${calls} calls in ${seconds.toFixed(1)} s; event loop p99 ${p99} ms, longest ${max} ms; ` +
      `logins p99 ${login} ms, longest ${longest} ms, ${logins.failures.length} failed`,
  );
  return max <= MOST_MS && logins.failures.length === 0;
}

/** The delay of the event loop since the last call, in ms. */
async function lagOf(port) {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const of = (name) =>
    Number(new RegExp(`^nodejs_eventloop_lag_${name}_seconds (\\S+)`, 'm').exec(text)[1]);
  return { p99: Math.round(of('p99') * 1000), max: Math.round(of('max') * 1000) };
}
