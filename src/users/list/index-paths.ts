import { BEGINNING, mapKey } from '../../platform/database/row-ids.js';
import type { Database } from '../../platform/database/database.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { nameKey } from '../../tenancy/usernames/name-key.js';
import { SIDES } from '../suspension/suspension.js';
import { nameFormOf } from '../name-forms.js';
import { nextBytes } from '../search/pattern.js';
import { comparablePattern } from '../search/user-search.js';
import { sortKeyOf, usersOf, type FoundCredential, type FoundUser } from '../user-rows.js';
import { readUsers } from '../users-by-name.js';
import { matchesFacts, type UserFacts, type UserListRequest } from './filter-and-order.js';
import {
  FACTS_BY_CREATION,
  FACTS_BY_NAME,
  SUSPENDED_USERS,
  USERS_OF_GROUP,
  USERS_OF_DISABLED,
  USERS_OF_MODEL,
  type FactsRow,
  type PlacedRow,
} from './user-list.statements.js';
import type { IndexPath, WalkStep } from './walk.js';

/** A user whose keys have not been read yet. */
interface UserCandidate extends UserFacts {
  readonly id: Buffer;
  readonly username: string;
}

/** Consecutive entries of an index. */
interface Slice {
  readonly candidates: readonly UserCandidate[];
  /** Whether these are the last entries. */
  readonly end: boolean;
  /** The place after a candidate, from which the walk continues. */
  readonly after: (candidate: UserCandidate) => Buffer;
}

/** A few milliseconds on SQLite. */
const USERS_PER_STATEMENT = 500;

/** A step along an index of users. It reads the keys only of those who may match. */
async function stepOfUsers(
  database: Database,
  rp: RelyingParty,
  { name, filter }: UserListRequest,
  { candidates, end, after }: Slice,
  most: number,
): Promise<WalkStep> {
  const pattern = comparablePattern(rp, name);
  const fitting = candidates
    .filter((one) => matchesFacts(filter, one) && pattern.matches(nameKey(rp, one.username)))
    .slice(0, most);
  const read = await readUsers(
    database,
    rp,
    fitting.map(({ id }) => id),
  );
  const byId = new Map(read.map((user) => [mapKey(user.id), user]));
  const users = fitting.flatMap(({ id }) => byId.get(mapKey(id)) ?? []);
  const full = fitting.length === most ? fitting.at(-1) : undefined;
  const last = full ?? (end ? undefined : candidates.at(-1));
  return { users, examined: candidates.length, next: last && after(last) };
}

const candidateOf = (row: FactsRow): UserCandidate => ({
  ...row,
  id: row.userId,
  username: row.username.toString('utf8'),
  canSignIn: Boolean(row.canSignIn),
});

/** Lists users by name; by folded name if case is ignored. */
export function namesPath(database: Database, request: UserListRequest): IndexPath {
  const descending = request.order?.descending ?? false;
  const sign = descending ? -1 : 1;
  const statements = FACTS_BY_NAME[descending ? 'backwards' : 'forwards'];
  const rangeAt = (rp: RelyingParty) => comparablePattern(rp, request.name);
  return {
    start: (rp) => (descending ? rangeAt(rp).to : rangeAt(rp).from),
    async step(rp, at, most) {
      const { from, to } = rangeAt(rp);
      const span = descending ? { from, to: at } : { from: at, to };
      const params = { relyingPartyId: rp.id, ...span, limit: USERS_PER_STATEMENT };
      const rows = await database.query(nameFormOf(rp, statements), params);
      const nameOf = ({ username }: UserCandidate) => sortKeyOf({ relyingParty: rp, username });
      const candidates = rows
        .map(candidateOf)
        .map((candidate) => ({ candidate, name: nameOf(candidate) }))
        .sort((a, b) => sign * Buffer.compare(a.name, b.name))
        .map(({ candidate }) => candidate);
      const slice: Slice = {
        candidates,
        end: rows.length < USERS_PER_STATEMENT,
        after: (last) => (descending ? nameOf(last) : nextBytes(nameOf(last))),
      };
      return stepOfUsers(database, rp, request, slice, most);
    },
  };
}

const TIME_BYTES = 8;
const PLACE_BYTES = TIME_BYTES + 16;

/** Whether the bytes are a place of this index: a time and an ID. */
export const isCreationPlace = (at: Buffer): boolean => at.length === PLACE_BYTES;

/** Lists users by time of creation, and within a millisecond by ID. */
export function creationPath(database: Database, request: UserListRequest): IndexPath {
  const { registeredBefore: before = Infinity } = request.filter;
  const descending = request.order?.descending ?? false;
  const sign = descending ? -1 : 1;
  const statements = FACTS_BY_CREATION[descending ? 'backwards' : 'forwards'];
  const beginning = placeAt(descending ? Math.min(before, Number.MAX_SAFE_INTEGER) : 0);

  /** The users of the same millisecond after the ID, then those of other milliseconds. */
  const rowsAfter = async ({ id: relyingPartyId }: RelyingParty, at: Buffer) => {
    const createdAt = Math.min(Number(at.readBigUInt64BE()), Number.MAX_SAFE_INTEGER);
    const from = { relyingPartyId, createdAt };
    const ofId = { ...from, id: at.subarray(TIME_BYTES), limit: USERS_PER_STATEMENT };
    const rows = await database.query(statements.same, ofId);
    if (rows.length === USERS_PER_STATEMENT) return rows;
    const rest = { ...from, limit: USERS_PER_STATEMENT - rows.length };
    return [...rows, ...(await database.query(statements.others, rest))];
  };

  return {
    start: () => beginning,
    async step(rp, at, most) {
      const candidates = (await rowsAfter(rp, at))
        .map(candidateOf)
        .sort((a, b) => sign * (a.createdAt - b.createdAt || Buffer.compare(a.id, b.id)));
      const isBeyond = !descending && (candidates.at(-1)?.createdAt ?? 0) >= before;
      const slice: Slice = {
        candidates,
        end: candidates.length < USERS_PER_STATEMENT || isBeyond,
        after: ({ createdAt, id }) => placeAt(createdAt, id),
      };
      return stepOfUsers(database, rp, request, slice, most);
    },
  };
}

