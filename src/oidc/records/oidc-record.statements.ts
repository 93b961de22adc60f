import { forEachKind, tableOf } from '../../platform/database/entities/table.js';
import type { Scope } from '../../platform/database/scope.js';
import { select, sql, type RowOf } from '../../platform/database/statement.js';
import { Credential } from '../../users/credentials/credential.entity.js';
import { User } from '../../users/user.entity.js';
import { OidcRecord } from './oidc-record.entity.js';
import type { SignInFacts } from './sign-in-facts.js';

const record = tableOf(OidcRecord);
const r = tableOf(OidcRecord, 'r');
const u = tableOf(User, 'u');
const k = tableOf(Credential, 'k');

const SIGN_IN = [
  'userId',
  'lockouts',
  'credentialId',
  'credentialPartyId',
  'disablings',
] as const satisfies readonly (keyof SignInFacts)[];

const RECORDS = select(r.pick('payload', 'consumedAt', ...SIGN_IN));

/**
 * A record whose sign-in still holds: its user exists, was not locked out since and is not suspended, and its key is
 * enabled and was not disabled, refused by a rule or deleted since. The key of a user of a predecessor
 * belongs to the user's row there.
 */
const VALID = `${r.from}
  JOIN ${u.from} ON ${u.id} = ${r.userId}
    AND ${u.relyingPartyId} = ${r.relyingPartyId}
    AND COALESCE(${u.lockouts}, 0) = ${r.lockouts} AND ${u.suspendedBy} IS NULL
  JOIN ${k.from} ON ${k.id} = ${r.credentialId}
    AND +${k.relyingPartyId} = ${r.credentialPartyId}
    AND ${k.enabled} = 1 AND COALESCE(${k.disablings}, 0) = ${r.disablings}
    AND (${k.userId} = ${r.userId}
      OR ${k.relyingPartyId} <> ${r.relyingPartyId})
  WHERE ${r.scope} AND ${r.expiresAt} > :now`;

export const FIND_RECORD = RECORDS.from<Scope & { id: Buffer; now: number }>(
  `${VALID} AND ${r.id} = :id`,
  { small: true },
);

export type FoundRecord = RowOf<typeof FIND_RECORD>;

export const FIND_RECORD_BY_REFERENCE = RECORDS.from<Scope & { reference: Buffer; now: number }>(
  `${VALID} AND ${r.reference} = :reference`,
  { small: true },
);

const INSERT = `INSERT INTO ${record.row(...record.except('consumedAt'))}`;
const CHANGED = [...SIGN_IN, 'payload', 'expiresAt'] as const;

export const PUT_RECORD = forEachKind((kind) =>
  sql<Omit<OidcRecord, 'consumedAt'>>(
    kind === 'sqlite'
      ? `${INSERT} ON CONFLICT (${record.id}) DO UPDATE SET
        ${CHANGED.map((name) => `${record[name]} = excluded.${record[name]}`).join(', ')}`
      : `${INSERT} ON DUPLICATE KEY UPDATE
        ${CHANGED.map((name) => `${record[name]} = VALUES(${record[name]})`).join(', ')}`,
  ),
);

/** Changes a record whose payload is still the one that was read. */
export const REPLACE_PAYLOAD = sql<
  Scope & { id: Buffer; former: string; payload: string; expiresAt: number }
>(
  `UPDATE ${record.from} SET ${record.payload} = :payload, ${record.expiresAt} = :expiresAt
  WHERE ${record.scope} AND ${record.id} = :id AND ${record.payload} = :former`,
);

/** Changes nothing if the record was consumed already. */
export const CONSUME_RECORD = sql<Scope & { id: Buffer; now: number }>(
  `UPDATE ${record.from} SET ${record.consumedAt} = :now
  WHERE ${record.scope} AND ${record.id} = :id AND ${record.consumedAt} IS NULL`,
);

export const DELETE_RECORD = sql<Scope & { id: Buffer }>(
  `DELETE FROM ${record.from} WHERE ${record.scope} AND ${record.id} = :id`,
);

export const DELETE_RECORDS_BY_REFERENCE = sql<Scope & { reference: Buffer }>(
  `DELETE FROM ${record.from} WHERE ${record.scope} AND ${record.reference} = :reference`,
);

export const EXPIRED_RECORDS = select(record.pick('id')).from<{ until: number; limit: number }>(`
  ${record.from} WHERE ${record.expiresAt} <= :until
  ORDER BY ${record.expiresAt} LIMIT :limit`);

export const REMOVE_RECORDS = sql<{ ids: readonly Buffer[] }>(
  `DELETE FROM ${record.from} WHERE ${record.id} IN (:...ids)`,
);
