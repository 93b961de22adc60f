/** The floor: the cost of Node itself and one signature check. Knows its client, stores nothing. */
import { createHash, createPublicKey, randomBytes, verify } from 'node:crypto';
import { createServer } from 'node:http';

const RP_ID = 'localhost';
const ORIGIN = 'http://localhost:8080';
const RP_ID_HASH = sha256(RP_ID);
/** The fixed part of an ES256 public key in SubjectPublicKeyInfo (RFC 5480), before the point. */
const SPKI_P256 = Buffer.from('3059301306072a8648ce3d020106082a8648ce3d03010703420004', 'hex');

const users = new Map();
const pending = new Map();

const routes = {
  '/fidoapi/register/begin': ({ username }) => begin({ username }),
  '/fidoapi/register/complete': registered,
  '/fidoapi/authenticate/begin': ({ username }) =>
    begin({ username, allow: users.get(username).id }),
  '/fidoapi/authenticate/complete': authenticated,
};

function begin({ username, allow }) {
  const challenge = randomBytes(32).toString('base64url');
  const session = randomBytes(16).toString('base64url');
  pending.set(session, { username, challenge });
  const allowCredentials = allow && [{ type: 'public-key', id: allow }];
  return { session, body: { status: 'ok', challenge, rpId: RP_ID, allowCredentials } };
}

function registered({ id, response }, session) {
  const { username } = take(session, response.clientDataJSON, 'webauthn.create');
  // An ES256 COSE key in canonical order ends in: x (32 bytes), 3 bytes, y (32 bytes).
  const end = Buffer.from(response.attestationObject, 'base64url').subarray(-67);
  const spki = Buffer.concat([SPKI_P256, end.subarray(0, 32), end.subarray(35)]);
  const key = createPublicKey({ key: spki, format: 'der', type: 'spki' });
  users.set(username, { id, key, count: 0 });
  return { body: { status: 'ok' } };
}

function authenticated({ id, response }, session) {
  const { username, hash } = take(session, response.clientDataJSON, 'webauthn.get');
  const user = users.get(username);
  const data = Buffer.from(response.authenticatorData, 'base64url');
  const count = data.readUInt32BE(33);
  const right =
    user.id === id &&
    data.subarray(0, 32).equals(RP_ID_HASH) &&
    (data[32] & 1) === 1 &&
    count > user.count &&
    verify(
      'sha256',
      Buffer.concat([data, hash]),
      user.key,
      Buffer.from(response.signature, 'base64url'),
    );
  if (!right) throw new Error('refused');
  user.count = count;
  return { body: { status: 'ok' } };
}

function take(session, clientDataJSON, type) {
  const ceremony = pending.get(session);
  pending.delete(session);
  const bytes = Buffer.from(clientDataJSON, 'base64url');
  const data = JSON.parse(bytes);
  const right =
    data.type === type && data.challenge === ceremony.challenge && data.origin === ORIGIN;
  if (!right) throw new Error('refused');
  return { username: ceremony.username, hash: sha256(bytes) };
}

function sha256(data) {
  return createHash('sha256').update(data).digest();
}

function answer(request, response, text) {
  let status = 200;
  let result;
  try {
    result = routes[request.url](JSON.parse(text), request.headers.cookie?.slice(4));
  } catch {
    status = 401;
    result = { body: { status: 'failed' } };
  }
  const body = JSON.stringify(result.body);
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  if (result.session) headers['set-cookie'] = `sid=${result.session}; HttpOnly`;
  response.writeHead(status, headers).end(body);
}

createServer((request, response) => {
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (chunk) => (text += chunk));
  request.on('end', () => answer(request, response, text));
}).listen(Number(process.argv[2]), '127.0.0.1');
