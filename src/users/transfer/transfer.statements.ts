import type { Scope } from '../../platform/database/scope.js';
import {
  select,
  sql,
  type Param,
  type Parameters,
  type RowOf,
} from '../../platform/database/statement.js';
import {
  computed,
  namedParameters,
  orNullAll,
  tableOf,
} from '../../platform/database/entities/table.js';
import { RelyingPartyEntity } from '../../tenancy/relying-party.entity.js';
import { Credential } from '../credentials/credential.entity.js';
import { addedAtOr, uvInitializedOf, type NewUser } from '../credentials/credential.statements.js';
import { eachNameForm } from '../name-forms.js';
import { User, FurtherHandle } from '../user.entity.js';
import { TRANSFERRED } from './transferred.js';

/*
 * The reads of exports, and the reads and writes of imports, some hundred rows at a time.
 */

const users = tableOf(User);
const user = tableOf(User, 'u');
const credentials = tableOf(Credential);
const credential = tableOf(Credential, 'c');
const furtherHandles = tableOf(FurtherHandle);
const relyingParty = tableOf(RelyingPartyEntity, 'r');

const EXPORTED = TRANSFERRED.filter((name) => name !== 'uvInitialized');

const EXPORTED_KEY = {
  ...credential.pick('id', 'attestationTrusted', 'serialNumber', ...EXPORTED),
  uvInitialized: computed<number>(uvInitializedOf(credential)),
};

/** A user joined with one credential, or with none. */
const usersToExport = <Params extends Parameters<Params>>(after: string) =>
  select({
    userId: user.id,
    ...user.pick('username', 'displayName', 'userHandle', 'subject', 'createdAt', 'suspendedBy'),
    ...orNullAll(EXPORTED_KEY),
  }).from<{ relyingPartyId: Buffer; createdAt: number; limit: number } & Params>(`
    (SELECT ${users.id} FROM ${users.from}
    WHERE ${users.relyingPartyId} = :relyingPartyId AND ${after}
    ORDER BY ${users.createdAt}, ${users.id} LIMIT :limit) k
  JOIN ${user.from} ON ${user.id} = k.id LEFT JOIN ${credential.from} ON ${credential.userId} = k.id
  ORDER BY ${user.createdAt}, ${user.id}, ${credential.registeredAt}, ${credential.id}`);

/**
 * Users with their credentials, through the index of their creation: first those of the same millisecond after an ID,
 * then those created later.
 */
export const USERS_TO_EXPORT = {
  same: usersToExport<{ id: Buffer }>(`${users.createdAt} = :createdAt AND ${users.id} > :id`),
  later: usersToExport(`${users.createdAt} > :createdAt`),
};

export type ExportRow = RowOf<typeof USERS_TO_EXPORT.later>;
export type ExportedKeyRow = ExportRow & RowOf<typeof EXPORTED_KEY>;

type HandleRow = Pick<FurtherHandle, 'userId' | 'handle'>;
export type ListedRows = Scope & { readonly list: readonly Buffer[] };

export const FURTHER_HANDLES_OF = select(furtherHandles.pick('userId', 'handle')).from<
  Scope & { userIds: readonly Buffer[] }
>(`
  ${furtherHandles.from}
  WHERE ${furtherHandles.scope} AND ${furtherHandles.userId} IN (:...userIds) ORDER BY ${furtherHandles.handle}`);

const usersIn = (column: string) =>
  select(users.pick('id', 'username', 'userHandle', 'subject')).from<ListedRows>(`
    ${users.from} WHERE ${users.scope} AND ${column} IN (:...list)`);

export const USERS_OF_NAMES = eachNameForm(users, usersIn);
export const USERS_OF_HANDLES = usersIn(users.userHandle);
export const USERS_OF_SUBJECTS = usersIn(users.subject);

export const OWNERS_OF_HANDLES = select(furtherHandles.pick('userId', 'handle')).from<ListedRows>(`
  ${furtherHandles.from}
  WHERE ${furtherHandles.scope} AND ${furtherHandles.handle} IN (:...list)`);

export const OWNERS_OF_CREDENTIALS = select(credentials.pick('userId', 'credentialHash'))
  .from<ListedRows>(`
    ${credentials.from}
  WHERE ${credentials.scope} AND ${credentials.credentialHash} IN (:...list)`);

/** The names of these users' keys. */
export const KEY_NAMES_OF_USERS = select(credentials.pick('userId', 'deviceName'))
  .from<ListedRows>(`
    ${credentials.from}
  WHERE ${credentials.scopeWithoutIndex} AND ${credentials.userId} IN (:...list)`);

const NEW_USER = [
  'relyingPartyId',
  'tenantId',
  'id',
  'username',
  'displayName',
  'userHandle',
  'subject',
  'createdAt',
  'suspendedBy',
  'suspensionJson',
] as const;

type ImportedUserRow = NewUser & Pick<User, 'suspendedBy' | 'suspensionJson'>;

/** Folded names count if the relying party's row says so at this moment. */
export const INSERT_USERS = sql<Scope & { rows: readonly ImportedUserRow[] }>(
  `INSERT INTO ${users.from} (${users.list(...NEW_USER, 'foldedName')}) VALUES
    :...rows[${namedParameters(NEW_USER)}, CASE WHEN
      (SELECT ${relyingParty.foldsNames} FROM ${relyingParty.from} WHERE ${relyingParty.id} = :relyingPartyId) = 1
      THEN :foldedName END]`,
);

export const INSERT_HANDLES = sql<Scope & { rows: readonly HandleRow[] }>(
  `INSERT INTO ${furtherHandles.rows('relyingPartyId', 'tenantId', 'userId', 'handle')}`,
);

const IMPORTED = [
  'id',
  'credentialHash',
  'lastCeremony',
  'attestationTrusted',
  'disablingJson',
  'origin',
  ...TRANSFERRED,
] as const;
const OF_USER = ['relyingPartyId', 'tenantId', 'userId'] as const;
type ImportedRow = Readonly<Record<(typeof IMPORTED)[number], Param>> & {
  readonly userId: Buffer;
  readonly deviceName: string;
  readonly addedAt: number;
};

/** For users created just before. */
export const INSERT_CREDENTIALS = sql<Scope & { rows: readonly ImportedRow[] }>(
  `INSERT INTO ${credentials.rows(...OF_USER, 'addedAt', ...IMPORTED)}`,
);

/** For a user who existed before, has fewer than `maxCredentials`, and none of this name. */
export const INSERT_CREDENTIAL_OF_USER = sql<Scope & ImportedRow & { maxCredentials: number }>(
  `INSERT INTO ${credentials.from} (${credentials.list(...OF_USER, 'addedAt', ...IMPORTED)})
  SELECT ${user.list('relyingPartyId', 'tenantId', 'id')}, ${addedAtOr(':addedAt')},
    ${namedParameters(IMPORTED)}
  FROM ${user.from} JOIN ${relyingParty.from} ON ${relyingParty.id} = ${user.relyingPartyId}
    AND ${relyingParty.closedAt} = 0
  WHERE ${user.scope} AND ${user.id} = :userId
    AND (SELECT COUNT(*) FROM ${credential.from} WHERE ${credential.userId} = ${user.id}) < :maxCredentials
    AND NOT EXISTS (SELECT 1 FROM ${credential.from}
      WHERE ${credential.userId} = ${user.id} AND ${credential.deviceName} = :deviceName)`,
);
