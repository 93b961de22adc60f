import '../register-typescript.mjs';
import { setTimeout as pause } from 'node:timers/promises';
import { ORIGIN } from '../../../bench/client/authenticator.mjs';
import { Connection } from '../../../bench/client/connection.mjs';
import { Visitor } from '../../../bench/client/visitor.mjs';
import { searchText, usernameOf } from '../load/names.mjs';

const authenticators = '../../../test/support/authenticator';
const { SoftAuthenticator } = await import(`${authenticators}/soft-authenticator.ts`);
const { ALG } = await import(`${authenticators}/key-pair.ts`);
const { writeTpm } = await import(`${authenticators}/tpm-statement.ts`);

const QUIET_MS = 5000;
const SAMPLES = 200;
const SEARCHES = 1_000;
/** Milliseconds between two searches, as if a few users typed at once. */
const TYPING_MS = 20;
const LISTED = 100_000;
const TPM_KEYS = 100;

export const SEARCH = 'search by words';

/**
 * Activity during sign-ins, by the administration and others: a title, and a function that returns the
 * milliseconds of each call. The first reads the names, which the search needs.
 */
export const JOBS = [
  ['reading all names', readNames],
  ['nothing else', () => pause(QUIET_MS, [])],
  ['prefix search, first page', searchByPrefix],
  ['search with an asterisk in front', searchByEnd],
  [SEARCH, searchByWords],
  ['all pages of 100', (load) => allPages(load, 100)],
  ['all pages of 1,000', (load) => allPages(load, 1000)],
  ['changes of one user', changeOneByOne],
  ['invoices', ({ admin }) => repeat(5, () => admin.get('/userapi/invoice'))],
  ['registrations of TPM keys', registerTpmKeys],
  ['upload of a list', upload],
  ['deletion of its users', deleteListed],
];

/** @param call resolves with its own `ms` */
async function repeat(count, call) {
  const durations = [];
  for (let n = 0; n < count; n += 1) durations.push((await call(n)).ms);
  return durations;
}

/** The nth of some users that are spread over all. */
const somewhere = (n, users) => usernameOf((n * 7919 * 104_729) % users);

const search = ({ admin }, text) =>
  admin.get(`/userapi/users?${new URLSearchParams({ search: text, limit: '50' })}`);

async function readNames(load) {
  const began = performance.now();
  while (!(await search(load, 'anna')).body.complete) await pause(500);
  return [performance.now() - began];
}

/** Prefixes as the help desk types them. */
function searchByPrefix({ admin, users }) {
  return repeat(SAMPLES, (n) =>
    admin.manage({ filter: `${somewhere(n, users).slice(0, 4 + (n % 5))}*` }),
  );
}

function searchByEnd({ admin }) {
  return repeat(20, (n) => admin.manage({ filter: `*${n}99@*` }));
}

function searchByWords(load) {
  return repeat(SEARCHES, async (n) => {
    await pause(TYPING_MS);
    return search(load, searchText(n, load.users));
  });
}

async function allPages({ admin, users }, limit) {
  const durations = [];
  let seen = 0;
  for (let next = {}; next;) {
    const { body, ms } = await admin.manage({ limit: String(limit), ...next });
    durations.push(ms);
    seen += body.users.length;
    next = body.next === null ? undefined : { cursor: body.next };
  }
  if (seen < users) throw new Error(`the list showed ${seen} of ${users}`);
  return durations;
}

function changeOneByOne({ admin, users }) {
  return repeat(2 * SAMPLES, async (n) => {
    const type = n % 2 === 0 ? 'disableall' : 'enableall';
    const { body, ms } = await admin.manage({ type, filter: somewhere(n >> 1, users) });
    if (body.credentials !== 2) throw new Error(`${type}: ${JSON.stringify(body)}`);
    return { ms };
  });
}

async function upload(load) {
  const listed = Math.min(LISTED, Math.floor(load.users / 2));
  const lines = Array.from({ length: listed }, (_, n) => usernameOf(2 * n + 1));
  const { body, ms } = await load.admin.upload('/userapi/upload', [lines.join('\n')]);
  load.uploadId = body.uploadId;
  return [ms];
}

function deleteListed({ admin, uploadId }) {
  return repeat(1, () => admin.post('/userapi/deletelistusers', { uploadId }));
}

/** The time of each contains the client's work, which creates and certifies the key. */
function registerTpmKeys({ server }) {
  // Creating RSA keys would take the client longer than the server.
  const attestation = (input) => writeTpm(input, { alg: ALG.ES256 });
  const register = (_, begun) =>
    new SoftAuthenticator({ attestation }).create(begun, { origin: ORIGIN });
  return Connection.during(server.port, (connection) =>
    repeat(TPM_KEYS, async (n) => {
      const began = performance.now();
      await new Visitor(`tpm-${n}`, { register }).register(connection, { attestation: 'direct' });
      return { ms: performance.now() - began };
    }),
  );
}
