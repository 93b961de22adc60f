import type { AuditDetail } from '../audit/audit-entry.js';
import type { AuditFacts } from '../audit/request-rows.js';
import { mapKey } from '../platform/database/row-ids.js';
import { computed, orNullAll, tableOf } from '../platform/database/entities/table.js';
import type { RowOf } from '../platform/database/statement.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { nameKey } from '../tenancy/usernames/name-key.js';
import { Credential, KEY_STATE } from './credentials/credential.entity.js';
import type { Pattern } from './search/pattern.js';
import { canSignIn } from './sign-in-state.js';
import { User } from './user.entity.js';

/** The columns of a credential that accounts see, besides its ID. */
const FOUND = [
  'credentialId',
  'credentialHash',
  'deviceName',
  'aaguid',
  'deviceMetadata',
  'signCount',
  'transports',
  'attestationFormat',
  'backupEligible',
  'backedUp',
  'registeredAt',
  'lastUsedAt',
  'serialNumber',
  'enabled',
  ...KEY_STATE,
] as const satisfies readonly (keyof Credential)[];

/** A credential as accounts see it. */
export interface FoundCredential extends Readonly<
  Pick<Credential, 'id' | Exclude<(typeof FOUND)[number], 'backupEligible'>>
> {
  readonly backupEligible: boolean;
}

/** The columns about suspensions, and those that a directory writes. */
const STATE = ['suspendedBy', 'suspensionJson', 'externalId', 'directoryJson'] as const;

export interface FoundUser extends Readonly<
  Pick<User, 'id' | 'username' | 'displayName' | 'createdAt' | (typeof STATE)[number]>
> {
  readonly relyingParty: RelyingParty;
  /** At this relying party, with any key: see `canSignIn` of `sign-in-state.ts`. */
  readonly canSignIn: boolean;
  /** In the order of registration. */
  readonly credentials: readonly FoundCredential[];
  /** IDs of all credentials that were read; `credentials` may contain only some of them. */
  readonly credentialIds: readonly Buffer[];
}

const u = tableOf(User, 'u');
const c = tableOf(Credential, 'c');

const KEY = c.pick('id', ...FOUND);
const KEY_OR_NULL = orNullAll(KEY);

/** A user `u` joined with one credential `c`, or with none. */
export const USER_ROW = {
  userId: u.id,
  ...u.pick('username', 'displayName', 'createdAt', ...STATE),
  canSignIn: computed<number>(`CASE WHEN ${canSignIn(u)} THEN 1 ELSE 0 END`),
  ...KEY_OR_NULL,
};
type UserRow = RowOf<typeof USER_ROW>;

const isKey = (row: RowOf<typeof KEY_OR_NULL>): row is RowOf<typeof KEY> => row.id !== null;

type Mutable = FoundUser & {
  readonly credentials: FoundCredential[];
  readonly credentialIds: Buffer[];
};

/** A key's credential ID, Base64URL: it identifies the key in addresses, forms and answers. */
export const credentialIdText = ({ credentialId }: Pick<Credential, 'credentialId'>): string =>
  credentialId.toString('base64url');

export const sortKeyOf = ({
  relyingParty,
  username,
}: Pick<FoundUser, 'relyingParty' | 'username'>) =>
  Buffer.from(nameKey(relyingParty, username), 'utf8');

/** Groups the rows by user, in the byte order of the compared form of their names. */
export function usersOf(relyingParty: RelyingParty, rows: readonly UserRow[]): FoundUser[] {
  const users = new Map<string, Mutable>();
  for (const { userId, username, displayName, createdAt, ...others } of rows) {
    const { suspendedBy, suspensionJson, externalId, directoryJson, ...more } = others;
    const { canSignIn: signsIn, ...credential } = more;
    const key = mapKey(userId);
    let user = users.get(key);
    if (!user) {
      const names = { username: username.toString('utf8'), displayName };
      const state = {
        suspendedBy,
        suspensionJson,
        externalId,
        directoryJson,
        canSignIn: Boolean(signsIn),
      };
      const keys = { credentials: [], credentialIds: [] };
      user = { id: userId, ...names, createdAt, relyingParty, ...state, ...keys };
      users.set(key, user);
    }
    if (!isKey(credential)) continue;
    user.credentials.push({
      ...credential,
      // SQLite and MySQL return booleans as numbers.
      enabled: Boolean(credential.enabled),
      backupEligible: Boolean(credential.backupEligible),
      backedUp: Boolean(credential.backedUp),
    });
    user.credentialIds.push(credential.id);
  }
  for (const { credentials } of users.values()) credentials.sort(byRegistration);
  return [...users.values()]
    .map((user) => ({ name: sortKeyOf(user), user }))
    .sort((a, b) => Buffer.compare(a.name, b.name))
    .map(({ user }) => user);
}

const byRegistration = (a: FoundCredential, b: FoundCredential): number =>
  a.registeredAt - b.registeredAt || Buffer.compare(a.id, b.id);

/** Reduces each user to the matching credentials, and removes users without any. */
export function withMatchingCredentials(
  users: readonly FoundUser[],
  device: Pattern | undefined,
): FoundUser[] {
  if (!device) return [...users];
  return users
    .map((user) => ({
      ...user,
      credentials: user.credentials.filter(
        (key) => device.matches(key.deviceName) || device.matches(credentialIdText(key)),
      ),
    }))
    .filter(({ credentials }) => credentials.length > 0);
}

/**
 * The members of an audit row about a user whom an account changed; the row is found under the user name.
 *
 * @param user with the changed credentials
 * @param facts further members of the detail
 */
export const factsOfUser = (
  { username: target, relyingParty: { tenant, domain }, credentials }: FoundUser,
  facts: AuditDetail = {},
): AuditFacts => ({
  tenant,
  relyingParty: domain,
  target,
  detail: { credentials: credentials.length, ...facts, ...nameOfKey(credentials, facts) },
});

/** The name of the key, if the call named a key and changed one: its ID alone tells an auditor nothing. */
function nameOfKey([key, ...others]: FoundUser['credentials'], facts: AuditDetail): AuditDetail {
  if (key === undefined || others.length > 0 || facts['device'] === undefined) return {};
  return { deviceName: key.deviceName };
}
