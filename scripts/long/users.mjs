/**
 * `npm run long -- users [USERS --store sqlite|mariadb]` fills a database with users (a million) who have two
 * keys each, and measures what the user administration does with them: the figures of docs/users.md.
 */
import { ORIGIN } from '../../bench/client/authenticator.mjs';
import { fillStore } from '../../bench/fill.mjs';
import { spread } from '../lib/harness.mjs';
import { Logins } from '../lib/load/logins.mjs';
import { peopleWith, usernameOf } from '../lib/load/names.mjs';
import { runLoad } from '../lib/load/run-load.mjs';
import { say } from '../lib/project.mjs';

const LISTED = 100_000;
const SAMPLES = 200;

await runLoad({ usual: 1_000_000 }, async ({ size: users, server, store }) => {
  await server.start(['--db', store.url, '--domain', 'localhost', '--origin', ORIGIN]);
  const logins = await Logins.register(server.port);
  say(`filling: ${users} users, ${2 * users} credentials`);
  await fillStore(store, users, peopleWith(2));
  await store.analyse('users', 'credentials');
  await server.admin.warmUp();
  await searchByPrefix(server, users);
  await walkAllPages(server, users);
  await changeOneByOne(server, users);
  await deleteListed(server, users, logins);
});

/** The nth of some users that are spread over all. */
function somewhere(n, users) {
  return usernameOf((n * 7919 * 104_729) % users);
}

function report(what, durations, more = '') {
  say(`${what}: ${durations.length} calls, ${spread(durations)}${more}`);
}

/** The first page of what a help desk types. */
async function searchByPrefix({ admin }, users) {
  const durations = [];
  for (let n = 0; n < SAMPLES; n += 1) {
    const filter = `${somewhere(n, users).slice(0, 4 + (n % 5))}*`;
    durations.push((await admin.manage({ filter })).ms);
  }
  report('prefix search, first page', durations);
  const rare = [];
  for (let n = 0; n < 20; n += 1) rare.push((await admin.manage({ filter: `*${n}99@*` })).ms);
  report('search with an asterisk in front, first page', rare);
}

/** Every page of the whole list, and what the server's memory does meanwhile. */
async function walkAllPages(server, users) {
  for (const limit of [100, 1000]) {
    const [durations, memory] = [[], [server.memory]];
    let seen = 0;
    let next = {};
    do {
      const { body, ms } = await server.admin.manage({ limit: String(limit), ...next });
      durations.push(ms);
      seen += body.users.length;
      next = body.next === null ? undefined : { cursor: body.next };
      if (durations.length % 50 === 0) memory.push(server.memory);
    } while (next);
    if (seen < users) throw new Error(`the list showed ${seen} of ${users}`);
    const [before, most, after] = [memory[0], Math.max(...memory), memory.at(-1)].map(Math.round);
    const range = `memory ${before} MiB before, ${most} at most, ${after} after`;
    report(`all pages of ${limit}`, durations, `; ${range}`);
  }
}

/** Disables and enables one user after the other. */
async function changeOneByOne({ admin }, users) {
  const durations = [];
  for (let n = 0; n < SAMPLES; n += 1) {
    const filter = somewhere(n, users);
    for (const type of ['disableall', 'enableall']) {
      const { body, ms } = await admin.manage({ type, filter });
      if (body.credentials !== 2) throw new Error(`${type} ${filter}: ${JSON.stringify(body)}`);
      durations.push(ms);
    }
  }
  report("one user's change", durations);
}

/** Uploads a list and deletes its users while others sign in. */
async function deleteListed({ admin }, users, logins) {
  const listed = Math.min(LISTED, Math.floor(users / 2));
  const lines = Array.from({ length: listed }, (_, n) => usernameOf(2 * n + 1));
  const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;
  const { body: uploaded, ms } = await admin.upload('/userapi/upload', lines);
  say(`upload of ${listed} names: ${seconds(ms)}, found ${uploaded.found}`);
  const { uploadId } = uploaded;
  const { result, durations, failures } = await logins.during(() =>
    admin.post('/userapi/deletelistusers', { uploadId }),
  );
  const { deleted, credentials } = result.body;
  say(`deletion of ${deleted} users, ${credentials} credentials: ${seconds(result.ms)}`);
  report('logins meanwhile', durations, `; ${failures.length} failed`);
  for (const failure of new Set(failures)) say(failure);
}
