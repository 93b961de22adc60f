import '../register-typescript.mjs';
import { setTimeout as pause } from 'node:timers/promises';
import { ORIGIN, RP_ID } from '../../../bench/client/authenticator.mjs';
import { Connection } from '../../../bench/client/connection.mjs';

const authenticators = '../../../test/support/authenticator';
const { SoftAuthenticator } = await import(`${authenticators}/soft-authenticator.ts`);
const { ALG } = await import(`${authenticators}/key-pair.ts`);
const { writeTpm } = await import(`${authenticators}/tpm-statement.ts`);

const QUIET_MS = 5000;
const PAGES = 100;
const LISTED = 100_000;
const TPM_KEYS = 100;

/** What others do while people sign in: a title and a function that says how many calls it made. */
export const JOBS = [
  ['nothing else', nothing],
  ['pages of 100', ({ server }) => pages(server, 100)],
  ['pages of 1,000', ({ server }) => pages(server, 1000)],
  ['a search with an asterisk in front', ({ server }) => search(server, '*99@example*')],
  ['the upload of a list', upload],
  ['an invoice', invoice],
  ['registrations of TPM keys', registerTpmKeys],
];

async function nothing() {
  await pause(QUIET_MS);
  return 0;
}

async function pages({ admin }, limit) {
  let next = {};
  for (let calls = 1; calls <= PAGES; calls += 1) {
    const { body } = await admin.manage({ limit: String(limit), ...next });
    if (body.next === null) return calls;
    next = { cursor: body.next };
  }
  return PAGES;
}

async function search({ admin }, filter) {
  for (let calls = 0; calls < 20; calls += 1) await admin.manage({ filter });
  return 20;
}

async function upload({ server: { admin }, users }) {
  const step = Math.max(1, Math.floor(users / LISTED));
  const lines = Array.from({ length: LISTED }, (_, n) => `filler-${n * step}@example.com`);
  await admin.upload('/userapi/upload', lines);
  return 1;
}

async function invoice({ server: { admin } }) {
  for (let calls = 0; calls < 5; calls += 1) await admin.get('/userapi/invoice');
  return 5;
}

async function registerTpmKeys({ server }) {
  const connection = new Connection(server.port);
  const headers = `X-ServiceFido-RelyingParty: ${RP_ID}\r\n`;
  const send = async (path, body, more = '') => {
    const answer = await connection.post(path, JSON.stringify(body), headers + more);
    if (answer.status !== 200) throw new Error(answer.body);
    return answer;
  };
  for (let n = 0; n < TPM_KEYS; n += 1) {
    const authenticator = new SoftAuthenticator({
      // Making RSA keys would take the client longer than the server.
      attestation: (input) => writeTpm(input, { alg: ALG.ES256 }),
    });
    const user = { username: `tpm-${n}`, displayName: `tpm-${n}`, attestation: 'direct' };
    const { body, cookie } = await send('/fidoapi/register/begin', user);
    const made = authenticator.create(JSON.parse(body), { origin: ORIGIN });
    await send('/fidoapi/register/complete', made, `Cookie: ${cookie}\r\n`);
  }
  connection.close();
  return TPM_KEYS;
}
