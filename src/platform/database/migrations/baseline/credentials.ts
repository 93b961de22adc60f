import type { TableOptions } from 'typeorm';
import type { Columns } from '../columns.js';
import { cascade, index, unique, uniqueIndex } from '../keys.js';

export function credentialsTables({
  bytes,
  fixedBytes,
  flag,
  largeBytes,
  small,
  text,
  whole,
  words,
}: Columns): TableOptions[] {
  /** Columns of a key, including later ones: a deleted key has them too. */
  const key = [
    fixedBytes('id', 16, { isPrimary: true }),
    fixedBytes('tenant_id', 16),
    fixedBytes('relying_party_id', 16),
    fixedBytes('user_id', 16),
    bytes('credential_id', 1023),
    fixedBytes('credential_hash', 32),
    bytes('public_key', 4096),
    small('algorithm'),
    whole('sign_count'),
    fixedBytes('aaguid', 16),
    words('device_name', 300),
    text('keypair', { isNullable: true }),
    words('transports', 255),
    words('attestation_format', 32),
    words('attestation_type', 32),
    flag('attestation_trusted'),
    flag('user_verified'),
    flag('backup_eligible', { isNullable: true }),
    flag('backed_up'),
    flag('enabled'),
    whole('registered_at'),
    whole('last_used_at', { isNullable: true }),
    fixedBytes('last_ceremony', 16),
    words('imported_from', 16, { isNullable: true }),
    words('refused_with', 8, { isNullable: true }),
    small('registration_flags', { isNullable: true }),
    flag('attestation_asked', { isNullable: true }),
    flag('resident_key', { isNullable: true }),
    words('serial_number', 128, { isNullable: true }),
  ];
  const addedToKeys = [
    text('disabled_by', { isNullable: true }),
    words('disabled_by_rule', 32, { isNullable: true }),
    words('accepted_by', 255, { isNullable: true }),
    flag('uv_initialized', { isNullable: true }),
    flag('made_under_authority', { isNullable: true }),
  ];
  return [
    /** `user_handle` is WebAuthn's user.id: 32 random bytes, new for each user of a name. */
    {
      name: 'users',
      columns: [
        fixedBytes('id', 16, { isPrimary: true }),
        fixedBytes('tenant_id', 16),
        fixedBytes('relying_party_id', 16),
        bytes('username', 255),
        words('display_name', 255),
        fixedBytes('user_handle', 32),
        whole('created_at'),
        bytes('subject', 64, { isNullable: true }),
        bytes('folded_name', 510, { isNullable: true }),
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
        fixedBytes('relying_party_id', 16, { isPrimary: true }),
        bytes('handle', 64, { isPrimary: true }),
        fixedBytes('tenant_id', 16),
        fixedBytes('user_id', 16),
      ],
      indices: [index('ix_further_handles_user', 'user_id')],
      foreignKeys: [cascade('fk_further_handles_user', 'user_id', 'users')],
    },
    /** Earlier names of users, under which earlier events are recorded. */
    {
      name: 'earlier_names',
      withoutRowid: true,
      columns: [
        fixedBytes('relying_party_id', 16, { isPrimary: true }),
        bytes('username', 255, { isPrimary: true }),
        whole('until', { isPrimary: true }),
        fixedBytes('user_id', 16, { isPrimary: true }),
        fixedBytes('tenant_id', 16),
      ],
      indices: [index('ix_earlier_names_user', 'user_id')],
      foreignKeys: [cascade('fk_earlier_names_user', 'user_id', 'users')],
    },
    /** Folded words of users' names, for the help desk's search. A job fills the table. */
    {
      name: 'search_words',
      withoutRowid: true,
      columns: [
        fixedBytes('relying_party_id', 16, { isPrimary: true }),
        bytes('word', 96, { isPrimary: true }),
        fixedBytes('user_id', 16, { isPrimary: true }),
        fixedBytes('tenant_id', 16),
      ],
      indices: [index('ix_search_words_user', 'user_id')],
      foreignKeys: [cascade('fk_search_words_user', 'user_id', 'users')],
    },
    /** The progress of indexing earlier users' names. */
    {
      name: 'search_progress',
      columns: [
        small('id', { isPrimary: true }),
        small('folding'),
        fixedBytes('upto', 16),
        flag('done'),
      ],
    },
    /** Maps a user of a new domain to the user of the old one. The row outlives both, for invoices. */
    {
      name: 'moves',
      columns: [
        fixedBytes('user_id', 16, { isPrimary: true }),
        fixedBytes('former_user_id', 16),
        fixedBytes('former_relying_party_id', 16),
        fixedBytes('relying_party_id', 16),
        fixedBytes('tenant_id', 16),
        whole('moved_at'),
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
        fixedBytes('relying_party_id', 16, { isPrimary: true }),
        fixedBytes('folded_hash', 32, { isPrimary: true }),
        fixedBytes('name_hash', 32, { isPrimary: true }),
        fixedBytes('tenant_id', 16),
      ],
      foreignKeys: [
        cascade('fk_separate_names_relying_party', 'relying_party_id', 'relying_parties'),
      ],
    },
    /** Attestations, in a table of their own, since every sign-in rewrites the rows of credentials. */
    {
      name: 'attestations',
      columns: [
        fixedBytes('id', 16, { isPrimary: true }),
        fixedBytes('tenant_id', 16),
        fixedBytes('relying_party_id', 16),
        text('evidence'),
        largeBytes('certificates'),
        bytes('authorities', 512),
        largeBytes('proof'),
        words('uvm', 128, { isNullable: true }),
      ],
      foreignKeys: [cascade('fk_attestations_credential', 'id', 'credentials')],
    },
    /** CA certificates that many credentials share, each stored once. */
    {
      name: 'attestation_authorities',
      columns: [fixedBytes('hash', 32, { isPrimary: true }), largeBytes('certificate')],
    },
    /** Deletions made on pages, which can be undone for a day. A job then makes them permanent. */
    {
      name: 'deletions',
      columns: [
        fixedBytes('id', 16, { isPrimary: true }),
        fixedBytes('tenant_id', 16),
        fixedBytes('relying_party_id', 16),
        fixedBytes('user_id', 16),
        bytes('username', 255),
        bytes('folded_name', 510),
        words('display_name', 255),
        fixedBytes('user_handle', 32),
        bytes('subject', 64, { isNullable: true }),
        whole('created_at'),
        flag('whole'),
        whole('at'),
        bytes('account', 255),
        words('reason', 200, { isNullable: true }),
        words('occasion', 64),
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
        fixedBytes('deletion_id', 16),
        text('evidence', { isNullable: true }),
        largeBytes('certificates', { isNullable: true }),
        bytes('authorities', 512, { isNullable: true }),
        largeBytes('proof', { isNullable: true }),
        words('uvm', 128, { isNullable: true }),
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
        fixedBytes('deletion_id', 16, { isPrimary: true }),
        bytes('handle', 64, { isPrimary: true }),
        fixedBytes('tenant_id', 16),
        fixedBytes('relying_party_id', 16),
      ],
      foreignKeys: [cascade('fk_deleted_handles_deletion', 'deletion_id', 'deletions')],
    },
    /** Earlier names of users whose deletion can be undone. */
    {
      name: 'deleted_names',
      columns: [
        fixedBytes('deletion_id', 16, { isPrimary: true }),
        bytes('username', 255, { isPrimary: true }),
        whole('until', { isPrimary: true }),
        fixedBytes('tenant_id', 16),
        fixedBytes('relying_party_id', 16),
      ],
      foreignKeys: [cascade('fk_deleted_names_deletion', 'deletion_id', 'deletions')],
    },
    /** One-time permissions to begin a registration; only the SHA-256 of a ticket is stored. */
    {
      name: 'tickets',
      columns: [
        fixedBytes('ticket_hash', 32, { isPrimary: true }),
        fixedBytes('relying_party_id', 16),
        bytes('username', 255),
        whole('expires_at'),
        fixedBytes('tenant_id', 16, { isNullable: true }),
        small('begun', { default: 0 }),
        words('display_name', 255, { isNullable: true }),
        // The user for whom it was issued.
        fixedBytes('user_id', 16, { isNullable: true }),
      ],
      indices: [index('ix_tickets_expiry', 'expires_at')],
    },
    /** Tickets as links that users can follow, to register one or more keys. */
    {
      name: 'invitations',
      columns: [
        fixedBytes('id', 16, { isPrimary: true }),
        fixedBytes('tenant_id', 16),
        fixedBytes('relying_party_id', 16),
        fixedBytes('code_hash', 32),
        bytes('username', 255),
        words('display_name', 255, { isNullable: true }),
        words('issued_by', 255),
        whole('issued_at'),
        whole('expires_at'),
        whole('ended_at', { isNullable: true }),
        small('min_keys'),
        small('keys_made', { default: 0 }),
        small('begun', { default: 0 }),
        small('wrong_names', { default: 0 }),
        // The user for whom it was issued.
        fixedBytes('user_id', 16, { isNullable: true }),
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
        fixedBytes('invitation_id', 16, { isPrimary: true }),
        fixedBytes('credential_hash', 32, { isPrimary: true }),
        fixedBytes('tenant_id', 16),
        fixedBytes('relying_party_id', 16),
      ],
      foreignKeys: [cascade('fk_invitation_keys_invitation', 'invitation_id', 'invitations')],
    },
    /** Keys that sign the tokens; a retired one stays in the JWKS until its last token has expired. */
    {
      name: 'signing_keys',
      columns: [words('kid', 64, { isPrimary: true }), text('private_key'), whole('created_at')],
    },
  ];
}
