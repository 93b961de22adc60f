import type { Scope } from '../platform/database/scope.js';
import { select } from '../platform/database/statement.js';
import { computed, COUNT, forEachKind, tableOf } from '../platform/database/entities/table.js';
import { USER_ROW } from './user-rows.js';
import { Credential } from './credentials/credential.entity.js';
import { uvInitializedOf } from './credentials/credential.statements.js';
import { eachNameForm } from './name-forms.js';
import {
  SUSPENSION_INDEX,
  unableUsers,
  unsuspendedUsers,
  type SuccessorFlag,
  type UserSlice,
} from './sign-in-state.js';
import { User } from './user.entity.js';

/*
 * The reads of lists and searches. Statements that read many names select only by relying party: then the index
 * contains everything, and no row need be read.
 */

const users = tableOf(User);
const credentials = tableOf(Credential);
const user = tableOf(User, 'u');
const credential = tableOf(Credential, 'c');
const otherKey = tableOf(Credential, 'o');

/** Joins the rows of users, and of their credentials, to a subquery `k` that selects user IDs. */
const WITH_CREDENTIALS = `JOIN ${user.from} ON ${user.id} = k.id
  LEFT JOIN ${credential.from} ON ${credential.userId} = k.id`;

/** Names from `from` (included) to `to` (excluded). */
interface NameRange {
  readonly relyingPartyId: Buffer;
  readonly from: Buffer;
  readonly to: Buffer;
}
const namesFromTo = (name: string) => `${users.from} WHERE ${users.relyingPartyId} = :relyingPartyId
  AND ${name} >= :from AND ${name} < :to`;

/** The searches along one index of names. */
export const NAME_SEARCH = eachNameForm(users, (name) => ({
  /**
   * Users in a range whose names contain the needle. The search condition uses the index only: if a range of half the
   * table needed the rows too, MariaDB would read the relying party's rows from its first name on.
   */
  usersInRange: select(USER_ROW).from<NameRange & { needle: Buffer; limit: number }>(`
    (SELECT ${users.id} FROM ${namesFromTo(name)} AND INSTR(${name}, :needle) > 0
      ORDER BY ${name} LIMIT :limit) k ${WITH_CREDENTIALS}`),

  /** Some users of a range, at one moment. */
  idsInRange: select(users.pick('id')).from<NameRange & { limit: number }>(
    `${namesFromTo(name)} ORDER BY ${name} LIMIT :limit`,
  ),

  /** The name after n others. */
  nthName: select({ name: computed<Buffer>(name) }).from<NameRange & { n: number }>(
    `${namesFromTo(name)} ORDER BY ${name} LIMIT 1 OFFSET :n`,
  ),

  /** The number of names, up to `most`, and the last of them. */
  countNames: select({ ...COUNT, last: computed<Buffer | null>('MAX(s.name)') }).from<
    NameRange & { most: number }
  >(`(SELECT ${name} AS name FROM ${namesFromTo(name)} ORDER BY ${name} LIMIT :most) s`),

  /** Names up to the last one (included) that contain the needle. */
  candidateNames: select({ name: computed<Buffer>(name) }).from<
    Omit<NameRange, 'to'> & { last: Buffer; needle: Buffer }
  >(`
    ${users.from}
    WHERE ${users.relyingPartyId} = :relyingPartyId AND ${name} >= :from AND ${name} <= :last
      AND INSTR(${name}, :needle) > 0`),
}));

interface NameList {
  readonly relyingPartyId: Buffer;
  readonly names: readonly Buffer[];
}
const usersNamed = (name: string) => `(SELECT ${users.id} FROM ${users.from}
  WHERE ${users.relyingPartyId} = :relyingPartyId AND ${name} IN (:...names)) k
  ${WITH_CREDENTIALS}`;

export const USERS_BY_NAME = eachNameForm(users, (name) =>
  select(USER_ROW).from<NameList>(usersNamed(name)),
);

export const CREDENTIALS_BY_NAME = select({
  ...user.pick('username'),
  n: computed<number>(`COUNT(${credential.id})`),
}).from<NameList>(`
  ${usersNamed(users.username)} GROUP BY ${user.id}, ${user.username}`);

export const USERS_OF_IDS = select(USER_ROW).from<Scope & { ids: readonly Buffer[] }>(`
  ${user.from} LEFT JOIN ${credential.from} ON ${credential.userId} = ${user.id}
  WHERE ${user.scopeWithoutIndex} AND ${user.id} IN (:...ids)`);

/** Ten million keys take some seconds. */
const PATIENT = { patienceMs: 30_000 };

/** Of all tenants: for accounts of all tenants, and metrics. */
export const COUNT_USERS = select({
  ...users.pick('relyingPartyId'),
  ...COUNT,
}).from(`${users.from} GROUP BY ${users.relyingPartyId}`, PATIENT);

export const COUNT_CREDENTIALS = select({
  ...credentials.pick('relyingPartyId', 'enabled'),
  ...COUNT,
}).from(`${credentials.from} GROUP BY ${credentials.list('relyingPartyId', 'enabled')}`, PATIENT);

export const COUNT_MODELS = select({
  ...credentials.pick('relyingPartyId', 'aaguid'),
  ...COUNT,
}).from(`${credentials.from} GROUP BY ${credentials.list('relyingPartyId', 'aaguid')}`, PATIENT);

/** The user after n others who are not suspended. */
export const NTH_UNSUSPENDED = forEachKind((kind) =>
  select({ id: computed<Buffer>('un.id') }).from<UserSlice & { n: number }>(
    `${unsuspendedUsers(kind)} ORDER BY un.id LIMIT 1 OFFSET :n`,
  ),
);

/** The users of a slice who are not suspended and cannot sign in. */
export const UNABLE_USERS = forEachKind((kind) =>
  select({ id: computed<Buffer>('un.id') }).from<UserSlice & SuccessorFlag & { limit: number }>(
    `${unableUsers(kind)} ORDER BY un.id LIMIT :limit`,
  ),
);

export const COUNT_UNABLE_USERS = forEachKind((kind) =>
  select(COUNT).from<UserSlice & SuccessorFlag>(unableUsers(kind), PATIENT),
);

export const COUNT_SUSPENDED = forEachKind((kind) =>
  select(COUNT).from<{ relyingPartyId: Buffer }>(
    `${users.forceIndex(kind, SUSPENSION_INDEX)}
    WHERE ${users.relyingPartyId} = :relyingPartyId AND ${users.suspendedBy} > 0`,
    PATIENT,
  ),
);

/** The keys after a hash. Each user without a key whose user verification counts is marked at one of them. */
export const UNVERIFIED_BY_HASH = select({
  ...credential.pick('credentialHash'),
  marks: computed<number>(`CASE WHEN ${uvInitializedOf(credential)} = 1 THEN 0
      WHEN EXISTS (SELECT 1 FROM ${otherKey.from} WHERE ${otherKey.userId} = ${credential.userId}
        AND (${uvInitializedOf(otherKey)} = 1 OR ${otherKey.credentialHash} < ${credential.credentialHash})) THEN 0
      ELSE 1 END`),
}).from<Scope & { after: Buffer; limit: number }>(
  `${credential.from} WHERE ${credential.scope} AND ${credential.credentialHash} > :after
  ORDER BY ${credential.credentialHash} LIMIT :limit`,
  PATIENT,
);

export const NAMES_OF_USERS = select(users.pick('id', 'username', 'displayName')).from<
  Scope & { ids: readonly Buffer[] }
>(`
  ${users.from} WHERE ${users.scopeWithoutIndex} AND ${users.id} IN (:...ids)`);
