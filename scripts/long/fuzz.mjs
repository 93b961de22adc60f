/**
 * `npm run long -- fuzz [COUNT --store sqlite|mariadb]`: COUNT malformed requests (100,000) over all endpoints, with and
 * without an administrator's password, and valid assertions corrupted in their own sessions. No answer may be a 5xx, no
 * changed signature, challenge or credential may be accepted, the process must not end, no user, credential, tenant or
 * list may change, and memory must remain constant.
 */
import { Agent, request } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { Connection } from '../../bench/client/connection.mjs';
import { Visitor } from '../../bench/client/visitor.mjs';
import { FuzzCases } from '../lib/fuzz-cases.mjs';
import { printFigures } from '../lib/harness.mjs';
import { runLoad } from '../lib/load/run-load.mjs';
import { say } from '../lib/project.mjs';

const { randomFrom } = await import('../../test/support/fuzz/spoil.ts');

const AT_ONCE = 16;
const IMPOSTORS = 2;
const MAX_DRIFT_MIB = 64;
/** On Node.js 24 each half of V8's young generation may grow to 64 MiB, which would hide a leak. */
const YOUNG_GENERATION = '--max-semi-space-size=16';
const PAGES = '/ /status /getversion /demo /docs /users /metrics /health/live /nothing/%zz';
const CALLS =
  '/userapi /userapi/manageusers /userapi/aaguid /userapi/upload /userapi/invoice /userapi/invoiceest ' +
  '/userapi/deletelistusers /userapi/tickets /userapi/audit /tenantapi/tenants ' +
  '/fidoapi/test /fidoapi/testdb /.well-known/jwks.json';
const PATHS = `${PAGES} ${CALLS}`.split(' ');
const SAMPLES = new Map([
  ['/fidoapi/register/begin', { username: 'a', displayName: 'a', algorithms: ['es256'], keypair: {} }],
  ['/fidoapi/authenticate/begin', { username: 'fuzz-1@example.com', userVerification: 'preferred' }],
  ['/fidoapi/register/complete', result({ attestationObject: 'o2NmbXRkbm9uZQ' })],
  ['/fidoapi/authenticate/complete', result({ authenticatorData: 'AAAA', signature: 'MEUC', userHandle: 'AA' })],
]); // prettier-ignore

/** A well-formed result call; without a pending ceremony it is refused regardless of its content. */
function result(response) {
  const clientDataJSON = btoa('{"type":"webauthn.get","challenge":"AA"}');
  const id = { id: 'AAAA', rawId: 'AAAA', type: 'public-key' };
  return { ...id, response: { clientDataJSON, ...response } };
}

process.env.NODE_OPTIONS = YOUNG_GENERATION;

await runLoad({ usual: 100_000 }, async ({ size, server, store }) => {
  await server.start(['--db', store.url]);
  await fuzz(server, size);
});

async function fuzz(server, size) {
  const visit = (ceremony) => Connection.during(server.port, ceremony);
  const seed = Date.now();
  const cases = new FuzzCases({ random: randomFrom(seed), samples: SAMPLES, paths: PATHS });
  const canary = new Visitor('canary@example.com');
  await visit((connection) => canary.register(connection));
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const statuses = new Map();
  const faults = [];
  const before = await stateOf(server);
  let sent = 0;
  let warm = 0;
  let spoiled = 0;
  const worker = async () => {
    while (sent < size && server.running) {
      sent += 1;
      const attempt = cases.next();
      const status = await send(server, agent, attempt).catch((error) => error.code ?? 'cut');
      const kind = typeof status === 'number' ? `${Math.floor(status / 100)}xx` : status;
      statuses.set(kind, (statuses.get(kind) ?? 0) + 1);
      if (status >= 500) faults.push({ status, ...attempt });
      if (sent === Math.ceil(size / 5)) warm = server.memory;
    }
  };
  const change = (good) => cases.changed(good);
  const impostor = async (_, n) => {
    const visitor = new Visitor(`impostor-${n}@example.com`);
    await visit((connection) => visitor.register(connection));
    while (sent < size && server.running) {
      const tried = await visit((connection) =>
        visitor.authenticateChanged(connection, change),
      ).catch((error) => ({ status: error.message }));
      spoiled += 1;
      const passed = tried.status === 200 && !provesTheSame(tried);
      if (passed || tried.status >= 500) faults.push(tried);
    }
  };
  await Promise.all([
    ...Array.from({ length: AT_ONCE }, worker),
    ...Array.from({ length: IMPOSTORS }, impostor),
  ]);
  agent.destroy();
  if (!server.running) faults.push({ exit: server.said });
  else if ((await stateOf(server)) !== before) faults.push({ changed: before });
  if (server.running) await visit((connection) => canary.authenticate(connection)).catch((error) => faults.push({ canary: error.message })); // prettier-ignore
  const drift = server.running ? Math.round(server.memory - warm) : 0;
  if (drift > MAX_DRIFT_MIB) faults.push({ drift });
  for (const fault of faults.slice(0, 5)) say(JSON.stringify(fault).slice(0, 500));
  const answers = Object.fromEntries([...statuses].sort());
  const figures = { requests: sent, 'spoiled sign-ins': spoiled, seed, ...answers };
  const counts = { 'memory drift MiB': drift, faults: faults.length };
  printFigures('fuzz', { ...figures, ...counts }, faults.length === 0);
}

/** Sends a case. Half of the calls are authorised, except those that would legitimately delete data. */
function send({ url, admin }, agent, { method, path, type, body, authorised }) {
  const sent = request(url + path, {
    agent,
    method,
    timeout: 10_000,
    headers: {
      'Content-Type': type ?? 'application/json',
      'X-ServiceFido-RelyingParty': 'localhost',
      ...(authorised && !path.includes('type=del') ? { Authorization: admin.authorization } : {}),
      'Content-Length': body.length,
    },
  });
  return new Promise((resolve, reject) => {
    sent.on('response', (answer) => answer.resume().on('end', () => resolve(answer.statusCode)));
    sent.on('error', reject).on('timeout', () => sent.destroy(new Error('no answer')));
    sent.end(body);
  });
}

/** The administration's view of the canary, the tenants and the whitelist, as text. */
async function stateOf({ admin }) {
  const paths = ['/users?filter=canary*', '/tenantapi/tenants', '/userapi/aaguid'];
  const headers = { accept: 'application/json' };
  const answers = await Promise.all(
    paths.map((path) => admin.open(path, { headers }).then((answer) => answer.text())),
  );
  // A refusal contains the ID of its request, which differs each time.
  return answers.join('\n').replaceAll(/"requestId":"[^"]*"/g, '');
}

/** Whether the verified parts of a changed assertion are still identical byte for byte. */
function provesTheSame({ good, sent }) {
  const proof = ({ id, response }) =>
    [id, response.clientDataJSON, response.authenticatorData, response.signature].map((text) =>
      Buffer.from(text, 'base64url').toString('hex'),
    );
  return isDeepStrictEqual(proof(good), proof(sent));
}
