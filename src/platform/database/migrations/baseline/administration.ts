import type { TableOptions } from 'typeorm';
import {
  FLAG,
  LARGE_BYTES,
  SMALL,
  TEXT,
  WHOLE,
  bytes,
  fixedBytes,
  words,
} from '../../entities/column-types.js';
import { column, cascade, index, unique, uniqueIndex } from '../table-parts.js';

export const administrationTables: TableOptions[] = [
  /** Changes made in the console: rows are only ever added, each with a seal that covers the row before. */
  {
    name: 'audit',
    columns: [
      column('seq', WHOLE, { isPrimary: true }),
      column('at', WHOLE),
      column('account', bytes(255)),
      column('role', words(16)),
      column('address', words(64)),
      column('action', words(64)),
      column('tenant', bytes(255), { isNullable: true }),
      column('relying_party', bytes(255), { isNullable: true }),
      column('target', bytes(1024), { isNullable: true }),
      column('result', words(8)),
      column('code', words(8), { isNullable: true }),
      column('request_id', words(64)),
      column('detail', TEXT),
      column('previous_hash', fixedBytes(32)),
      column('hash', fixedBytes(32)),
      column('salt', fixedBytes(16), { isNullable: true }),
      column('erased_by', WHOLE, { isNullable: true }),
    ],
    indices: [
      index('ix_audit_at', 'at'),
      index('ix_audit_account', 'account', 'seq'),
      index('ix_audit_action', 'action', 'seq'),
      index('ix_audit_tenant', 'tenant', 'seq'),
      index('ix_audit_target', 'target', 'seq'),
      index('ix_audit_result', 'result', 'seq'),
      index('ix_audit_request', 'request_id'),
    ],
  },
  /** Accounts that are managed in the console, and stored data of the accounts of the configuration. */
  {
    name: 'console_accounts',
    columns: [
      column('id', fixedBytes(16), { isPrimary: true }),
      column('name', bytes(255)),
      column('role', words(16), { isNullable: true }),
      column('tenants', TEXT, { isNullable: true }),
      column('password', words(80), { isNullable: true }),
      column('sign_in', words(16)),
      column('created_at', WHOLE),
      column('created_by', words(255)),
      column('changed_at', WHOLE, { default: 0 }),
      column('needs_key', FLAG, { default: 0 }),
    ],
    indices: [uniqueIndex('uq_console_accounts_name', 'name')],
  },
  /** Accounts of the console that their owners have not set up yet. */
  {
    name: 'console_setups',
    columns: [
      column('account_id', fixedBytes(16), { isPrimary: true }),
      column('token_hash', fixedBytes(32), { isNullable: true }),
      column('ends_at', WHOLE, { isNullable: true }),
    ],
    indices: [uniqueIndex('uq_console_setups_token', 'token_hash')],
    foreignKeys: [cascade('fk_console_setups_account', 'account_id', 'console_accounts')],
  },
  /** Keys of the console's accounts, in a table apart from users' keys, since they are not billed. */
  {
    name: 'console_keys',
    columns: [
      column('id', fixedBytes(16), { isPrimary: true }),
      column('account_id', fixedBytes(16)),
      column('domain', words(253)),
      column('credential_hash', fixedBytes(32)),
      column('credential_id', bytes(1023)),
      column('public_key', LARGE_BYTES),
      column('sign_count', WHOLE),
      column('backup_eligible', FLAG),
      column('verifies_user', FLAG),
      column('transports', words(100)),
      column('name', words(64)),
      column('created_at', WHOLE),
      column('used_at', WHOLE, { isNullable: true }),
      column('uv_initialized', FLAG, { isNullable: true }),
    ],
    indices: [
      uniqueIndex('uq_console_keys_credential', 'credential_hash'),
      index('ix_console_keys_account', 'account_id'),
    ],
    foreignKeys: [cascade('fk_console_keys_account', 'account_id', 'console_accounts')],
  },
  /** Sessions of browsers in the console. */
  {
    name: 'console_sessions',
    columns: [
      column('id', fixedBytes(16), { isPrimary: true }),
      column('account', words(255)),
      column('mark', fixedBytes(32)),
      column('secret_hash', fixedBytes(32)),
      column('previous_hash', fixedBytes(32), { isNullable: true }),
      column('rotated_at', WHOLE),
      column('began_at', WHOLE),
      column('used_at', WHOLE),
      column('ends_at', WHOLE),
      column('way', words(16)),
      column('address', words(64)),
      column('browser', words(255)),
    ],
    indices: [
      index('ix_console_sessions_account', 'account'),
      index('ix_console_sessions_end', 'ends_at'),
    ],
  },
  /** Challenges that keys of the console have answered, so that each is accepted only once. */
  {
    name: 'console_challenges',
    columns: [column('hash', fixedBytes(32), { isPrimary: true }), column('ends_at', WHOLE)],
    indices: [index('ix_console_challenges_end', 'ends_at')],
  },
  /** Uploaded lists of user names, kept for an hour: to inspect, and to delete the users on them. */
  {
    name: 'uploads',
    columns: [
      column('id', fixedBytes(16), { isPrimary: true }),
      column('account', bytes(255)),
      column('relying_party_id', fixedBytes(16)),
      column('state', words(10)),
      column('expires_at', WHOLE),
      column('tenant_id', fixedBytes(16), { isNullable: true }),
    ],
    indices: [index('ix_uploads_expiry', 'expires_at')],
  },
  /**
   * The lines of an uploaded list, each name once. A line that cannot be a name has no `username`; `shown`
   * is its beginning. `outcome` is the result of a deletion for the line.
   */
  {
    name: 'upload_lines',
    columns: [
      column('upload_id', fixedBytes(16), { isPrimary: true }),
      column('line', SMALL, { isPrimary: true }),
      column('username', bytes(255), { isNullable: true }),
      column('shown', bytes(255), { isNullable: true }),
      column('outcome', words(8), { isNullable: true }),
      column('credentials', SMALL, { default: 0 }),
    ],
    uniques: [unique('uq_upload_lines_username', 'upload_id', 'username')],
  },
  /** The progress of the last import of each relying party. */
  {
    name: 'imports',
    columns: [
      column('relying_party_id', fixedBytes(16), { isPrimary: true }),
      column('tenant_id', fixedBytes(16)),
      column('run', fixedBytes(16)),
      column('account', bytes(255)),
      column('source', words(16)),
      column('state', words(10)),
      column('tally', TEXT),
      column('began_at', WHOLE),
      column('changed_at', WHOLE),
    ],
    foreignKeys: [cascade('fk_imports_relying_party', 'relying_party_id', 'relying_parties')],
  },
];
