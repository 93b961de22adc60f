import { createHash } from 'node:crypto';
import { Authenticator, RP_ID } from '../../../bench/client/authenticator.mjs';
import { Visitor } from '../../../bench/client/visitor.mjs';
import { usernameOf } from '../load/names.mjs';

/** Relying parties: the first has two fifths of all users, the others share the rest. */
export const RELYING_PARTIES = 1000;
export const TENANTS = 100;
export const KEYS_OF_USER = 3;
/** What `usernameOf` can tell apart. */
export const MOST_USERS = 10_000_000;
/** After this number of users, display names repeat. */
export const DISPLAY_NAMES = 20 * 2 * 1728;
export const DAYS = 365;

const MS_BETWEEN_USERS = 1000;
const OTHERS = RELYING_PARTIES - 1;
/** In the order in which they come to a user. */
const EVENTS = ['user-created', 'registration', 'registration', 'registration', 'authentication'];
const MODELS = 12;
const CERTIFICATE_BYTES = 620;

export const partyName = (n) => (n === 0 ? RP_ID : `rp${n}.load.example`);

/** Of each five users two are of the first relying party: one that signs in, and one that may be deleted. */
const someOf = (users, k) => 5 * ((k * 7919 * 104_729) % Math.floor(users / 5));

/** The kth of some users who sign in, spread over all, with a key that is there. */
export function visitorOf(users, k, keyPair) {
  const n = someOf(users, k);
  const id = createHash('sha256')
    .update(`key ${KEYS_OF_USER * n}`)
    .digest();
  return new Visitor(usernameOf(n), new Authenticator({ keyPair, id, counts: false }));
}

/** The name of the kth of some users whom nobody misses, spread over all. */
export const leaverOf = (users, k) => usernameOf(someOf(users, k) + 1);

/* What follows is SQL of MariaDB: `n` is the number of a user, `@began` when the first one came. */

const idOf = (ms, serial) =>
  `UNHEX(CONCAT(LPAD(HEX(${ms}), 12, '0'), '70008', LPAD(HEX(${serial}), 15, '0')))`;
const PARTY = (n) => `IF(${n} % 5 < 2, 0, 1 + (${n} * 7919) % ${OTHERS})`;
const cameAt = (n) => `@began + ${n} * ${MS_BETWEEN_USERS}`;
const userId = (n) => idOf(cameAt(n), n);
const username = (n) => `CONCAT('k', LPAD(${n}, 7, '0'), '@load.example')`;
const credentialId = (key) => `UNHEX(SHA2(CONCAT('key ', ${key}), 256))`;
const hashOf = (key) => `UNHEX(SHA2(${credentialId(key)}, 256))`;

/**
 * What users of a block have several of comes in turns of the block, so that in the order of the primary key
 * the things of one user lie far from each other, as they do where years lie between them.
 */
const inTurns = ({ from, to }, each, room) => {
  const size = to - from;
  return {
    rows: `seq_0_to_${size * each - 1} s`,
    n: `(${from} + s.seq % ${size})`,
    turn: `(s.seq DIV ${size})`,
    at: `(${cameAt(from)} + (s.seq * ${MS_BETWEEN_USERS}) DIV ${each} + ${room})`,
  };
};
const withParty = (n) => `STRAIGHT_JOIN parties p ON p.k = ${PARTY(n)}`;

/** The statements that store users of a block with all that is theirs, each in the order of its primary key. */
export const blockOf = (block, month) => [
  users(block),
  credentials(block),
  attestations(block),
  events(block),
  words(block),
  activeUsers(block, month),
];

const users = ({ from, to }) => `INSERT INTO users
    (id, tenant_id, relying_party_id, username, display_name, user_handle, created_at)
  SELECT ${userId('s.seq')}, p.tenant_id, p.id, ${username('s.seq')}, d.display_name,
    UNHEX(SHA2(s.seq, 256)), ${cameAt('s.seq')}
  FROM seq_${from}_to_${to - 1} s ${withParty('s.seq')}
  STRAIGHT_JOIN names d ON d.k = s.seq % ${DISPLAY_NAMES}`;

const keysOf = (block) => {
  const { n, turn, ...turns } = inTurns(block, KEYS_OF_USER, 3);
  const serial = `(${KEYS_OF_USER} * ${n} + ${turn})`;
  return { ...turns, n, turn, serial, id: idOf(turns.at, serial) };
};

