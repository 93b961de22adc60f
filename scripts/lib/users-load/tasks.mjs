import { percentile } from '../../../bench/statistics.mjs';
import { say } from '../project.mjs';
import { nameOf } from './database.mjs';

const LISTED = 100_000;
const SAMPLES = 200;

/** The nth of some users that are spread over all. */
const somewhere = (n, users) => ((n * 7919 * 104_729) % users) + 1;

function report(what, durations, more = '') {
  const [p50, p99, max] = [0.5, 0.99, 1].map((share) => percentile(durations, share).toFixed(1));
  say(`${what}: ${durations.length} calls, p50 ${p50} ms, p99 ${p99} ms, longest ${max} ms${more}`);
}

/** The first page of what a help desk types. */
export async function searchByPrefix(admin, users) {
  const durations = [];
  for (let n = 0; n < SAMPLES; n += 1) {
    const filter = `${nameOf(somewhere(n, users)).slice(0, 8 + (n % 5))}*`;
    durations.push((await admin.manage({ filter })).ms);
  }
  report('prefix search, first page', durations);
  const rare = [];
  for (let n = 0; n < 20; n += 1) rare.push((await admin.manage({ filter: `*${n}99@*` })).ms);
  report('search with an asterisk in front, first page', rare);
}

/** Every page of the whole list, and what the server's memory does meanwhile. */
export async function walkAllPages(admin, users) {
  for (const limit of [100, 1000]) {
    const [durations, memory] = [[], [admin.residentMiB()]];
    let seen = 0;
    let next = {};
    do {
      const { body, ms } = await admin.manage({ limit: String(limit), ...next });
      durations.push(ms);
      seen += body.users.length;
      next = body.next === null ? undefined : { cursor: body.next };
      if (durations.length % 50 === 0) memory.push(admin.residentMiB());
    } while (next);
    if (seen < users) throw new Error(`the list showed ${seen} of ${users}`);
    const range = `memory ${memory[0]} MiB before, ${Math.max(...memory)} at most, ${memory.at(-1)} after`;
    report(`all pages of ${limit}`, durations, `; ${range}`);
  }
}

/** Disables and enables one user after the other. */
export async function changeOneByOne(admin, users) {
  const durations = [];
  for (let n = 0; n < SAMPLES; n += 1) {
    const filter = nameOf(somewhere(n, users));
    for (const type of ['disableall', 'enableall']) {
      const { body, ms } = await admin.manage({ type, filter });
      if (body.credentials !== 2) throw new Error(`${type} ${filter}: ${JSON.stringify(body)}`);
      durations.push(ms);
    }
  }
  report("one user's change", durations);
}

/** Uploads a list and deletes its users while others sign in. */
export async function deleteListed(admin, users, logins) {
  const listed = Math.min(LISTED, users / 2);
  const lines = Array.from({ length: listed }, (_, n) => nameOf(2 * n + 1));
  const uploaded = await admin.upload('/userapi/upload', lines);
  say(
    `upload of ${listed} names: ${(uploaded.ms / 1000).toFixed(1)} s, found ${uploaded.body.found}`,
  );
  logins.begin();
  const { uploadId } = uploaded.body;
  const { body, ms } = await admin.post('/userapi/deletelistusers', { uploadId });
  await logins.end();
  say(
    `deletion of ${body.deleted} users, ${body.credentials} credentials: ${(ms / 1000).toFixed(1)} s`,
  );
  report('logins meanwhile', logins.durations, `; ${logins.failures.length} failed`);
  for (const failure of new Set(logins.failures)) say(failure);
}
