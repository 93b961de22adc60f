import { Authenticator, RP_ID } from '../../../bench/client/authenticator.mjs';
import { Visitor } from '../../../bench/client/visitor.mjs';
import { displayNameOf, usernameOf } from '../load/names.mjs';
import { idAt, keyRow, md5, sha256, userRow } from '../load/population.mjs';
import { built } from '../migrations.mjs';

const { searchEntries } = await built('users/search/folding.js');

/** Relying parties: the first has two fifths of all users, the others share the rest. */
export const RELYING_PARTIES = 1000;
export const KEYS_OF_USER = 3;
/** The maximum number of users that `usernameOf` can distinguish. */
export const MAX_USERS = 10_000_000;

const MS_BETWEEN_USERS = 1000;
const DAY_MS = 86_400_000;
/** In the order in which they occur for a user. */
const EVENTS = ['user-created', 'registration', 'registration', 'registration', 'authentication'];
const DEVICES = ['Security key', 'Phone', 'Laptop'];
const MODELS = 12;
const CERTIFICATE = Buffer.alloc(620, 'c');
const PROOF = Buffer.alloc(180, 'p');
const EVIDENCE = '{"format":"packed","type":"basic","trustPath":[0]}';

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

/** The tables in the order in which they are filled: how many turns a user has in each, and the rows of one turn. */
const TABLES = {
  users: [1, ({ id, at, party, names }) => [userRow(party, { id, at, ...names })]],
  credentials: [KEYS_OF_USER, (key) => [credentialRow(key)]],
  attestations: [KEYS_OF_USER, attestationRows],
  events: [EVENTS.length, (event) => [eventRow(event)]],
  search_words: [1, wordRows],
  usage_active: [1, activeRows],
};

/**
 * Returns the rows of a block's users by table, each table in the order of its primary key.
 *
 * @param block numbers of users, `{ from, to }`
 * @param settings `parties`: the relying parties' IDs by the names of the columns that refer to them; `began`: when
 *   the first user was created; `publicKey` of all keys
 */
export function rowsOfBlock(block, settings) {
  const rowsIn = ([table, [each, rowsOf]]) => [
    table,
    rowsOfTurns(block, settings, { each, rowsOf }),
  ];
  return Object.fromEntries(Object.entries(TABLES).map(rowsIn));
}

/**
 * Distributes the turns of users with several over the block, so that in the order of the primary key the items of
 * one user are far apart, as if created over years.
 */
function* rowsOfTurns({ from, to }, { parties, began, publicKey }, { each, rowsOf }) {
  const size = to - from;
  for (let place = 0; place < size * each; place += 1) {
    const [n, turn] = [from + (place % size), Math.floor(place / size)];
    const at = began + from * MS_BETWEEN_USERS + Math.floor((place * MS_BETWEEN_USERS) / each);
    const serial = each * n + turn;
    const userId = idAt(began + n * MS_BETWEEN_USERS, n);
    const names = { username: usernameOf(n), displayName: displayNameOf(n) };
    const party = parties[partyOf(n)];
    yield* rowsOf({ n, turn, serial, at, id: idAt(at, serial), userId, names, party, publicKey });
  }
}

function credentialRow({ n, turn, serial, at, id, userId, party, publicKey }) {
  const isAttested = turn === 0;
  const model = { aaguid: md5(`model ${n % MODELS}`), transports: 'usb,nfc' };
  return keyRow(party, {
    ...{ id, userId, credentialId: credentialIdOf(serial), at },
    public_key: publicKey,
    sign_count: 0,
    device_name: DEVICES[turn],
    ...(isAttested ? model : { transports: 'internal,hybrid' }),
    attestation_format: isAttested ? 'packed' : 'none',
    attestation_type: isAttested ? 'basic' : 'none',
    enabled: serial % 50 === 7 ? 0 : 1,
    last_used_at: serial % 2 ? at + DAY_MS : null,
    last_ceremony: md5(String(serial)),
    registration_flags: 65,
    attestation_asked: 0,
    resident_key: 1,
  });
}

/** A ninth of all keys have an attestation. */
function attestationRows({ n, turn, id, party }) {
  if (turn > 0 || n % 3 > 0) return [];
  const proved = { evidence: EVIDENCE, certificates: CERTIFICATE, proof: PROOF };
  return [{ ...party, id, ...proved, authorities: Buffer.alloc(0) }];
}

function eventRow({ n, turn, at, id, userId, names, party }) {
  const key = KEYS_OF_USER * n + ((turn + 2) % KEYS_OF_USER);
  const isOfKey = turn > 0;
  return {
    id,
    at,
    user_id: userId,
    username: Buffer.from(names.username),
    ...party,
    credential: isOfKey ? sha256(credentialIdOf(key)).subarray(0, 8) : Buffer.alloc(8),
    kind: EVENTS[turn],
    address: isOfKey ? `203.0.${n % 113}.${n % 251}` : null,
    browser: isOfKey ? 'Firefox on Linux' : null,
  };
}

function wordRows({ userId, names, party }) {
  return searchEntries(names).map((word) => ({ ...party, word, user_id: userId }));
}

/** A quarter was active this month. */
function activeRows({ n, at, userId, party }) {
  if (n % 4 > 0) return [];
  const date = new Date();
  const month = date.getUTCFullYear() * 100 + date.getUTCMonth() + 1;
  return [{ month, ...party, user_id: userId, since: at }];
}
