import type { Database } from '../../platform/database/database.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { usersOf, type FoundCredential, type FoundUser } from '../user-rows.js';
import { USERS_OF_DISABLED, USERS_OF_MODEL, type PlacedRow } from './user-list.statements.js';
import type { IndexPath, WalkStep } from './walk.js';

interface CredentialIndex {
  readonly read: (rp: RelyingParty, after: Buffer, limit: number) => Promise<PlacedRow[]>;
  /** A credential's entry in the index; `undefined` if it is not in the index. */
  readonly placeOf: (credential: FoundCredential) => Buffer | undefined;
}

const BEGINNING = Buffer.alloc(0);
/** Credentials per statement. */
const SLICE = 200;

/**
 * Lists users through an index of credentials, for credentials that few users have. A user with several of them
 * is listed at the first.
 */
const alongCredentials = ({ read: readAfter, placeOf }: CredentialIndex): IndexPath => ({
  start: () => BEGINNING,
  async step(rp, at, most): Promise<WalkStep> {
    const rows = await readAfter(rp, at, SLICE);
    const places = new Map(rows.map(({ place }) => [place.toString('hex'), place]));
    const found = onceEach(rp, rows)
      .map((user) => ({ user, place: firstPlace(user, placeOf) }))
      .filter(({ place }) => places.has(place))
      .sort((a, b) => (a.place < b.place ? -1 : 1));
    const taken = found.slice(0, most);
    const cut = taken.length < found.length ? taken.at(-1)?.place : undefined;
    const last = cut ?? (places.size < SLICE ? '' : [...places.keys()].sort().at(-1));
    const read = taken.map(({ user }) => user);
    return { users: read, examined: places.size, next: places.get(last ?? '') };
  },
});

/** The users of the rows; a user who has two of these credentials is in several rows. */
function onceEach(rp: RelyingParty, rows: readonly PlacedRow[]): FoundUser[] {
  return usersOf(rp, [...new Map(rows.map((row) => [row.id?.toString('hex'), row])).values()]);
}

const firstPlace = ({ credentials }: FoundUser, placeOf: CredentialIndex['placeOf']): string =>
  credentials.flatMap((credential) => placeOf(credential)?.toString('hex') ?? []).sort()[0] ?? '';

/** Lists the users who have a disabled key. */
export const disabledKeysPath = (database: Database): IndexPath =>
  alongCredentials({
    read: ({ id: relyingPartyId }, after, limit) =>
      database.query(USERS_OF_DISABLED, { relyingPartyId, after, limit }),
    placeOf: ({ enabled, id }) => (enabled ? undefined : id),
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
): IndexPath =>
  alongCredentials({
    read: ({ id: relyingPartyId }, after, limit) =>
      database.query(USERS_OF_MODEL[database.kind], { relyingPartyId, aaguid, after, limit }),
    placeOf: ({ aaguid: model, credentialHash }) =>
      model.equals(aaguid) && Buffer.compare(credentialHash, from) > 0 ? credentialHash : undefined,
  });
