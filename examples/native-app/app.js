/** The app. It implements by hand what Android or iOS does when an app requests a passkey. */
import { createECDH, createHash, createPrivateKey, randomBytes, sign } from 'node:crypto';

const { BACKEND = 'http://localhost:3000', ORIGIN = 'android:apk-key-hash:example' } = process.env;
const [username = `user-${Date.now()}`] = process.argv.slice(2);

async function call(path, body, headers = {}) {
  const answer = await fetch(`${BACKEND}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { 'Content-Type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

const sha256 = (data) => createHash('sha256').update(data).digest();
const base64url = (bytes) => Buffer.from(bytes).toString('base64url');
const hex = (digits) => Buffer.from(digits, 'hex');

/** The app's passkey: a P-256 key pair and a credential ID. */
const ecdh = createECDH('prime256v1');
const point = ecdh.generateKeys();
const x = point.subarray(1, 33);
const y = point.subarray(33);
const jwk = {
  kty: 'EC',
  crv: 'P-256',
  x: base64url(x),
  y: base64url(y),
  d: base64url(ecdh.getPrivateKey()),
};
const credential = { id: randomBytes(32), key: createPrivateKey({ key: jwk, format: 'jwk' }) };
/** The user handle of the passkey, from the creation options. */
let userHandle;

const clientData = (type, challenge) =>
  Buffer.from(JSON.stringify({ type, challenge, origin: ORIGIN }));

/** Authenticator data (WebAuthn L3 §6.1): user present, user verified, signature counter always 0. */
const authenticatorData = (rpId, flags, attestedData = Buffer.alloc(0)) =>
  Buffer.concat([sha256(rpId), Buffer.of(0x05 | flags), Buffer.alloc(4), attestedData]);

function create({ challenge, rp, user, ceremony }) {
  userHandle = user.id;
  const coseKey = [hex('a5010203262001215820'), x, hex('225820'), y];
  const attested = [Buffer.alloc(16), Buffer.of(0, 32), credential.id, ...coseKey];
  const data = authenticatorData(rp.id, 0x40, Buffer.concat(attested));
  // CBOR: {"fmt": "none", "attStmt": {}, "authData": data}
  const head = hex('a363666d74646e6f6e656761747453746d74a0686175746844617461');
  return result(ceremony, {
    clientDataJSON: base64url(clientData('webauthn.create', challenge)),
    attestationObject: base64url(Buffer.concat([head, Buffer.of(0x58, data.length), data])),
  });
}

function get({ challenge, rpId, ceremony }) {
  const client = clientData('webauthn.get', challenge);
  const data = authenticatorData(rpId, 0);
  const signature = sign('sha256', Buffer.concat([data, sha256(client)]), credential.key);
  return result(ceremony, {
    clientDataJSON: base64url(client),
    authenticatorData: base64url(data),
    signature: base64url(signature),
    userHandle,
  });
}

/** Body of a result call. */
const result = (ceremony, response) => {
  const id = base64url(credential.id);
  return { type: 'public-key', id, rawId: id, response, ceremony };
};

const { secret } = await call('/signup', { username });
const applicant = { 'X-Signup-Secret': secret };
// Simulates a closed first prompt: the sign-up can continue only with its secret.
await call('/fidoapi/register/begin', {}, applicant);
await call('/signup', { username }, applicant);
const creation = await call('/fidoapi/register/begin', {}, applicant);
await call('/fidoapi/register/complete', create(creation), applicant);
// Without a user name, the passkey identifies the user.
const request = await call('/fidoapi/authenticate/begin', { mediation: 'optional' });
const { token } = await call('/fidoapi/authenticate/complete', get(request));
const me = await call('/me', undefined, { Authorization: `Bearer ${token}` });
console.log(`Signed in as ${me.username}`);
