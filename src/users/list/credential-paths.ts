import type { Database } from '../../platform/database/database.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { usersOf, type FoundCredential, type FoundUser } from '../user-rows.js';
import { USERS_OF_DISABLED, USERS_OF_MODEL, type PlacedRow } from './user-list.statements.js';
import type { IndexPath, WalkStep } from './walk.js';

/** A credential's entry in an index; `undefined` if it is not in the index. */
type PlaceOf = (credential: FoundCredential) => Buffer | undefined;

const BEGINNING = Buffer.alloc(0);
/** Credentials per statement. */
const SLICE = 200;

/**
 * A step along an index of credentials that few users have. A user with several of them is listed at the first.
 *
 * @param rows the next slice of the index
 */
function stepThrough(
  rp: RelyingParty,
  rows: readonly PlacedRow[],
  placeOf: PlaceOf,
  most: number,
): WalkStep {
  const places = new Map(rows.map(({ place }) => [place.toString('hex'), place]));
  const found = onceEach(rp, rows)
    .map((user) => ({ user, place: firstPlace(user, placeOf) }))
    .filter(({ place }) => places.has(place))
    .sort((a, b) => (a.place < b.place ? -1 : 1));
  const taken = found.slice(0, most);
  const cut = taken.length < found.length ? taken.at(-1)?.place : undefined;
  const last = cut ?? (places.size < SLICE ? '' : [...places.keys()].sort().at(-1));
  const users = taken.map(({ user }) => user);
  return { users, examined: places.size, next: places.get(last ?? '') };
}

/** The users of the rows; a user who has two of these credentials is in several rows. */
function onceEach(rp: RelyingParty, rows: readonly PlacedRow[]): FoundUser[] {
  return usersOf(rp, [...new Map(rows.map((row) => [row.id?.toString('hex'), row])).values()]);
}

const firstPlace = ({ credentials }: FoundUser, placeOf: PlaceOf): string =>
  credentials.flatMap((credential) => placeOf(credential)?.toString('hex') ?? []).sort()[0] ?? '';

/** Lists the users who have a disabled key. */
export const disabledKeysPath = (database: Database): IndexPath => ({
  start: () => BEGINNING,
  async step(rp, after, most) {
    const params = { relyingPartyId: rp.id, after, limit: SLICE };
    const rows = await database.query(USERS_OF_DISABLED, params);
    return stepThrough(rp, rows, ({ enabled, id }) => (enabled ? undefined : id), most);
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
    const params = { relyingPartyId: rp.id, aaguid, after, limit: SLICE };
    const rows = await database.query(USERS_OF_MODEL[database.kind], params);
    const placeOf: PlaceOf = ({ aaguid: model, credentialHash }) =>
      model.equals(aaguid) && Buffer.compare(credentialHash, from) > 0 ? credentialHash : undefined;
    return stepThrough(rp, rows, placeOf, most);
  },
});
