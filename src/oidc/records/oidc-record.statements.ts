import { forEachKind, tableOf } from '../../platform/database/entities/table.js';
import type { Scope } from '../../platform/database/scope.js';
import { select, sql, type RowOf } from '../../platform/database/statement.js';
import { Credential } from '../../users/credentials/credential.entity.js';
import { User } from '../../users/user.entity.js';
import { OidcRecord } from './oidc-record.entity.js';
import type { SignInFacts } from './sign-in-facts.js';

const records = tableOf(OidcRecord);
const record = tableOf(OidcRecord, 'r');
const user = tableOf(User, 'u');
const key = tableOf(Credential, 'k');

const SIGN_IN = [
  'userId',
  'lockouts',
  'credentialId',
  'credentialPartyId',
  'disablings',
] as const satisfies readonly (keyof SignInFacts)[];

const RECORDS = select(record.pick('payload', 'consumedAt', ...SIGN_IN));

/**
 * A record whose sign-in still holds: its user exists, was not locked out since and is not suspended, and its key is
 * enabled and was not disabled, refused by a rule or deleted since. The key of a user of a predecessor
 * belongs to the user's row there.
 */
const VALID = `${record.from}
  JOIN ${user.from} ON ${user.id} = ${record.userId}
    AND ${user.relyingPartyId} = ${record.relyingPartyId}
    AND COALESCE(${user.lockouts}, 0) = ${record.lockouts} AND ${user.suspendedBy} IS NULL
  JOIN ${key.from} ON ${key.id} = ${record.credentialId}
    AND +${key.relyingPartyId} = ${record.credentialPartyId}
    AND ${key.enabled} = 1 AND COALESCE(${key.disablings}, 0) = ${record.disablings}
    AND (${key.userId} = ${record.userId}
      OR ${key.relyingPartyId} <> ${record.relyingPartyId})
  WHERE ${record.scope} AND ${record.expiresAt} > :now`;

export const FIND_RECORD = RECORDS.from<Scope & { id: Buffer; now: number }>(
  `${VALID} AND ${record.id} = :id`,
  { small: true },
);

export type FoundRecord = RowOf<typeof FIND_RECORD>;

export const FIND_RECORD_BY_REFERENCE = RECORDS.from<Scope & { reference: Buffer; now: number }>(
  `${VALID} AND ${record.reference} = :reference`,
  { small: true },
);

const INSERT = `INSERT INTO ${records.row(...records.except('consumedAt'))}`;
const CHANGED = [...SIGN_IN, 'payload', 'expiresAt'] as const;

export const PUT_RECORD = forEachKind((kind) =>
  sql<Omit<OidcRecord, 'consumedAt'>>(
    kind === 'sqlite'
      ? `${INSERT} ON CONFLICT (${records.id}) DO UPDATE SET
        ${CHANGED.map((name) => `${records[name]} = excluded.${records[name]}`).join(', ')}`
      : `${INSERT} ON DUPLICATE KEY UPDATE
        ${CHANGED.map((name) => `${records[name]} = VALUES(${records[name]})`).join(', ')}`,
  ),
);

/** Changes a record whose payload is still the one that was read. */
export const REPLACE_PAYLOAD = sql<
  Scope & { id: Buffer; former: string; payload: string; expiresAt: number }
>(
  `UPDATE ${records.from} SET ${records.payload} = :payload, ${records.expiresAt} = :expiresAt
  WHERE ${records.scope} AND ${records.id} = :id AND ${records.payload} = :former`,
);

/** Changes nothing if the record was consumed already. */
export const CONSUME_RECORD = sql<Scope & { id: Buffer; now: number }>(
  `UPDATE ${records.from} SET ${records.consumedAt} = :now
  WHERE ${records.scope} AND ${records.id} = :id AND ${records.consumedAt} IS NULL`,
);

export const DELETE_RECORD = sql<Scope & { id: Buffer }>(
  `DELETE FROM ${records.from} WHERE ${records.scope} AND ${records.id} = :id`,
);

export const DELETE_RECORDS_BY_REFERENCE = sql<Scope & { reference: Buffer }>(
  `DELETE FROM ${records.from} WHERE ${records.scope} AND ${records.reference} = :reference`,
);

export const EXPIRED_RECORDS = select(records.pick('id')).from<{ until: number; limit: number }>(`
  ${records.from} WHERE ${records.expiresAt} <= :until
  ORDER BY ${records.expiresAt} LIMIT :limit`);

export const REMOVE_RECORDS = sql<{ ids: readonly Buffer[] }>(
  `DELETE FROM ${records.from} WHERE ${records.id} IN (:...ids)`,
);
