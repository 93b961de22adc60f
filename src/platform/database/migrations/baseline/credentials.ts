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

/** Columns of a key, including later ones: a deleted key has them too. */
const key = [
  column('id', fixedBytes(16), { isPrimary: true }),
  column('tenant_id', fixedBytes(16)),
  column('relying_party_id', fixedBytes(16)),
  column('user_id', fixedBytes(16)),
  column('credential_id', bytes(1023)),
  column('credential_hash', fixedBytes(32)),
  column('public_key', bytes(4096)),
  column('algorithm', SMALL),
  column('sign_count', WHOLE),
  column('aaguid', fixedBytes(16)),
  column('device_name', words(300)),
  column('keypair', TEXT, { isNullable: true }),
  column('transports', words(255)),
  column('attestation_format', words(32)),
  column('attestation_type', words(32)),
  column('attestation_trusted', FLAG),
  column('user_verified', FLAG),
  column('backup_eligible', FLAG, { isNullable: true }),
  column('backed_up', FLAG),
  column('enabled', FLAG),
  column('registered_at', WHOLE),
  column('last_used_at', WHOLE, { isNullable: true }),
  column('last_ceremony', fixedBytes(16)),
  column('imported_from', words(16), { isNullable: true }),
  column('refused_with', words(8), { isNullable: true }),
  column('registration_flags', SMALL, { isNullable: true }),
  column('attestation_asked', FLAG, { isNullable: true }),
  column('resident_key', FLAG, { isNullable: true }),
  column('serial_number', words(128), { isNullable: true }),
];

const addedToKeys = [
  column('disabled_by', TEXT, { isNullable: true }),
  column('disabled_by_rule', words(32), { isNullable: true }),
  column('accepted_by', words(255), { isNullable: true }),
  column('uv_initialized', FLAG, { isNullable: true }),
  column('made_under_authority', FLAG, { isNullable: true }),
];