const credentials = (block) => {
  const { rows, n, turn, serial, id, at } = keysOf(block);
  const model = `UNHEX(MD5(CONCAT('model ', ${n} % ${MODELS})))`;
  const ofModel = `${turn} = 0`;
  return `INSERT INTO credentials
    (id, tenant_id, relying_party_id, user_id, credential_id, credential_hash, public_key, algorithm,
     sign_count, aaguid, device_name, transports, attestation_format, attestation_type,
     attestation_trusted, user_verified, backup_eligible, backed_up, enabled, registered_at,
     last_used_at, last_ceremony, registration_flags, attestation_asked, resident_key)
  SELECT ${id}, p.tenant_id, p.id, ${userId(n)}, ${credentialId(serial)}, ${hashOf(serial)}, @public_key,
    -7, 0, IF(${ofModel}, ${model}, UNHEX(REPEAT('0', 32))), ELT(${turn} + 1, 'Security key', 'Phone', 'Laptop'),
    IF(${ofModel}, 'usb,nfc', 'internal,hybrid'), IF(${ofModel}, 'packed', 'none'),
    IF(${ofModel}, 'basic', 'none'), 0, 1, 0, 0, IF(s.seq % 50 = 7, 0, 1), ${at},
    IF(s.seq % 2, ${at} + 86400000, NULL), UNHEX(MD5(s.seq)), 65, 0, 1
  FROM ${rows} ${withParty(n)}`;
};

/** A ninth of all keys proved where they come from. */
const attestations = (block) => {
  const { rows, n, turn, id } = keysOf(block);
  return `INSERT INTO attestations
    (id, tenant_id, relying_party_id, evidence, certificates, authorities, proof)
  SELECT ${id}, p.tenant_id, p.id, '{"format":"packed","type":"basic","trustPath":[0]}',
    REPEAT('c', ${CERTIFICATE_BYTES}), '', REPEAT('p', 180)
  FROM ${rows} ${withParty(n)} WHERE ${turn} = 0 AND ${n} % 3 = 0`;
};

const events = (block) => {
  const { rows, n, turn, at } = inTurns(block, EVENTS.length, 5);
  const kinds = EVENTS.map((kind) => `'${kind}'`).join(', ');
  const serial = `(${EVENTS.length} * ${n} + ${turn})`;
  const key = `(${KEYS_OF_USER} * ${n} + (${turn} - 1) % ${KEYS_OF_USER})`;
  const isOfKey = `${turn} > 0`;
  return `INSERT INTO events
    (id, at, tenant_id, relying_party_id, user_id, username, credential, kind, request_id, address, browser)
  SELECT ${idOf(at, serial)}, ${at}, p.tenant_id, p.id, ${userId(n)}, ${username(n)},
    IF(${isOfKey}, LEFT(${hashOf(key)}, 8), UNHEX(REPEAT('0', 16))), ELT(${turn} + 1, ${kinds}), NULL,
    IF(${isOfKey}, CONCAT('203.0.', ${n} % 113, '.', ${n} % 251), NULL),
    IF(${isOfKey}, 'Firefox on Linux', NULL)
  FROM ${rows} ${withParty(n)}`;
};

const words = ({ from, to }) => {
  const rows = `FROM seq_${from}_to_${to - 1} s ${withParty('s.seq')}`;
  const one = (word) => `SELECT p.id, ${word}, ${userId('s.seq')}, p.tenant_id ${rows}`;
  const own = `CONCAT('k', LPAD(s.seq, 7, '0'))`;
  return `INSERT INTO search_words (relying_party_id, word, user_id, tenant_id)
  ${one('w.word')} STRAIGHT_JOIN words w ON w.k = s.seq % ${DISPLAY_NAMES}
  UNION ALL ${one(own)}
  UNION ALL ${one(`CONCAT(' ', ${own}, ' load example')`)}
  ORDER BY 1, 2, 3`;
};

/** A quarter was active this month. */
const activeUsers = ({ from, to }, month) => `INSERT INTO usage_active
    (month, relying_party_id, user_id, since, tenant_id)
  SELECT ${month}, p.id, ${userId('s.seq')}, ${cameAt('s.seq')}, p.tenant_id
  FROM seq_${from}_to_${to - 1} s ${withParty('s.seq')} WHERE s.seq % 4 = 0 ORDER BY 2, 3`;
