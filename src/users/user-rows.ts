import { tableOf, type RowOf } from '../platform/database/entities/table.js';
import { nameKey, type RelyingParty } from '../tenancy/relying-party.js';
import { Credential } from './credentials/credential.entity.js';
import type { StoredKeyState } from './credentials/key-state.js';
import { User } from './user.entity.js';

/** A credential as accounts see it. */
export interface FoundCredential
  extends
    StoredKeyState,
    Readonly<Pick<Credential, 'id' | 'credentialId' | 'credentialHash' | 'deviceName' | 'aaguid'>>,
    Readonly<Pick<Credential, 'keypair' | 'signCount' | 'transports' | 'attestationFormat'>>,
    Readonly<Pick<Credential, 'backedUp' | 'registeredAt' | 'lastUsedAt' | 'serialNumber'>> {
  readonly backupEligible: boolean;
}

export interface FoundUser extends Readonly<
  Pick<User, 'id' | 'username' | 'displayName' | 'createdAt'>
> {
  readonly relyingParty: RelyingParty;
  /** In the order of registration. */
  readonly credentials: readonly FoundCredential[];
  /** IDs of all credentials that were read; `credentials` may contain only some of them. */
  readonly credentialIds: readonly Buffer[];
}

const u = tableOf(User, 'u');
const c = tableOf(Credential, 'c');

/** The columns of `UserRow`, from a user `u` and a credential `c`. */
export const USER_ROW = `${u.id} AS userId, ${u.select('username', 'displayName', 'createdAt')},
  ${c.select('id', 'credentialId', 'credentialHash', 'deviceName', 'aaguid', 'keypair', 'enabled')},
  ${c.select('signCount', 'transports', 'attestationFormat', 'backupEligible', 'backedUp')},
  ${c.select('registeredAt', 'lastUsedAt', 'serialNumber')},
  ${c.select('disabledBy', 'disabledByRule', 'acceptedBy', 'refusedWith')}`;

/** A user joined with one credential, or with none. */
export type UserRow = Omit<FoundCredential, 'id'> &
  RowOf<User, 'displayName' | 'createdAt', 'username'> & {
    readonly userId: Buffer;
    readonly id: Buffer | null;
  };

type Mutable = FoundUser & {
  readonly credentials: FoundCredential[];
  readonly credentialIds: Buffer[];
};

/** The name of a key in addresses, forms and answers: its credential ID, Base64URL. */
export const keyName = ({ credentialId }: Pick<FoundCredential, 'credentialId'>): string =>
  credentialId.toString('base64url');

export const sortKeyOf = ({
  relyingParty,
  username,
}: Pick<FoundUser, 'relyingParty' | 'username'>) =>
  Buffer.from(nameKey(relyingParty, username), 'utf8');

/** Groups the rows by user, in the byte order of the compared form of their names. */
export function usersOf(relyingParty: RelyingParty, rows: readonly UserRow[]): FoundUser[] {
  const users = new Map<string, Mutable>();
  for (const row of rows) {
    const key = row.userId.toString('latin1');
    let user = users.get(key);
    if (!user) {
      user = userOf(relyingParty, row);
      users.set(key, user);
    }
    if (!row.id) continue;
    user.credentials.push(credentialOf(row, row.id));
    user.credentialIds.push(row.id);
  }
  const named = [...users.values()].map((user) => ({ name: sortKeyOf(user), user }));
  return named
    .sort((a, b) => Buffer.compare(a.name, b.name))
    .map(({ user }) => {
      user.credentials.sort(byRegistration);
      return user;
    });
}

const byRegistration = (a: FoundCredential, b: FoundCredential): number =>
  a.registeredAt - b.registeredAt || Buffer.compare(a.id, b.id);

function userOf(relyingParty: RelyingParty, row: UserRow): Mutable {
  const { userId: id, displayName, createdAt } = row;
  const username = row.username.toString('utf8');
  const names = { username, displayName };
  return { id, ...names, createdAt, relyingParty, credentials: [], credentialIds: [] };
}

/** SQLite and MySQL return booleans as numbers. */
function credentialOf(row: UserRow, id: Buffer): FoundCredential {
  const { credentialId, credentialHash, deviceName, aaguid, keypair, signCount } = row;
  const { transports, attestationFormat, registeredAt, lastUsedAt, serialNumber } = row;
  const { disabledBy, disabledByRule, acceptedBy, refusedWith } = row;
  return {
    id,
    credentialId,
    credentialHash,
    deviceName,
    aaguid,
    keypair,
    signCount,
    transports,
    attestationFormat,
    registeredAt,
    lastUsedAt,
    serialNumber,
    disabledBy,
    disabledByRule,
    acceptedBy,
    refusedWith,
    enabled: Boolean(row.enabled),
    backupEligible: Boolean(row.backupEligible),
    backedUp: Boolean(row.backedUp),
  };
}
