/**
 * `npm run long -- fuzz [COUNT [DATABASE-URL]]`: COUNT malformed requests (100,000) over all endpoints, with and
 * without an administrator's password, and valid assertions corrupted in their own sessions. No answer may be a 5xx, no
 * changed signature, challenge or credential may be accepted, the process must not end, no user, credential, tenant or
 * list may change, and memory must remain constant.
 */
import { Agent, request } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { Connection } from '../../bench/client/connection.mjs';
import { Visitor } from '../../bench/client/visitor.mjs';
import { ensureBuild } from '../lib/build.mjs';
import { FuzzCases, randomFrom } from '../lib/fuzz-cases.mjs';
import { printFigures, sizeFrom } from '../lib/harness.mjs';
import { OwnServer } from '../lib/own-server.mjs';
import { Refusal, say } from '../lib/project.mjs';
import { run } from '../lib/run.mjs';

const AT_ONCE = 16;
const IMPOSTORS = 2;
const MOST_DRIFT_MIB = 64;
/** On Node.js 24 each half of V8's young generation may grow to 64 MiB, which would hide a leak. */
const YOUNG_GENERATION = '--max-semi-space-size=16';
const PATHS = [
  ...[
    '/',
    '/status',
    '/getversion',
    '/demo',
    '/docs',
    '/users',
    '/userapi',
    '/userapi/manageusers',
  ],
  ...['/userapi/aaguid', '/userapi/upload', '/userapi/invoice', '/userapi/invoiceest', '/metrics'],
  ...['/userapi/deletelistusers', '/userapi/tickets', '/userapi/audit', '/tenantapi/tenants'],
  ...['/fidoapi/test', '/fidoapi/testdb', '/health/live', '/.well-known/jwks.json', '/nothing/%zz'],
];
const SAMPLES = new Map([
  ['/fidoapi/register/begin', { username: 'a', displayName: 'a', algorithms: ['es256'], keypair: {} }],
  ['/fidoapi/authenticate/begin', { username: 'fuzz-1@example.com', userVerification: 'preferred' }],
  ['/fidoapi/register/complete', result({ attestationObject: 'o2NmbXRkbm9uZQ' })],
  ['/fidoapi/authenticate/complete', result({ authenticatorData: 'AAAA', signature: 'MEUC', userHandle: 'AA' })],
]); // prettier-ignore

/** A well-formed result call; without a pending ceremony it is refused regardless of its content. */
function result(response) {
  const clientDataJSON = Buffer.from('{"type":"webauthn.get","challenge":"AA"}').toString(
    'base64url',
  );
  return {
    id: 'AAAA',
    rawId: 'AAAA',
    type: 'public-key',
    response: { clientDataJSON, ...response },
  };
}

await run(async () => {
  const [count, database, ...rest] = process.argv.slice(2);
  if (rest.length > 0) throw new Refusal('takes a number and the URL of an empty database');
  const size = sizeFrom(count === undefined ? [] : [count], 100_000);
  ensureBuild();
  process.env.NODE_OPTIONS = YOUNG_GENERATION;
  const server = new OwnServer();
  try {
    await server.start(database === undefined ? [] : ['--db', database]);
    await fuzz(server, size);
  } finally {
    await server.remove();
  }
});

async function fuzz(server, size) {
  const seed = Date.now();
  const cases = new FuzzCases({ random: randomFrom(seed), samples: SAMPLES, paths: PATHS });
  const canary = new Visitor('canary@example.com');
  await visit(server, (connection) => canary.register(connection));
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const statuses = new Map();
  const faults = [];
  const before = await stateOf(server);
  let [sent, warm, spoiled] = [0, 0, 0];
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
    await visit(server, (connection) => visitor.register(connection));
    while (sent < size && server.running) {
      const tried = await visit(server, (connection) =>
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
  if (server.running) await visit(server, (connection) => canary.authenticate(connection)).catch((error) => faults.push({ canary: error.message })); // prettier-ignore
  const drift = server.running ? Math.round(server.memory - warm) : 0;
  if (drift > MOST_DRIFT_MIB) faults.push({ drift });
  for (const fault of faults.slice(0, 5)) say(JSON.stringify(fault).slice(0, 500));
  const answers = Object.fromEntries([...statuses].sort());
  printFigures(
    'fuzz',
    {
      requests: sent,
      'spoiled sign-ins': spoiled,
      seed,
      ...answers,
      'memory drift MiB': drift,
      faults: faults.length,
    },
    faults.length === 0,
  );
}

async function visit({ port }, ceremony) {
  const connection = new Connection(port);
  try {
    return await ceremony(connection);
  } finally {
    connection.close();
  }
}

/**
 * Sends a case; bodies as raw bytes, since not all of them are text. Half of the calls are authorised, except those
 * that would legitimately delete data.
 */
function send({ port, admin }, agent, { method, path, headers, body, authorised }) {
  const text = Buffer.from(body);
  const given = headers.map((line) => line.split(': '));
  const sent = request({
    port,
    agent,
    method,
    path,
    host: '127.0.0.1',
    timeout: 10_000,
    headers: {
      'Content-Type': 'application/json',
      'X-ServiceFido-RelyingParty': 'localhost',
      ...(authorised && !path.includes('type=del') ? { Authorization: admin.authorization } : {}),
      ...Object.fromEntries(given),
      'Content-Length': text.length,
    },
  });
  return new Promise((resolve, reject) => {
    sent.on('response', (answer) => answer.resume().on('end', () => resolve(answer.statusCode)));
    sent.on('error', reject).on('timeout', () => sent.destroy(new Error('no answer')));
    sent.end(text);
  });
}

/** The administration's view of the canary, the tenants and the whitelist, as text. */
async function stateOf({ url, admin }) {
  const paths = ['/users?filter=canary*', '/tenantapi/tenants', '/userapi/aaguid'];
  const read = async (path) => {
    const answer = await fetch(url + path, {
      headers: { authorization: admin.authorization, accept: 'application/json' },
    });
    return answer.text();
  };
  // A refusal contains the ID of its request, which differs each time.
  return (await Promise.all(paths.map(read))).join('\n').replaceAll(/"requestId":"[^"]*"/g, '');
}

/** Whether the verified parts of a changed assertion are still identical byte for byte. */
function provesTheSame({ good, sent }) {
  const proof = ({ id, response }) =>
    [id, response.clientDataJSON, response.authenticatorData, response.signature].map((text) =>
      Buffer.from(text, 'base64url').toString('hex'),
    );
  return isDeepStrictEqual(proof(good), proof(sent));
}
