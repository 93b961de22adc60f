import { nameKey, type RelyingParty } from '../../tenancy/relying-party.js';
import { justBehind } from '../search/pattern.js';
import type { FoundUser } from '../user-rows.js';
import type { FactsRow } from './user-list.statements.js';
import type { UserFacts } from './filter-and-order.js';
import type { IndexPath, WalkStep } from './walk.js';
import { mapKey } from '../../platform/database/columns.js';

/** A user whose keys have not been read yet. */
interface UserCandidate extends UserFacts {
  readonly id: Buffer;
  readonly username: string;
}

/** Input of a path besides its index. */
export interface CandidateReader {
  /** Whether a user may match, judged before the keys are read. */
  readonly mayFit: (rp: RelyingParty, candidate: UserCandidate) => boolean;
  readonly read: (rp: RelyingParty, ids: readonly Buffer[]) => Promise<FoundUser[]>;
}

/** Users per statement, which takes a few milliseconds on SQLite. */
const SLICE = 500;

const candidateOf = (row: FactsRow): UserCandidate => ({
  id: row.userId,
  username: row.username.toString('utf8'),
  createdAt: row.createdAt,
  enabledKeys: Number(row.enabledKeys),
  lastUsedAt: row.lastUsedAt,
});

/** Consecutive entries of an index. */
interface Slice {
  readonly candidates: readonly UserCandidate[];
  /** Whether these are the last entries. */
  readonly end: boolean;
  /** The place after a candidate, from which the walk continues. */
  readonly behind: (candidate: UserCandidate) => Buffer;
}

/** Reads the users of a slice who may match, up to the requested number. */
async function stepOf(
  rp: RelyingParty,
  { candidates, end, behind }: Slice,
  { most, reader }: { most: number; reader: CandidateReader },
): Promise<WalkStep> {
  const fitting = candidates.filter((one) => reader.mayFit(rp, one)).slice(0, most);
  const read = await reader.read(
    rp,
    fitting.map(({ id }) => id),
  );
  const byId = new Map(read.map((user) => [mapKey(user.id), user]));
  const users = fitting.flatMap(({ id }) => byId.get(mapKey(id)) ?? []);
  const full = fitting.length === most ? fitting.at(-1) : undefined;
  const last = full ?? (end ? undefined : candidates.at(-1));
  return { users, looked: candidates.length, next: last && behind(last) };
}

interface NameSlice {
  readonly from: Buffer;
  readonly to: Buffer;
  readonly limit: number;
}

/** Input of a path along names. */
interface NameIndex {
  readonly facts: (rp: RelyingParty, slice: NameSlice) => Promise<FactsRow[]>;
  /** The names that can match: from these bytes (included) to these (excluded). */
  readonly range: (rp: RelyingParty) => { readonly from: Buffer; readonly to: Buffer };
  readonly descending: boolean;
}

/** Lists users by name; by folded name if case is ignored. */
export const alongNames = (
  { facts, range, descending }: NameIndex,
  reader: CandidateReader,
): IndexPath => ({
  start: (rp) => (descending ? range(rp).to : range(rp).from),
  async step(rp, at, most) {
    const { from, to } = range(rp);
    const span = descending ? { from, to: at } : { from: at, to };
    const rows = await facts(rp, { ...span, limit: SLICE });
    const named = rows.map((row) => ({ row, name: nameOf(rp, row) }));
    const sign = descending ? -1 : 1;
    named.sort((a, b) => sign * Buffer.compare(a.name, b.name));
    const candidates = named.map(({ row }) => candidateOf(row));
    const behind = ({ username }: UserCandidate) => {
      const name = Buffer.from(nameKey(rp, username), 'utf8');
      return descending ? name : justBehind(name);
    };
    return stepOf(rp, { candidates, end: rows.length < SLICE, behind }, { most, reader });
  },
});

const nameOf = (rp: RelyingParty, { username }: FactsRow): Buffer =>
  Buffer.from(nameKey(rp, username.toString('utf8')), 'utf8');

interface CreationSlice {
  readonly createdAt: number;
  readonly limit: number;
}

interface CreationIndex {
  /** Users who were created in the same millisecond and have a greater ID. */
  readonly same: (rp: RelyingParty, at: CreationSlice & { id: Buffer }) => Promise<FactsRow[]>;
  /** Users who were created in other milliseconds. */
  readonly others: (rp: RelyingParty, at: CreationSlice) => Promise<FactsRow[]>;
  readonly descending: boolean;
  /** Milliseconds since 1970: users who were created at this time or later do not match. */
  readonly before: number;
}

const TIME_BYTES = 8;
const PLACE_BYTES = TIME_BYTES + 16;

/** Whether the bytes are a place of this index: a time and an ID. */
export const isCreationPlace = (at: Buffer): boolean => at.length === PLACE_BYTES;

/** Lists users by time of creation, and within a millisecond by ID. */
export function alongCreation(asked: CreationIndex, reader: CandidateReader): IndexPath {
  const { descending, before } = asked;
  const beginning = placeAt(descending ? Math.min(before, Number.MAX_SAFE_INTEGER) : 0);
  const isBehind = (candidates: readonly UserCandidate[]) =>
    !descending && (candidates.at(-1)?.createdAt ?? 0) >= before;
  return {
    start: () => beginning,
    async step(rp, at, most) {
      const rows = await createdBehind(rp, at, asked);
      const sign = descending ? -1 : 1;
      const candidates = rows
        .map(candidateOf)
        .sort((a, b) => sign * (a.createdAt - b.createdAt || Buffer.compare(a.id, b.id)));
      return stepOf(
        rp,
        { candidates, end: rows.length < SLICE || isBehind(candidates), behind: creationPlace },
        { most, reader },
      );
    },
  };
}

async function createdBehind(
  rp: RelyingParty,
  at: Buffer,
  { same, others }: CreationIndex,
): Promise<FactsRow[]> {
  const createdAt = Math.min(Number(at.readBigUInt64BE()), Number.MAX_SAFE_INTEGER);
  const rows = await same(rp, { createdAt, id: at.subarray(TIME_BYTES), limit: SLICE });
  if (rows.length === SLICE) return rows;
  return [...rows, ...(await others(rp, { createdAt, limit: SLICE - rows.length }))];
}

const creationPlace = ({ createdAt, id }: UserCandidate): Buffer => placeAt(createdAt, id);

function placeAt(time: number, id: Buffer = Buffer.alloc(PLACE_BYTES - TIME_BYTES)): Buffer {
  const bytes = Buffer.alloc(TIME_BYTES);
  bytes.writeBigUInt64BE(BigInt(time));
  return Buffer.concat([bytes, id]);
}
