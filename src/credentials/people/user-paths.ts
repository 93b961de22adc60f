import type { Query } from '../../database/database.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { nameKey } from '../../tenancy/usernames/name-key.js';
import { justBehind } from '../pattern.js';
import type { FoundUser } from '../user-rows.js';
import type { PersonFacts } from './people-filter.js';
import type { Path, Step } from './walk.js';

/** A user as a slice of an index has it. */
export interface FactsRow {
  readonly userId: Buffer;
  readonly username: Buffer;
  readonly createdAt: number;
  /** MySQL's sums are texts. */
  readonly enabledKeys: number | string | null;
  readonly lastUsedAt: number | null;
}

/** A user whose keys were not read yet. */
export interface Candidate extends PersonFacts {
  readonly id: Buffer;
  readonly username: string;
}

/** What a path needs besides its index. */
export interface Looking {
  /** Whether a user may be meant, before the keys are read. */
  readonly mayFit: (rp: RelyingParty, candidate: Candidate) => boolean;
  readonly read: (rp: RelyingParty, ids: readonly Buffer[]) => Promise<FoundUser[]>;
}

/** Users of one statement: on SQLite it takes some milliseconds. */
const SLICE = 500;

const candidateOf = (row: FactsRow): Candidate => ({
  id: row.userId,
  username: row.username.toString('utf8'),
  createdAt: row.createdAt,
  enabledKeys: Number(row.enabledKeys),
  lastUsedAt: row.lastUsedAt,
});

/** A slice of an index, in its order. */
interface Slice {
  readonly candidates: readonly Candidate[];
  /** Nothing lies behind it. */
  readonly end: boolean;
  /** Where the walk goes on behind one of them. */
  readonly behind: (candidate: Candidate) => Buffer;
}

/** Reads those of a slice who fit, as many as are wanted. */
async function stepOf(
  rp: RelyingParty,
  { candidates, end, behind }: Slice,
  { most, looking }: { most: number; looking: Looking },
): Promise<Step> {
  const fitting = candidates.filter((one) => looking.mayFit(rp, one)).slice(0, most);
  const read = await looking.read(
    rp,
    fitting.map(({ id }) => id),
  );
  const byId = new Map(read.map((user) => [user.id.toString('latin1'), user]));
  const users = fitting.flatMap(({ id }) => byId.get(id.toString('latin1')) ?? []);
  const full = fitting.length === most ? fitting.at(-1) : undefined;
  const last = full ?? (end ? undefined : candidates.at(-1));
  return { users, looked: candidates.length, next: last && behind(last) };
}

/** What goes along an index of names. */
interface NamesAsked {
  readonly query: (rp: RelyingParty) => Query<FactsRow>;
  /** The names that can be meant: from these bytes, included, to these, not included. */
  readonly range: (rp: RelyingParty) => { readonly from: Buffer; readonly to: Buffer };
  readonly descending: boolean;
}

/** Along the names, folded where case does not count. */
export const alongNames = ({ query, range, descending }: NamesAsked, looking: Looking): Path => ({
  start: (rp) => (descending ? range(rp).to : range(rp).from),
  async step(rp, at, most) {
    const { from, to } = range(rp);
    const span = descending ? [from, at] : [at, to];
    const rows = await query(rp).all(rp.id, ...span, SLICE);
    const named = rows.map((row) => ({ row, name: nameOf(rp, row) }));
    const sign = descending ? -1 : 1;
    named.sort((a, b) => sign * Buffer.compare(a.name, b.name));
    const candidates = named.map(({ row }) => candidateOf(row));
    const behind = ({ username }: Candidate) => {
      const name = Buffer.from(nameKey(rp, username), 'utf8');
      return descending ? name : justBehind(name);
    };
    return stepOf(rp, { candidates, end: rows.length < SLICE, behind }, { most, looking });
  },
});

const nameOf = (rp: RelyingParty, { username }: FactsRow): Buffer =>
  Buffer.from(nameKey(rp, username.toString('utf8')), 'utf8');

/** What goes along the index of when users were made. */
interface CreationAsked {
  /** Who was made in the same millisecond, behind an ID. */
  readonly then: Query<FactsRow>;
  /** Who was made in others. */
  readonly others: Query<FactsRow>;
  readonly descending: boolean;
  /** Milliseconds since 1970: nobody is meant who came then or later. */
  readonly before: number;
}

const TIME_BYTES = 8;
const PLACE_BYTES = TIME_BYTES + 16;

/** A place is a time and an ID. */
export const isCreationPlace = (at: Buffer): boolean => at.length === PLACE_BYTES;

/** Along the times at which users were made, and in one millisecond along their IDs. */
export function alongCreation(asked: CreationAsked, looking: Looking): Path {
  const { descending, before } = asked;
  const beginning = placeAt(descending ? Math.min(before, Number.MAX_SAFE_INTEGER) : 0);
  const isBehind = (candidates: readonly Candidate[]) =>
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
        { most, looking },
      );
    },
  };
}

async function createdBehind(
  rp: RelyingParty,
  at: Buffer,
  { then, others }: CreationAsked,
): Promise<FactsRow[]> {
  const time = Math.min(Number(at.readBigUInt64BE()), Number.MAX_SAFE_INTEGER);
  const same = await then.all(rp.id, time, at.subarray(TIME_BYTES), SLICE);
  if (same.length === SLICE) return same;
  return [...same, ...(await others.all(rp.id, time, SLICE - same.length))];
}

const creationPlace = ({ createdAt, id }: Candidate): Buffer => placeAt(createdAt, id);

function placeAt(time: number, id: Buffer = Buffer.alloc(PLACE_BYTES - TIME_BYTES)): Buffer {
  const bytes = Buffer.alloc(TIME_BYTES);
  bytes.writeBigUInt64BE(BigInt(time));
  return Buffer.concat([bytes, id]);
}