function placeAt(time: number, id: Buffer = Buffer.alloc(PLACE_BYTES - TIME_BYTES)): Buffer {
  const bytes = Buffer.alloc(TIME_BYTES);
  bytes.writeBigUInt64BE(BigInt(time));
  return Buffer.concat([bytes, id]);
}

/** A credential's entry in an index; `undefined` if it is not in the index. */
type PlaceOf = (credential: FoundCredential) => Buffer | undefined;

const KEYS_PER_STATEMENT = 200;

/**
 * A step along an index of credentials that few users have. A user with several of them is listed at the first.
 *
 * @param rows the next slice of the index
 */
function stepOfKeys(
  rp: RelyingParty,
  rows: readonly PlacedRow[],
  placeOf: PlaceOf,
  most: number,
): WalkStep {
  const places = new Map(rows.map(({ place }) => [mapKey(place), place]));
  const found = onceEach(rp, rows)
    .map((user) => ({ user, place: firstPlace(user, placeOf) }))
    .filter(({ place }) => places.has(place))
    .sort((a, b) => (a.place < b.place ? -1 : 1));
  const taken = found.slice(0, most);
  const cut = taken.length < found.length ? taken.at(-1)?.place : undefined;
  const last = cut ?? (places.size < KEYS_PER_STATEMENT ? '' : [...places.keys()].sort().at(-1));
  const users = taken.map(({ user }) => user);
  return { users, examined: places.size, next: places.get(last ?? '') };
}

/** The users of the rows; a user who has two of these credentials is in several rows. */
function onceEach(rp: RelyingParty, rows: readonly PlacedRow[]): FoundUser[] {
  return usersOf(rp, [...new Map(rows.map((row) => [row.id && mapKey(row.id), row])).values()]);
}

/** As `mapKey`, which keeps the order of bytes. */
const firstPlace = ({ credentials }: FoundUser, placeOf: PlaceOf): string =>
  credentials
    .flatMap((credential) => placeOf(credential) ?? [])
    .map(mapKey)
    .sort()[0] ?? '';

/** Lists the users who have a disabled key. */
export const disabledKeysPath = (database: Database): IndexPath => ({
  start: () => BEGINNING,
  async step(rp, after, most) {
    const params = { relyingPartyId: rp.id, after, limit: KEYS_PER_STATEMENT };
    const rows = await database.query(USERS_OF_DISABLED, params);
    return stepOfKeys(rp, rows, ({ enabled, id }) => (enabled ? undefined : id), most);
  },
});

export const USERS_WITH_KEYS_PER_STATEMENT = 100;

/** Lists the members of a group. */
export const groupPath = (database: Database, group: string): IndexPath => ({
  start: () => BEGINNING,
  async step(rp, after, most) {
    const limit = Math.min(most, USERS_WITH_KEYS_PER_STATEMENT);
    const params = { relyingPartyId: rp.id, name: Buffer.from(group), after, limit };
    const users = byId(usersOf(rp, await database.query(USERS_OF_GROUP, params)));
    const next = users.length === limit ? users.at(-1)?.id : undefined;
    return { users, examined: users.length, next };
  },
});

export const byId = (users: readonly FoundUser[]): FoundUser[] =>
  users.toSorted((a, b) => Buffer.compare(a.id, b.id));

/** The sides that suspend a user, in the order of the index. */
const SUSPENDED_BY = [SIDES.helpDesk, SIDES.directory, SIDES.helpDesk + SIDES.directory] as const;

/** Lists the suspended users. A place is a byte, which says who suspends the users, and an ID. */
export const suspendedUsersPath = (database: Database): IndexPath => ({
  start: () => BEGINNING,
  async step(rp, at, most) {
    const suspendedBy = SUSPENDED_BY.find((sides) => sides >= (at[0] ?? 0)) ?? SUSPENDED_BY[0];
    const limit = Math.min(most, USERS_WITH_KEYS_PER_STATEMENT);
    const params = { relyingPartyId: rp.id, suspendedBy, after: at.subarray(1), limit };
    const users = byId(usersOf(rp, await database.query(SUSPENDED_USERS, params)));
    const last = users.length === limit ? users.at(-1) : undefined;
    if (last) {
      const next = Buffer.concat([Buffer.of(suspendedBy), last.id]);
      return { users, examined: users.length, next };
    }
    const others = SUSPENDED_BY.find((sides) => sides > suspendedBy);
    const next = others === undefined ? undefined : Buffer.of(others);
    return { users, examined: users.length, next };
  },
});

/**
 * Lists the users who have a key of a model, each at the first of these keys.
 *
 * @param from earlier keys in the index are ignored
 */
export const modelKeysPath = (
  database: Database,
  aaguid: Buffer,
  from: Buffer = BEGINNING,
): IndexPath => ({
  start: () => BEGINNING,
  async step(rp, after, most) {
    const params = { relyingPartyId: rp.id, aaguid, after, limit: KEYS_PER_STATEMENT };
    const rows = await database.query(USERS_OF_MODEL[database.kind], params);
    const placeOf: PlaceOf = ({ aaguid: model, credentialHash }) =>
      model.equals(aaguid) && Buffer.compare(credentialHash, from) > 0 ? credentialHash : undefined;
    return stepOfKeys(rp, rows, placeOf, most);
  },
});