export const credentialsTables: TableOptions[] = [
  /** `user_handle` is WebAuthn's user.id: 32 random bytes, new for each user of a name. */
  {
    name: 'users',
    columns: [
      column('id', fixedBytes(16), { isPrimary: true }),
      column('tenant_id', fixedBytes(16)),
      column('relying_party_id', fixedBytes(16)),
      column('username', bytes(255)),
      column('display_name', words(255)),
      column('user_handle', fixedBytes(32)),
      column('created_at', WHOLE),
      column('subject', bytes(64), { isNullable: true }),
      column('folded_name', bytes(510), { isNullable: true }),
    ],
    uniques: [unique('uq_users_username', 'relying_party_id', 'username')],
    indices: [
      uniqueIndex('uq_users_subject', 'relying_party_id', 'subject'),
      uniqueIndex('uq_users_handle', 'relying_party_id', 'user_handle'),
      // No two names differ in case alone if names are folded.
      uniqueIndex('uq_users_folded_name', 'relying_party_id', 'folded_name'),
      index('ix_users_created', 'relying_party_id', 'created_at', 'id'),
    ],
    foreignKeys: [cascade('fk_users_relying_party', 'relying_party_id', 'relying_parties')],
  },
  /**
   * Credential IDs have up to 1023 bytes, so their SHA-256 is indexed instead. `last_ceremony` names the
   * ceremony that wrote the row last, so that a write whose answer was lost can be recognized.
   */
  {
    name: 'credentials',
    columns: [...key, ...addedToKeys],
    uniques: [unique('uq_credentials_hash', 'relying_party_id', 'credential_hash')],
    indices: [
      index('ix_credentials_enabled', 'relying_party_id', 'enabled'),
      index('ix_credentials_user', 'user_id'),
      index('ix_credentials_of_model', 'relying_party_id', 'aaguid', 'credential_hash'),
    ],
    foreignKeys: [cascade('fk_credentials_user', 'user_id', 'users')],
  },
  /** Handles of some of a user's keys that are not the user's own: some other servers make a handle for each key. */
  {
    name: 'further_handles',
    columns: [
      column('relying_party_id', fixedBytes(16), { isPrimary: true }),
      column('handle', bytes(64), { isPrimary: true }),
      column('tenant_id', fixedBytes(16)),
      column('user_id', fixedBytes(16)),
    ],
    indices: [index('ix_further_handles_user', 'user_id')],
    foreignKeys: [cascade('fk_further_handles_user', 'user_id', 'users')],
  },
  /** Earlier names of users, under which earlier events are recorded. */
  {
    name: 'earlier_names',
    withoutRowid: true,
    columns: [
      column('relying_party_id', fixedBytes(16), { isPrimary: true }),
      column('username', bytes(255), { isPrimary: true }),
      column('until', WHOLE, { isPrimary: true }),
      column('user_id', fixedBytes(16), { isPrimary: true }),
      column('tenant_id', fixedBytes(16)),
    ],
    indices: [index('ix_earlier_names_user', 'user_id')],
    foreignKeys: [cascade('fk_earlier_names_user', 'user_id', 'users')],
  },
  /** Folded words of users' names, for the help desk's search. A job fills the table. */
  {
    name: 'search_words',
    withoutRowid: true,
    columns: [
      column('relying_party_id', fixedBytes(16), { isPrimary: true }),
      column('word', bytes(96), { isPrimary: true }),
      column('user_id', fixedBytes(16), { isPrimary: true }),
      column('tenant_id', fixedBytes(16)),
    ],
    indices: [index('ix_search_words_user', 'user_id')],
    foreignKeys: [cascade('fk_search_words_user', 'user_id', 'users')],
  },
  /** The progress of indexing earlier users' names. */
  {
    name: 'search_progress',
    columns: [
      column('id', SMALL, { isPrimary: true }),
      column('folding', SMALL),
      column('upto', fixedBytes(16)),
      column('done', FLAG),
    ],
  },
  /** Maps a user of a new domain to the user of the old one. The row outlives both, for invoices. */
  {
    name: 'moves',
    columns: [
      column('user_id', fixedBytes(16), { isPrimary: true }),
      column('former_user_id', fixedBytes(16)),
      column('former_relying_party_id', fixedBytes(16)),
      column('relying_party_id', fixedBytes(16)),
      column('tenant_id', fixedBytes(16)),
      column('moved_at', WHOLE),
    ],
    indices: [
      index('ix_moves_former', 'former_user_id'),
      // A user of the old domain is one user at the new one, whichever instance links them first.
      uniqueIndex('uq_moves_former', 'relying_party_id', 'former_user_id'),
    ],
  },
  /** User names of a new domain that belong to other users than at the old one. */
  {
    name: 'separate_names',
    columns: [
      column('relying_party_id', fixedBytes(16), { isPrimary: true }),
      column('folded_hash', fixedBytes(32), { isPrimary: true }),
      column('name_hash', fixedBytes(32), { isPrimary: true }),
      column('tenant_id', fixedBytes(16)),
    ],
    foreignKeys: [
      cascade('fk_separate_names_relying_party', 'relying_party_id', 'relying_parties'),
    ],
  },
  /** Attestations, in a table of their own, since every sign-in rewrites the rows of credentials. */
  {
    name: 'attestations',
    columns: [
      column('id', fixedBytes(16), { isPrimary: true }),
      column('tenant_id', fixedBytes(16)),
      column('relying_party_id', fixedBytes(16)),
      column('evidence', TEXT),
      column('certificates', LARGE_BYTES),
      column('authorities', bytes(512)),
      column('proof', LARGE_BYTES),
      column('uvm', words(128), { isNullable: true }),
    ],
    foreignKeys: [cascade('fk_attestations_credential', 'id', 'credentials')],
  },
  /** CA certificates that many credentials share, each stored once. */
  {
    name: 'attestation_authorities',
    columns: [
      column('hash', fixedBytes(32), { isPrimary: true }),
      column('certificate', LARGE_BYTES),
    ],
  },
  /** Deletions made on pages, which can be undone for a day. A job then makes them permanent. */
  {
    name: 'deletions',
    columns: [
      column('id', fixedBytes(16), { isPrimary: true }),
      column('tenant_id', fixedBytes(16)),
      column('relying_party_id', fixedBytes(16)),
      column('user_id', fixedBytes(16)),
      column('username', bytes(255)),
      column('folded_name', bytes(510)),
      column('display_name', words(255)),
      column('user_handle', fixedBytes(32)),
      column('subject', bytes(64), { isNullable: true }),
      column('created_at', WHOLE),
      column('whole', FLAG),
      column('at', WHOLE),
      column('account', bytes(255)),
      column('reason', words(200), { isNullable: true }),
      column('occasion', words(64)),
    ],
    indices: [
      index('ix_deletions_name', 'relying_party_id', 'folded_name'),
      index('ix_deletions_user', 'user_id'),
      index('ix_deletions_occasion', 'occasion'),
      index('ix_deletions_recent', 'relying_party_id', 'whole', 'id'),
    ],
  },
  /** Keys of deletions that can be undone, each with its attestation. */
  {
    name: 'deleted_keys',
    columns: [
      ...key,
      column('deletion_id', fixedBytes(16)),
      column('evidence', TEXT, { isNullable: true }),
      column('certificates', LARGE_BYTES, { isNullable: true }),
      column('authorities', bytes(512), { isNullable: true }),
      column('proof', LARGE_BYTES, { isNullable: true }),
      column('uvm', words(128), { isNullable: true }),
      ...addedToKeys,
    ],
    indices: [
      index('ix_deleted_keys_hash', 'relying_party_id', 'credential_hash'),
      index('ix_deleted_keys_user', 'user_id'),
      index('ix_deleted_keys_deletion', 'deletion_id'),
    ],
    foreignKeys: [cascade('fk_deleted_keys_deletion', 'deletion_id', 'deletions')],
  },
  /** Further handles of users whose deletion can be undone. */
  {
    name: 'deleted_handles',
    columns: [
      column('deletion_id', fixedBytes(16), { isPrimary: true }),
      column('handle', bytes(64), { isPrimary: true }),
      column('tenant_id', fixedBytes(16)),
      column('relying_party_id', fixedBytes(16)),
    ],
    foreignKeys: [cascade('fk_deleted_handles_deletion', 'deletion_id', 'deletions')],
  },
  /** Earlier names of users whose deletion can be undone. */
  {
    name: 'deleted_names',
    columns: [
      column('deletion_id', fixedBytes(16), { isPrimary: true }),
      column('username', bytes(255), { isPrimary: true }),
      column('until', WHOLE, { isPrimary: true }),
      column('tenant_id', fixedBytes(16)),
      column('relying_party_id', fixedBytes(16)),
    ],
    foreignKeys: [cascade('fk_deleted_names_deletion', 'deletion_id', 'deletions')],
  },
  /** One-time permissions to begin a registration; only the SHA-256 of a ticket is stored. */
  {
    name: 'tickets',
    columns: [
      column('ticket_hash', fixedBytes(32), { isPrimary: true }),
      column('relying_party_id', fixedBytes(16)),
      column('username', bytes(255)),
      column('expires_at', WHOLE),
      column('tenant_id', fixedBytes(16), { isNullable: true }),
      column('begun', SMALL, { default: 0 }),
      column('display_name', words(255), { isNullable: true }),
      // The user for whom it was issued.
      column('user_id', fixedBytes(16), { isNullable: true }),
    ],
    indices: [index('ix_tickets_expiry', 'expires_at')],
  },
  /** Tickets as links that users can follow, to register one or more keys. */
  {
    name: 'invitations',
    columns: [
      column('id', fixedBytes(16), { isPrimary: true }),
      column('tenant_id', fixedBytes(16)),
      column('relying_party_id', fixedBytes(16)),
      column('code_hash', fixedBytes(32)),
      column('username', bytes(255)),
      column('display_name', words(255), { isNullable: true }),
      column('issued_by', words(255)),
      column('issued_at', WHOLE),
      column('expires_at', WHOLE),
      column('ended_at', WHOLE, { isNullable: true }),
      column('min_keys', SMALL),
      column('keys_made', SMALL, { default: 0 }),
      column('begun', SMALL, { default: 0 }),
      column('wrong_names', SMALL, { default: 0 }),
      // The user for whom it was issued.
      column('user_id', fixedBytes(16), { isNullable: true }),
    ],
    indices: [
      uniqueIndex('uq_invitations_code', 'code_hash'),
      index('ix_invitations_user', 'relying_party_id', 'username', 'issued_at'),
      index('ix_invitations_expiry', 'expires_at'),
      index('ix_invitations_issued', 'relying_party_id', 'issued_at', 'id'),
    ],
    foreignKeys: [cascade('fk_invitations_relying_party', 'relying_party_id', 'relying_parties')],
  },
  /** The keys that an invitation has registered: one of them vouches for the next. */
  {
    name: 'invitation_keys',
    columns: [
      column('invitation_id', fixedBytes(16), { isPrimary: true }),
      column('credential_hash', fixedBytes(32), { isPrimary: true }),
      column('tenant_id', fixedBytes(16)),
      column('relying_party_id', fixedBytes(16)),
    ],
    foreignKeys: [cascade('fk_invitation_keys_invitation', 'invitation_id', 'invitations')],
  },
  /** Keys that sign the tokens; a retired one stays in the JWKS until its last token has expired. */
  {
    name: 'signing_keys',
    columns: [
      column('kid', words(64), { isPrimary: true }),
      column('private_key', TEXT),
      column('created_at', WHOLE),
    ],
  },
];
