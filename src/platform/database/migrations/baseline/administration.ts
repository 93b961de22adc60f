import type { TableOptions } from 'typeorm';
import type { Columns } from '../columns.js';
import { cascade, index, unique, uniqueIndex } from '../keys.js';

export const administrationTables = ({
  bytes,
  fixedBytes,
  flag,
  largeBytes,
  small,
  text,
  whole,
  words,
}: Columns): TableOptions[] => [
  /** Changes made in the console: rows are only ever added, each with a seal that covers the row before. */
  {
    name: 'audit',
    columns: [
      whole('seq', { isPrimary: true }),
      whole('at'),
      bytes('account', 255),
      words('role', 16),
      words('address', 64),
      words('action', 64),
      bytes('tenant', 255, { isNullable: true }),
      bytes('relying_party', 255, { isNullable: true }),
      bytes('target', 1024, { isNullable: true }),
      words('result', 8),
      words('code', 8, { isNullable: true }),
      words('request_id', 64),
      text('detail'),
      fixedBytes('previous_hash', 32),
      fixedBytes('hash', 32),
      fixedBytes('salt', 16, { isNullable: true }),
      whole('erased_by', { isNullable: true }),
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
      fixedBytes('id', 16, { isPrimary: true }),
      bytes('name', 255),
      words('role', 16, { isNullable: true }),
      text('tenants', { isNullable: true }),
      words('password', 80, { isNullable: true }),
      words('sign_in', 16),
      whole('created_at'),
      words('created_by', 255),
      whole('changed_at', { default: 0 }),
      flag('needs_key', { default: 0 }),
    ],
    indices: [uniqueIndex('uq_console_accounts_name', 'name')],
  },
  /** Accounts of the console that their owners have not set up yet. */
  {
    name: 'console_setups',
    columns: [
      fixedBytes('account_id', 16, { isPrimary: true }),
      fixedBytes('token_hash', 32, { isNullable: true }),
      whole('ends_at', { isNullable: true }),
    ],
    indices: [uniqueIndex('uq_console_setups_token', 'token_hash')],
    foreignKeys: [cascade('fk_console_setups_account', 'account_id', 'console_accounts')],
  },
  /** Keys of the console's accounts, in a table apart from users' keys, since they are not billed. */
  {
    name: 'console_keys',
    columns: [
      fixedBytes('id', 16, { isPrimary: true }),
      fixedBytes('account_id', 16),
      words('domain', 253),
      fixedBytes('credential_hash', 32),
      bytes('credential_id', 1023),
      largeBytes('public_key'),
      whole('sign_count'),
      flag('backup_eligible'),
      flag('verifies_user'),
      words('transports', 100),
      words('name', 64),
      whole('created_at'),
      whole('used_at', { isNullable: true }),
      flag('uv_initialized', { isNullable: true }),
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
      fixedBytes('id', 16, { isPrimary: true }),
      words('account', 255),
      fixedBytes('mark', 32),
      fixedBytes('secret_hash', 32),
      fixedBytes('previous_hash', 32, { isNullable: true }),
      whole('rotated_at'),
      whole('began_at'),
      whole('used_at'),
      whole('ends_at'),
      words('way', 16),
      words('address', 64),
      words('browser', 255),
    ],
    indices: [
      index('ix_console_sessions_account', 'account'),
      index('ix_console_sessions_end', 'ends_at'),
    ],
  },
  /** Challenges that keys of the console have answered, so that each is accepted only once. */
  {
    name: 'console_challenges',
    columns: [fixedBytes('hash', 32, { isPrimary: true }), whole('ends_at')],
    indices: [index('ix_console_challenges_end', 'ends_at')],
  },
  /** Uploaded lists of user names, kept for an hour: to inspect, and to delete the users on them. */
  {
    name: 'uploads',
    columns: [
      fixedBytes('id', 16, { isPrimary: true }),
      bytes('account', 255),
      fixedBytes('relying_party_id', 16),
      words('state', 10),
      whole('expires_at'),
      fixedBytes('tenant_id', 16, { isNullable: true }),
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
      fixedBytes('upload_id', 16, { isPrimary: true }),
      small('line', { isPrimary: true }),
      bytes('username', 255, { isNullable: true }),
      bytes('shown', 255, { isNullable: true }),
      words('outcome', 8, { isNullable: true }),
      small('credentials', { default: 0 }),
    ],
    uniques: [unique('uq_upload_lines_username', 'upload_id', 'username')],
  },
  /** The progress of the last import of each relying party. */
  {
    name: 'imports',
    columns: [
      fixedBytes('relying_party_id', 16, { isPrimary: true }),
      fixedBytes('tenant_id', 16),
      fixedBytes('run', 16),
      bytes('account', 255),
      words('source', 16),
      words('state', 10),
      text('tally'),
      whole('began_at'),
      whole('changed_at'),
    ],
    foreignKeys: [cascade('fk_imports_relying_party', 'relying_party_id', 'relying_parties')],
  },
];
