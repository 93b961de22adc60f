import type { Scope } from '../../platform/database/scope.js';
import { sql, type Param, type Parameters } from '../../platform/database/statement.js';
import { TRANSFERRED, type ExportedKey } from './transferred.js';
import { namedParameters, tableOf, type RowOf } from '../../platform/database/entities/table.js';
import { RelyingPartyEntity } from '../../tenancy/relying-party.entity.js';
import { Credential } from '../credentials/credential.entity.js';
import { uvInitializedOf, type NewUser } from '../credentials/credential.statements.js';
import { FurtherHandle } from '../further-handle.entity.js';
import { eachNameForm } from '../name-forms.js';
import { User } from '../user.entity.js';

/*
 * The reads of exports, and the reads and writes of imports, some hundred rows at a time.
 */

const user = tableOf(User);
const u = tableOf(User, 'u');
const credential = tableOf(Credential);
const c = tableOf(Credential, 'c');
const further = tableOf(FurtherHandle);
const r = tableOf(RelyingPartyEntity, 'r');

const EXPORTED = TRANSFERRED.filter((name) => name !== 'uvInitialized');

/** A user joined with one credential, or with none. */
export type ExportRow = Omit<ExportedKey, 'proof'> &
  RowOf<User, 'displayName' | 'userHandle' | 'externalId' | 'createdAt', 'username'> & {
    readonly userId: Buffer;
    readonly id: Buffer | null;
  };

interface ExportSlice {
  readonly relyingPartyId: Buffer;
  readonly createdAt: number;
  readonly limit: number;
}
const usersToExport = <Params extends Parameters<Params>>(behind: string) =>
  sql<ExportSlice & Params, ExportRow>(`SELECT ${u.id} AS userId,
    ${u.select('username', 'displayName', 'userHandle', 'externalId', 'createdAt')},
    ${c.select('id', 'attestationTrusted', 'serialNumber', ...EXPORTED)},
    ${uvInitializedOf(c)} AS uvInitialized
  FROM (SELECT ${user.id} FROM ${user.from}
    WHERE ${user.relyingPartyId} = :relyingPartyId AND ${behind}
    ORDER BY ${user.createdAt}, ${user.id} LIMIT :limit) k
  JOIN ${u.from} ON ${u.id} = k.id LEFT JOIN ${c.from} ON ${c.userId} = k.id
  ORDER BY ${u.createdAt}, ${u.id}, ${c.registeredAt}, ${c.id}`);

/**
 * Users with their credentials, through the index of their creation: first those of the same millisecond after an ID,
 * then those created later.
 */
export const USERS_TO_EXPORT = {
  same: usersToExport<{ id: Buffer }>(`${user.createdAt} = :createdAt AND ${user.id} > :id`),
  later: usersToExport(`${user.createdAt} > :createdAt`),
};

type HandleRow = Pick<FurtherHandle, 'userId' | 'handle'>;
type Listed = Scope & { readonly list: readonly Buffer[] };

export const FURTHER_HANDLES_OF = sql<Scope & { userIds: readonly Buffer[] }, HandleRow>(
  `SELECT ${further.select('userId', 'handle')} FROM ${further.from}
  WHERE ${further.scope} AND ${further.userId} IN (:...userIds) ORDER BY ${further.handle}`,
);

export type ExistingUserRow = RowOf<User, 'id' | 'userHandle' | 'externalId', 'username'> & {
  readonly credentials: number;
};

const usersIn = (column: string) =>
  sql<Listed, ExistingUserRow>(`SELECT ${user.select('id', 'username', 'userHandle', 'externalId')},
    (SELECT COUNT(*) FROM ${c.from} WHERE ${c.userId} = ${user.from}.${user.id}) AS credentials
  FROM ${user.from} WHERE ${user.scope} AND ${column} IN (:...list)`);

export const USERS_OF_NAMES = eachNameForm(user, usersIn);
export const USERS_OF_HANDLES = usersIn(user.userHandle);
export const USERS_OF_EXTERNAL_IDS = usersIn(user.externalId);

export const OWNERS_OF_HANDLES = sql<Listed, HandleRow>(
  `SELECT ${further.select('userId', 'handle')} FROM ${further.from}
  WHERE ${further.scope} AND ${further.handle} IN (:...list)`,
);

export const OWNERS_OF_CREDENTIALS = sql<Listed, Pick<Credential, 'userId' | 'credentialHash'>>(
  `SELECT ${credential.select('userId', 'credentialHash')} FROM ${credential.from}
  WHERE ${credential.scope} AND ${credential.credentialHash} IN (:...list)`,
);

const NEW_USER = [
  'relyingPartyId',
  'tenantId',
  'id',
  'username',
  'displayName',
  'userHandle',
  'externalId',
  'createdAt',
] as const;

/** Folded names count if the relying party's row says so at this moment. */
export const INSERT_USERS = sql<Scope & { rows: readonly NewUser[] }>(
  `INSERT INTO ${user.from} (${user.list(...NEW_USER, 'foldedName')}) VALUES
    :...rows[${namedParameters(NEW_USER)}, CASE WHEN
      (SELECT ${r.foldsNames} FROM ${r.from} WHERE ${r.id} = :relyingPartyId) = 1
      THEN :foldedName END]`,
);

export const INSERT_HANDLES = sql<Scope & { rows: readonly HandleRow[] }>(
  `INSERT INTO ${further.rows('relyingPartyId', 'tenantId', 'userId', 'handle')}`,
);

const IMPORTED = [
  'id',
  'credentialHash',
  'lastCeremony',
  'attestationTrusted',
  'disablingJson',
  ...TRANSFERRED,
] as const;
const OF_USER = ['relyingPartyId', 'tenantId', 'userId'] as const;
type ImportedRow = Readonly<Record<(typeof IMPORTED)[number], Param>> & {
  readonly userId: Buffer;
};

/** For users created just before. */
export const INSERT_CREDENTIALS = sql<Scope & { rows: readonly ImportedRow[] }>(
  `INSERT INTO ${credential.rows(...OF_USER, ...IMPORTED)}`,
);

/** For a user who existed before and has fewer than `maxCredentials`. */
export const INSERT_CREDENTIAL_OF_USER = sql<Scope & ImportedRow & { maxCredentials: number }>(
  `INSERT INTO ${credential.from} (${credential.list(...OF_USER, ...IMPORTED)})
  SELECT ${u.list('relyingPartyId', 'tenantId', 'id')}, ${namedParameters(IMPORTED)}
  FROM ${u.from} JOIN ${r.from} ON ${r.id} = ${u.relyingPartyId} AND ${r.closedAt} = 0
  WHERE ${u.scope} AND ${u.id} = :userId
    AND (SELECT COUNT(*) FROM ${c.from} WHERE ${c.userId} = ${u.id}) < :maxCredentials`,
);
