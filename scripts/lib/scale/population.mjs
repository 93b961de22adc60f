import { createHash } from 'node:crypto';
import { Authenticator, RP_ID } from '../../../bench/client/authenticator.mjs';
import { Visitor } from '../../../bench/client/visitor.mjs';
import { KEY } from '../../../bench/fill.mjs';
import { displayNameOf, usernameOf } from '../load/names.mjs';
import { built } from '../migrations.mjs';

const { entriesOf } = await built('users/search/folding.js');

/** Relying parties: the first has two fifths of all users, the others share the rest. */
export const RELYING_PARTIES = 1000;
export const KEYS_OF_USER = 3;
/** The maximum number of users that `usernameOf` can distinguish. */
export const MOST_USERS = 10_000_000;

const MS_BETWEEN_USERS = 1000;
const DAY_MS = 86_400_000;
/** In the order in which they occur for a user. */
const EVENTS = ['user-created', 'registration', 'registration', 'registration', 'authentication'];
const DEVICES = ['Security key', 'Phone', 'Laptop'];
const MODELS = 12;
const CERTIFICATE = Buffer.alloc(620, 'c');
const PROOF = Buffer.alloc(180, 'p');
const EVIDENCE = '{"format":"packed","type":"basic","trustPath":[0]}';

const sha256 = (data) => createHash('sha256').update(data).digest();
const md5 = (text) => createHash('md5').update(text).digest();

export const partyName = (n) => (n === 0 ? RP_ID : `rp${n}.load.example`);
const partyOf = (n) => (n % 5 < 2 ? 0 : 1 + ((n * 7919) % (RELYING_PARTIES - 1)));

/** Two of every five users belong to the first relying party: one signs in, and one may be deleted. */
const someOf = (users, k) => 5 * ((k * 7919 * 104_729) % Math.floor(users / 5));

const credentialIdOf = (key) => sha256(`key ${key}`);

/** The kth of some users who sign in, spread over all, with an existing key. */
export function visitorOf(users, k, keyPair) {
  const n = someOf(users, k);
  const id = credentialIdOf(KEYS_OF_USER * n);
  return new Visitor(usernameOf(n), new Authenticator({ keyPair, id, counts: false }));
}

/** The name of the kth of some users who may be deleted, spread over all. */
export const leaverOf = (users, k) => usernameOf(someOf(users, k) + 1);

/** An ID in the service's format: it begins with the time. */
function idOf(at, serial) {
  const id = Buffer.from('00000000000070008000000000000000', 'hex');
  id.writeUIntBE(at, 0, 6);
  id.writeUIntBE(serial, 10, 6);
  return id;
}

/**
 * Returns the rows of a block's users by table, each table in the order of its primary key.
 *
 * @param block numbers of users, `{ from, to }`
 * @param parties the relying parties' IDs by the names of the columns that refer to them
 * @param began when the first user was created
 * @param publicKey of all keys
 */
export function rowsOfBlock(block, { parties, began, publicKey }) {
  const cameAt = (n) => began + n * MS_BETWEEN_USERS;
  const user = (n) => ({ id: idOf(cameAt(n), n), ...parties[partyOf(n)] });
  const place = { block, cameAt, user, publicKey };
  return {
    users: users(place),
    credentials: credentials(place),
    attestations: attestations(place),
    events: events(place),
    search_words: words(place),
    usage_active: activeUsers(place),
  };
}

function* numbers({ block: { from, to } }) {
  for (let n = from; n < to; n += 1) yield n;
}

/**
 * Distributes the items of users with several over the block, so that in the order of the primary key the
 * items of one user are far apart, as if created over years.
 */
function* turns({ block: { from, to }, cameAt }, each) {
  const size = to - from;
  for (let place = 0; place < size * each; place += 1) {
    const [n, turn] = [from + (place % size), Math.floor(place / size)];
    const at = cameAt(from) + Math.floor((place * MS_BETWEEN_USERS) / each);
    yield { n, turn, at, serial: each * n + turn };
  }
}

function* users(place) {
  for (const n of numbers(place)) {
    yield {
      ...place.user(n),
      username: Buffer.from(usernameOf(n)),
      display_name: displayNameOf(n),
      user_handle: sha256(String(n)),
      created_at: place.cameAt(n),
    };
  }
}

function* credentials(place) {
  for (const { n, turn, at, serial } of turns(place, KEYS_OF_USER)) {
    const { id: user_id, ...party } = place.user(n);
    const credential_id = credentialIdOf(serial);
    const model = { aaguid: md5(`model ${n % MODELS}`), transports: 'usb,nfc' };
    yield {
      ...KEY,
      ...party,
      id: idOf(at, serial),
      user_id,
      credential_id,
      credential_hash: sha256(credential_id),
      public_key: place.publicKey,
      sign_count: 0,
      device_name: DEVICES[turn],
      ...(turn === 0 ? model : { aaguid: KEY.aaguid, transports: 'internal,hybrid' }),
      attestation_format: turn === 0 ? 'packed' : 'none',
      attestation_type: turn === 0 ? 'basic' : 'none',
      enabled: serial % 50 === 7 ? 0 : 1,
      registered_at: at,
      last_used_at: serial % 2 ? at + DAY_MS : null,
      last_ceremony: md5(String(serial)),
      registration_flags: 65,
      attestation_asked: 0,
      resident_key: 1,
    };
  }
}

/** A ninth of all keys have an attestation. */
function* attestations(place) {
  for (const { n, turn, at, serial } of turns(place, KEYS_OF_USER)) {
    if (turn > 0 || n % 3 > 0) continue;
    const proved = { evidence: EVIDENCE, certificates: CERTIFICATE, proof: PROOF };
    yield { ...place.user(n), id: idOf(at, serial), ...proved, authorities: Buffer.alloc(0) };
  }
}

function* events(place) {
  for (const { n, turn, at, serial } of turns(place, EVENTS.length)) {
    const { id: user_id, ...party } = place.user(n);
    const key = KEYS_OF_USER * n + ((turn + 2) % KEYS_OF_USER);
    const isOfKey = turn > 0;
    yield {
      id: idOf(at, serial),
      at,
      user_id,
      username: Buffer.from(usernameOf(n)),
      ...party,
      credential: isOfKey ? sha256(credentialIdOf(key)).subarray(0, 8) : Buffer.alloc(8),
      kind: EVENTS[turn],
      address: isOfKey ? `203.0.${n % 113}.${n % 251}` : null,
      browser: isOfKey ? 'Firefox on Linux' : null,
    };
  }
}

function* words(place) {
  for (const n of numbers(place)) {
    const { id: user_id, ...party } = place.user(n);
    const entries = entriesOf({ username: usernameOf(n), displayName: displayNameOf(n) });
    for (const word of entries) yield { ...party, word, user_id };
  }
}

/** A quarter was active this month. */
function* activeUsers(place) {
  const date = new Date();
  const month = date.getUTCFullYear() * 100 + date.getUTCMonth() + 1;
  for (const n of numbers(place)) {
    const { id: user_id, ...party } = place.user(n);
    if (n % 4 === 0) yield { month, ...party, user_id, since: place.cameAt(n) };
  }
}
