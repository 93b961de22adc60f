import { mapKey } from '../../platform/database/row-ids.js';
import type { Database } from '../../platform/database/database.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { nameKey } from '../../tenancy/usernames/name-key.js';
import { nameFormOf } from '../name-forms.js';
import { nextBytes } from '../search/pattern.js';
import { comparablePattern } from '../search/user-search.js';
import { sortKeyOf } from '../user-rows.js';
import { readUsers } from '../users-by-name.js';
import { matchesFacts, type UserFacts, type UserListRequest } from './filter-and-order.js';
import { FACTS_BY_CREATION, FACTS_BY_NAME, type FactsRow } from './user-list.statements.js';
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

/** Users per statement, which takes a few milliseconds on SQLite. */
const SLICE = 500;

/** A step along an index of users. It reads the keys only of those who may match. */
async function stepThrough(
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
  id: row.userId,
  username: row.username.toString('utf8'),
  createdAt: row.createdAt,
  enabledKeys: Number(row.enabledKeys),
  lastUsedAt: row.lastUsedAt,
});

/** Lists users by name; by folded name if case is ignored. */
export function namesPath(database: Database, request: UserListRequest): IndexPath {
  const descending = request.order?.descending ?? false;
  const sign = descending ? -1 : 1;
  const along = FACTS_BY_NAME[descending ? 'backwards' : 'forwards'];
  const rangeAt = (rp: RelyingParty) => comparablePattern(rp, request.name);
  return {
    start: (rp) => (descending ? rangeAt(rp).to : rangeAt(rp).from),
    async step(rp, at, most) {
      const { from, to } = rangeAt(rp);
      const span = descending ? { from, to: at } : { from: at, to };
      const params = { relyingPartyId: rp.id, ...span, limit: SLICE };
      const rows = await database.query(nameFormOf(rp, along), params);
      const nameOf = ({ username }: UserCandidate) => sortKeyOf({ relyingParty: rp, username });
      const candidates = rows
        .map(candidateOf)
        .map((candidate) => ({ candidate, name: nameOf(candidate) }))
        .sort((a, b) => sign * Buffer.compare(a.name, b.name))
        .map(({ candidate }) => candidate);
      const slice: Slice = {
        candidates,
        end: rows.length < SLICE,
        after: (last) => (descending ? nameOf(last) : nextBytes(nameOf(last))),
      };
      return stepThrough(database, rp, request, slice, most);
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
  const along = FACTS_BY_CREATION[descending ? 'backwards' : 'forwards'];
  const beginning = placeAt(descending ? Math.min(before, Number.MAX_SAFE_INTEGER) : 0);

  /** The users of the same millisecond after the ID, then those of other milliseconds. */
  const rowsAfter = async ({ id: relyingPartyId }: RelyingParty, at: Buffer) => {
    const createdAt = Math.min(Number(at.readBigUInt64BE()), Number.MAX_SAFE_INTEGER);
    const from = { relyingPartyId, createdAt };
    const ofId = { ...from, id: at.subarray(TIME_BYTES), limit: SLICE };
    const rows = await database.query(along.same, ofId);
    if (rows.length === SLICE) return rows;
    const rest = { ...from, limit: SLICE - rows.length };
    return [...rows, ...(await database.query(along.others, rest))];
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
        end: candidates.length < SLICE || isBeyond,
        after: ({ createdAt, id }) => placeAt(createdAt, id),
      };
      return stepThrough(database, rp, request, slice, most);
    },
  };
}

function placeAt(time: number, id: Buffer = Buffer.alloc(PLACE_BYTES - TIME_BYTES)): Buffer {
  const bytes = Buffer.alloc(TIME_BYTES);
  bytes.writeBigUInt64BE(BigInt(time));
  return Buffer.concat([bytes, id]);
}
