import type { Query } from '../../database/database.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { usersOf } from '../user-rows.js';
import type { FoundCredential, FoundUser, UserRow } from '../user-rows.js';
import type { Path, Step } from './walk.js';

/** A row of a user with a place of the index at which the user was found. */
export type PlacedRow = UserRow & { readonly place: Buffer };

/** A path along some of the credentials, and what tells them. */
interface Some {
  readonly users: Query<PlacedRow>;
  /** Of the statement, behind the relying party. */
  readonly params: readonly Buffer[];
  /** The place of a credential of a user; `undefined` for one that is not on the path. */
  readonly placeOf: (credential: FoundCredential) => Buffer | undefined;
}

const BEGINNING = Buffer.alloc(0);
/** Credentials of one statement. */
const SLICE = 200;

/**
 * Along an index of credentials, for people who are few among many. A user who has several of them comes
 * with the first.
 */
export const alongCredentials = ({ users, params, placeOf }: Some): Path => ({
  start: () => BEGINNING,
  async step(rp, at, most): Promise<Step> {
    const rows = await users.all(rp.id, ...params, at, SLICE);
    const places = new Map(rows.map(({ place }) => [place.toString('hex'), place]));
    const found = onceEach(rp, rows)
      .map((user) => ({ user, place: firstPlace(user, placeOf) }))
      .filter(({ place }) => places.has(place))
      .sort((a, b) => (a.place < b.place ? -1 : 1));
    const taken = found.slice(0, most);
    const cut = taken.length < found.length ? taken.at(-1)?.place : undefined;
    const last = cut ?? (places.size < SLICE ? '' : [...places.keys()].sort().at(-1));
    const read = taken.map(({ user }) => user);
    return { users: read, looked: places.size, next: places.get(last ?? '') };
  },
});

/** Who has two of these credentials in here comes with all credentials twice. */
function onceEach(rp: RelyingParty, rows: readonly PlacedRow[]): FoundUser[] {
  return usersOf(rp, [...new Map(rows.map((row) => [row.id?.toString('hex'), row])).values()]);
}

const firstPlace = ({ credentials }: FoundUser, placeOf: Some['placeOf']): string =>
  credentials.flatMap((credential) => placeOf(credential)?.toString('hex') ?? []).sort()[0] ?? '';
