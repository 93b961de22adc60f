CREATE TABLE `secrets` (
  `name` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `value` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (`name`)
) ENGINE=InnoDB;

CREATE TABLE `leases` (
  `name` varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `holder` varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `beat` bigint NOT NULL,
  PRIMARY KEY (`name`)
) ENGINE=InnoDB;

CREATE TABLE `directory_version` (
  `id` integer NOT NULL,
  `version` bigint NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB;

CREATE TABLE `agreed_settings` (
  `name` varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `value` bigint NOT NULL,
  `used_at` bigint NOT NULL,
  PRIMARY KEY (`name`, `value`)
) ENGINE=InnoDB;

CREATE TABLE `unit_outcomes` (
  `id` binary(16) NOT NULL,
  `is_stored` boolean NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB;

CREATE TABLE `tenants` (
  `id` binary(16) NOT NULL,
  `name` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `display_name` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `created_at` bigint NOT NULL,
  `changed_at` bigint NOT NULL,
  `closed_at` bigint NOT NULL DEFAULT 0,
  UNIQUE INDEX `uq_tenants_name` (`name`, `closed_at`),
  PRIMARY KEY (`id`)
) ENGINE=InnoDB;

CREATE TABLE `relying_parties` (
  `id` binary(16) NOT NULL,
  `tenant_id` binary(16) NOT NULL,
  `domain` varchar(253) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `name` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `origins` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `policy` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `created_at` bigint NOT NULL,
  `changed_at` bigint NOT NULL,
  `closed_at` bigint NOT NULL DEFAULT 0,
  `enrolment_url` varchar(500) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `colour` varchar(7) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `well_known` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `predecessor` varchar(253) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `key_shapes` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `folds_names` integer NOT NULL DEFAULT 0,
  INDEX `ix_relying_parties_tenant` (`tenant_id`),
  UNIQUE INDEX `uq_relying_parties_domain` (`domain`, `closed_at`),
  CONSTRAINT `fk_relying_parties_tenant` FOREIGN KEY (`tenant_id`) REFERENCES `tenants` (`id`) ON DELETE CASCADE,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB;

CREATE TABLE `application_keys` (
  `id` binary(16) NOT NULL,
  `tenant_id` binary(16) NOT NULL,
  `name` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `prefix` varchar(16) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `secret_hash` binary(32) NOT NULL,
  `scopes` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `relying_parties` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `created_at` bigint NOT NULL,
  `created_by` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `expires_at` bigint NULL,
  `last_used_at` bigint NULL,
  `revoked_at` bigint NULL,
  `suspended_at` bigint NULL,
  INDEX `ix_application_keys_prefix` (`prefix`),
  INDEX `ix_application_keys_tenant` (`tenant_id`),
  CONSTRAINT `fk_application_keys_tenant` FOREIGN KEY (`tenant_id`) REFERENCES `tenants` (`id`) ON DELETE CASCADE,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB;

CREATE TABLE `adoption_targets` (
  `relying_party_id` binary(16) NOT NULL,
  `tenant_id` binary(16) NOT NULL,
  `share` integer NOT NULL,
  `by_day` varchar(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `changed_at` bigint NOT NULL,
  CONSTRAINT `fk_adoption_targets_relying_party` FOREIGN KEY (`relying_party_id`) REFERENCES `relying_parties` (`id`) ON DELETE CASCADE,
  PRIMARY KEY (`relying_party_id`)
) ENGINE=InnoDB;

CREATE TABLE `users` (
  `id` binary(16) NOT NULL,
  `tenant_id` binary(16) NOT NULL,
  `relying_party_id` binary(16) NOT NULL,
  `username` varbinary(255) NOT NULL,
  `display_name` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `user_handle` binary(32) NOT NULL,
  `created_at` bigint NOT NULL,
  `subject` varbinary(64) NULL,
  `folded_name` varbinary(510) NULL,
  UNIQUE INDEX `uq_users_subject` (`relying_party_id`, `subject`),
  UNIQUE INDEX `uq_users_handle` (`relying_party_id`, `user_handle`),
  UNIQUE INDEX `uq_users_folded_name` (`relying_party_id`, `folded_name`),
  INDEX `ix_users_created` (`relying_party_id`, `created_at`, `id`),
  UNIQUE INDEX `uq_users_username` (`relying_party_id`, `username`),
  CONSTRAINT `fk_users_relying_party` FOREIGN KEY (`relying_party_id`) REFERENCES `relying_parties` (`id`) ON DELETE CASCADE,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB;

CREATE TABLE `credentials` (
  `id` binary(16) NOT NULL,
  `tenant_id` binary(16) NOT NULL,
  `relying_party_id` binary(16) NOT NULL,
  `user_id` binary(16) NOT NULL,
  `credential_id` varbinary(1023) NOT NULL,
  `credential_hash` binary(32) NOT NULL,
  `public_key` varbinary(4096) NOT NULL,
  `algorithm` integer NOT NULL,
  `sign_count` bigint NOT NULL,
  `aaguid` binary(16) NOT NULL,
  `device_name` varchar(300) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `keypair` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `transports` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `attestation_format` varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `attestation_type` varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `attestation_trusted` boolean NOT NULL,
  `user_verified` boolean NOT NULL,
  `backup_eligible` boolean NULL,
  `backed_up` boolean NOT NULL,
  `enabled` boolean NOT NULL,
  `registered_at` bigint NOT NULL,
  `last_used_at` bigint NULL,
  `last_ceremony` binary(16) NOT NULL,
  `imported_from` varchar(16) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `refused_with` varchar(8) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `registration_flags` integer NULL,
  `attestation_asked` boolean NULL,
  `resident_key` boolean NULL,
  `serial_number` varchar(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `disabled_by` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `disabled_by_rule` varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `accepted_by` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `uv_initialized` boolean NULL,
  `made_under_authority` boolean NULL,
  INDEX `ix_credentials_enabled` (`relying_party_id`, `enabled`),
  INDEX `ix_credentials_user` (`user_id`),
  INDEX `ix_credentials_of_model` (`relying_party_id`, `aaguid`, `credential_hash`),
  UNIQUE INDEX `uq_credentials_hash` (`relying_party_id`, `credential_hash`),
  CONSTRAINT `fk_credentials_user` FOREIGN KEY (`user_id`) REFERENCES `users` (`id`) ON DELETE CASCADE,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB;

CREATE TABLE `further_handles` (
  `relying_party_id` binary(16) NOT NULL,
  `handle` varbinary(64) NOT NULL,
  `tenant_id` binary(16) NOT NULL,
  `user_id` binary(16) NOT NULL,
  INDEX `ix_further_handles_user` (`user_id`),
  CONSTRAINT `fk_further_handles_user` FOREIGN KEY (`user_id`) REFERENCES `users` (`id`) ON DELETE CASCADE,
  PRIMARY KEY (`relying_party_id`, `handle`)
) ENGINE=InnoDB;

CREATE TABLE `earlier_names` (
  `relying_party_id` binary(16) NOT NULL,
  `username` varbinary(255) NOT NULL,
  `until` bigint NOT NULL,
  `user_id` binary(16) NOT NULL,
  `tenant_id` binary(16) NOT NULL,
  INDEX `ix_earlier_names_user` (`user_id`),
  CONSTRAINT `fk_earlier_names_user` FOREIGN KEY (`user_id`) REFERENCES `users` (`id`) ON DELETE CASCADE,
  PRIMARY KEY (`relying_party_id`, `username`, `until`, `user_id`)
) ENGINE=InnoDB;

CREATE TABLE `search_words` (
  `relying_party_id` binary(16) NOT NULL,
  `word` varbinary(96) NOT NULL,
  `user_id` binary(16) NOT NULL,
  `tenant_id` binary(16) NOT NULL,
  INDEX `ix_search_words_user` (`user_id`),
  CONSTRAINT `fk_search_words_user` FOREIGN KEY (`user_id`) REFERENCES `users` (`id`) ON DELETE CASCADE,
  PRIMARY KEY (`relying_party_id`, `word`, `user_id`)
) ENGINE=InnoDB;

CREATE TABLE `search_progress` (
  `id` integer NOT NULL,
  `folding` integer NOT NULL,
  `upto` binary(16) NOT NULL,
  `done` boolean NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB;

CREATE TABLE `moves` (
  `user_id` binary(16) NOT NULL,
  `former_user_id` binary(16) NOT NULL,
  `former_relying_party_id` binary(16) NOT NULL,
  `relying_party_id` binary(16) NOT NULL,
  `tenant_id` binary(16) NOT NULL,
  `moved_at` bigint NOT NULL,
  INDEX `ix_moves_former` (`former_user_id`),
  UNIQUE INDEX `uq_moves_former` (`relying_party_id`, `former_user_id`),
  PRIMARY KEY (`user_id`)
) ENGINE=InnoDB;

CREATE TABLE `separate_names` (
  `relying_party_id` binary(16) NOT NULL,
  `folded_hash` binary(32) NOT NULL,
  `name_hash` binary(32) NOT NULL,
  `tenant_id` binary(16) NOT NULL,
  CONSTRAINT `fk_separate_names_relying_party` FOREIGN KEY (`relying_party_id`) REFERENCES `relying_parties` (`id`) ON DELETE CASCADE,
  PRIMARY KEY (`relying_party_id`, `folded_hash`, `name_hash`)
) ENGINE=InnoDB;

CREATE TABLE `attestations` (
  `id` binary(16) NOT NULL,
  `tenant_id` binary(16) NOT NULL,
  `relying_party_id` binary(16) NOT NULL,
  `evidence` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `certificates` longblob NOT NULL,
  `authorities` varbinary(512) NOT NULL,
  `proof` longblob NOT NULL,
  `uvm` varchar(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  CONSTRAINT `fk_attestations_credential` FOREIGN KEY (`id`) REFERENCES `credentials` (`id`) ON DELETE CASCADE,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB;

CREATE TABLE `attestation_authorities` (
  `hash` binary(32) NOT NULL,
  `certificate` longblob NOT NULL,
  PRIMARY KEY (`hash`)
) ENGINE=InnoDB;

CREATE TABLE `deletions` (
  `id` binary(16) NOT NULL,
  `tenant_id` binary(16) NOT NULL,
  `relying_party_id` binary(16) NOT NULL,
  `user_id` binary(16) NOT NULL,
  `username` varbinary(255) NOT NULL,
  `folded_name` varbinary(510) NOT NULL,
  `display_name` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `user_handle` binary(32) NOT NULL,
  `subject` varbinary(64) NULL,
  `created_at` bigint NOT NULL,
  `whole` boolean NOT NULL,
  `at` bigint NOT NULL,
  `account` varbinary(255) NOT NULL,
  `reason` varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `occasion` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  INDEX `ix_deletions_name` (`relying_party_id`, `folded_name`),
  INDEX `ix_deletions_user` (`user_id`),
  INDEX `ix_deletions_occasion` (`occasion`),
  INDEX `ix_deletions_recent` (`relying_party_id`, `whole`, `id`),
  PRIMARY KEY (`id`)
) ENGINE=InnoDB;

CREATE TABLE `deleted_keys` (
  `id` binary(16) NOT NULL,
  `tenant_id` binary(16) NOT NULL,
  `relying_party_id` binary(16) NOT NULL,
  `user_id` binary(16) NOT NULL,
  `credential_id` varbinary(1023) NOT NULL,
  `credential_hash` binary(32) NOT NULL,
  `public_key` varbinary(4096) NOT NULL,
  `algorithm` integer NOT NULL,
  `sign_count` bigint NOT NULL,
  `aaguid` binary(16) NOT NULL,
  `device_name` varchar(300) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `keypair` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `transports` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `attestation_format` varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `attestation_type` varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `attestation_trusted` boolean NOT NULL,
  `user_verified` boolean NOT NULL,
  `backup_eligible` boolean NULL,
  `backed_up` boolean NOT NULL,
  `enabled` boolean NOT NULL,
  `registered_at` bigint NOT NULL,
  `last_used_at` bigint NULL,
  `last_ceremony` binary(16) NOT NULL,
  `imported_from` varchar(16) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `refused_with` varchar(8) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `registration_flags` integer NULL,
  `attestation_asked` boolean NULL,
  `resident_key` boolean NULL,
  `serial_number` varchar(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `deletion_id` binary(16) NOT NULL,
  `evidence` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `certificates` longblob NULL,
  `authorities` varbinary(512) NULL,
  `proof` longblob NULL,
  `uvm` varchar(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `disabled_by` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `disabled_by_rule` varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `accepted_by` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `uv_initialized` boolean NULL,
  `made_under_authority` boolean NULL,
  INDEX `ix_deleted_keys_hash` (`relying_party_id`, `credential_hash`),
  INDEX `ix_deleted_keys_user` (`user_id`),
  INDEX `ix_deleted_keys_deletion` (`deletion_id`),
  CONSTRAINT `fk_deleted_keys_deletion` FOREIGN KEY (`deletion_id`) REFERENCES `deletions` (`id`) ON DELETE CASCADE,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB;

CREATE TABLE `deleted_handles` (
  `deletion_id` binary(16) NOT NULL,
  `handle` varbinary(64) NOT NULL,
  `tenant_id` binary(16) NOT NULL,
  `relying_party_id` binary(16) NOT NULL,
  CONSTRAINT `fk_deleted_handles_deletion` FOREIGN KEY (`deletion_id`) REFERENCES `deletions` (`id`) ON DELETE CASCADE,
  PRIMARY KEY (`deletion_id`, `handle`)
) ENGINE=InnoDB;

CREATE TABLE `deleted_names` (
  `deletion_id` binary(16) NOT NULL,
  `username` varbinary(255) NOT NULL,
  `until` bigint NOT NULL,
  `tenant_id` binary(16) NOT NULL,
  `relying_party_id` binary(16) NOT NULL,
  CONSTRAINT `fk_deleted_names_deletion` FOREIGN KEY (`deletion_id`) REFERENCES `deletions` (`id`) ON DELETE CASCADE,
  PRIMARY KEY (`deletion_id`, `username`, `until`)
) ENGINE=InnoDB;

CREATE TABLE `tickets` (
  `ticket_hash` binary(32) NOT NULL,
  `relying_party_id` binary(16) NOT NULL,
  `username` varbinary(255) NOT NULL,
  `expires_at` bigint NOT NULL,
  `tenant_id` binary(16) NULL,
  `begun` integer NOT NULL DEFAULT 0,
  `display_name` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `user_id` binary(16) NULL,
  INDEX `ix_tickets_expiry` (`expires_at`),
  PRIMARY KEY (`ticket_hash`)
) ENGINE=InnoDB;

CREATE TABLE `invitations` (
  `id` binary(16) NOT NULL,
  `tenant_id` binary(16) NOT NULL,
  `relying_party_id` binary(16) NOT NULL,
  `code_hash` binary(32) NOT NULL,
  `username` varbinary(255) NOT NULL,
  `display_name` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `issued_by` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `issued_at` bigint NOT NULL,
  `expires_at` bigint NOT NULL,
  `ended_at` bigint NULL,
  `min_keys` integer NOT NULL,
  `keys_made` integer NOT NULL DEFAULT 0,
  `begun` integer NOT NULL DEFAULT 0,
  `wrong_names` integer NOT NULL DEFAULT 0,
  `user_id` binary(16) NULL,
  UNIQUE INDEX `uq_invitations_code` (`code_hash`),
  INDEX `ix_invitations_user` (`relying_party_id`, `username`, `issued_at`),
  INDEX `ix_invitations_expiry` (`expires_at`),
  INDEX `ix_invitations_issued` (`relying_party_id`, `issued_at`, `id`),
  CONSTRAINT `fk_invitations_relying_party` FOREIGN KEY (`relying_party_id`) REFERENCES `relying_parties` (`id`) ON DELETE CASCADE,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB;

CREATE TABLE `invitation_keys` (
  `invitation_id` binary(16) NOT NULL,
  `credential_hash` binary(32) NOT NULL,
  `tenant_id` binary(16) NOT NULL,
  `relying_party_id` binary(16) NOT NULL,
  CONSTRAINT `fk_invitation_keys_invitation` FOREIGN KEY (`invitation_id`) REFERENCES `invitations` (`id`) ON DELETE CASCADE,
  PRIMARY KEY (`invitation_id`, `credential_hash`)
) ENGINE=InnoDB;

CREATE TABLE `signing_keys` (
  `kid` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `private_key` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `created_at` bigint NOT NULL,
  PRIMARY KEY (`kid`)
) ENGINE=InnoDB;

CREATE TABLE `events` (
  `id` binary(16) NOT NULL,
  `at` bigint NOT NULL,
  `tenant_id` binary(16) NOT NULL,
  `relying_party_id` binary(16) NOT NULL,
  `user_id` binary(16) NOT NULL,
  `username` varbinary(255) NOT NULL,
  `credential` binary(8) NOT NULL,
  `kind` varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `code` varchar(8) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `detail` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `request_id` varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `address` varchar(45) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `browser` varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `ceremony` binary(16) NULL,
  INDEX `ix_events_relying_party` (`relying_party_id`, `at`),
  INDEX `ix_events_user` (`relying_party_id`, `username`, `at`),
  INDEX `ix_events_request` (`request_id`),
  UNIQUE INDEX `uq_events_ceremony` (`ceremony`),
  PRIMARY KEY (`id`)
) ENGINE=InnoDB;

CREATE TABLE `event_batches` (
  `last` bigint NOT NULL,
  `tenant_id` binary(16) NOT NULL,
  `relying_party_id` binary(16) NOT NULL,
  `slice` bigint NOT NULL,
  `size` integer NOT NULL,
  `ids` varbinary(4096) NOT NULL,
  INDEX `ix_event_batches_relying_party` (`relying_party_id`, `last`),
  INDEX `ix_event_batches_tenant` (`tenant_id`, `last`),
  INDEX `ix_event_batches_slice` (`slice`, `size`),
  PRIMARY KEY (`last`)
) ENGINE=InnoDB;

CREATE TABLE `event_numbering` (
  `id` integer NOT NULL,
  `last` bigint NOT NULL,
  `upto` bigint NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB;

CREATE TABLE `receipts` (
  `id` binary(16) NOT NULL,
  `at` bigint NOT NULL,
  `tenant_id` binary(16) NOT NULL,
  `relying_party_id` binary(16) NOT NULL,
  `username` varbinary(255) NOT NULL,
  `credential_hash` binary(32) NOT NULL,
  `public_key` varbinary(4096) NOT NULL,
  `client_data` longblob NOT NULL,
  `authenticator_data` longblob NOT NULL,
  `signature` longblob NOT NULL,
  INDEX `ix_receipts_user` (`relying_party_id`, `username`, `at`),
  PRIMARY KEY (`id`)
) ENGINE=InnoDB;

CREATE TABLE `ceremony_counts` (
  `relying_party_id` binary(16) NOT NULL,
  `week` integer NOT NULL,
  `kind` varchar(16) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `step` varchar(16) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `browser` varchar(16) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `detail` varchar(36) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `tenant_id` binary(16) NOT NULL,
  `n` bigint NOT NULL,
  INDEX `ix_ceremony_counts_week` (`week`),
  PRIMARY KEY (`relying_party_id`, `week`, `kind`, `step`, `browser`, `detail`)
) ENGINE=InnoDB;

CREATE TABLE `usage_progress` (
  `id` integer NOT NULL,
  `upto` bigint NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB;

CREATE TABLE `usage_days` (
  `relying_party_id` binary(16) NOT NULL,
  `day` integer NOT NULL,
  `month` integer NOT NULL,
  `registrations` bigint NOT NULL,
  `authentications` bigint NOT NULL,
  `users` bigint NOT NULL,
  `enabled` bigint NOT NULL,
  `disabled` bigint NOT NULL,
  `active_users` bigint NOT NULL,
  `events` bigint NOT NULL,
  `tenant_id` binary(16) NULL,
  INDEX `ix_usage_days_day` (`day`),
  PRIMARY KEY (`relying_party_id`, `day`)
) ENGINE=InnoDB;

CREATE TABLE `usage_active` (
  `month` integer NOT NULL,
  `relying_party_id` binary(16) NOT NULL,
  `user_id` binary(16) NOT NULL,
  `since` bigint NOT NULL,
  `tenant_id` binary(16) NULL,
  PRIMARY KEY (`month`, `relying_party_id`, `user_id`)
) ENGINE=InnoDB;

CREATE TABLE `invoices` (
  `number` bigint NOT NULL,
  `date` varchar(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `figures` binary(32) NOT NULL,
  `digest` binary(32) NOT NULL,
  `body` longblob NOT NULL,
  `tenants` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `currency` varchar(3) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `total` bigint NOT NULL,
  `issued_at` bigint NOT NULL,
  `issued_by` varbinary(255) NOT NULL,
  `series` varchar(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT 'invoice',
  `kind` varchar(12) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT 'invoice',
  `tenant_id` binary(16) NULL,
  `cancels` bigint NULL,
  `cancels_series` varchar(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `xml` longblob NULL,
  `xml_digest` binary(32) NULL,
  INDEX `ix_invoices_tenant` (`tenant_id`, `date`),
  INDEX `ix_invoices_series` (`series`, `number`),
  INDEX `ix_invoices_issued` (`issued_at`, `series`, `number`),
  INDEX `ix_invoices_kind` (`kind`, `issued_at`, `series`, `number`),
  UNIQUE INDEX `uq_invoices_figures` (`date`, `figures`),
  PRIMARY KEY (`number`, `series`)
) ENGINE=InnoDB;

CREATE TABLE `aaguids` (
  `aaguid` binary(16) NOT NULL,
  `name` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `added_at` bigint NOT NULL,
  `added_by` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `removed_at` bigint NOT NULL,
  PRIMARY KEY (`aaguid`)
) ENGINE=InnoDB;

CREATE TABLE `metadata_sources` (
  `id` binary(16) NOT NULL,
  `source` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `digest` binary(32) NOT NULL,
  `no` bigint NOT NULL,
  `next_update` bigint NOT NULL,
  `taken_at` bigint NOT NULL,
  `etag` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `due_at` bigint NOT NULL,
  `checked_at` bigint NOT NULL,
  `failures` bigint NOT NULL,
  `error` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB;

CREATE TABLE `metadata_chunks` (
  `digest` binary(32) NOT NULL,
  `part` bigint NOT NULL,
  `stored_at` bigint NOT NULL,
  `bytes` longblob NOT NULL,
  PRIMARY KEY (`digest`, `part`)
) ENGINE=InnoDB;

CREATE TABLE `revocation_lists` (
  `id` binary(16) NOT NULL,
  `address` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `issuer` longblob NOT NULL,
  `digest` binary(32) NOT NULL,
  `list` longblob NULL,
  `this_update` bigint NOT NULL,
  `due_at` bigint NOT NULL,
  `checked_at` bigint NOT NULL,
  `failures` bigint NOT NULL,
  `error` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB;

CREATE TABLE `findings` (
  `id` binary(16) NOT NULL,
  `tenant_id` binary(16) NOT NULL,
  `relying_party_id` binary(16) NOT NULL,
  `rule` varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `code` varchar(8) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `action` varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `found_at` bigint NOT NULL,
  INDEX `ix_findings_relying_party` (`relying_party_id`, `id`),
  INDEX `ix_findings_rule` (`relying_party_id`, `rule`, `id`),
  CONSTRAINT `fk_findings_credential` FOREIGN KEY (`id`) REFERENCES `credentials` (`id`) ON DELETE CASCADE,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB;

CREATE TABLE `judgements` (
  `relying_party_id` binary(16) NOT NULL,
  `tenant_id` binary(16) NOT NULL,
  `basis` binary(32) NOT NULL,
  `position` binary(32) NOT NULL,
  `done` boolean NOT NULL,
  `held` longblob NULL,
  `todo` longblob NULL,
  PRIMARY KEY (`relying_party_id`)
) ENGINE=InnoDB;

CREATE TABLE `model_jobs` (
  `id` binary(16) NOT NULL,
  `relying_party_id` binary(16) NOT NULL,
  `tenant_id` binary(16) NOT NULL,
  `aaguid` binary(16) NOT NULL,
  `state` varchar(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `caller` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `reason` varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `position` varbinary(32) NOT NULL,
  `total` bigint NOT NULL,
  `looked` bigint NOT NULL,
  `disabled_keys` bigint NOT NULL,
  `disabled_users` bigint NOT NULL,
  `enabled_keys` bigint NOT NULL,
  `enabled_users` bigint NOT NULL,
  INDEX `ix_model_jobs_state` (`state`),
  INDEX `ix_model_jobs_model` (`aaguid`, `id`),
  PRIMARY KEY (`id`, `relying_party_id`)
) ENGINE=InnoDB;

CREATE TABLE `audit` (
  `seq` bigint NOT NULL,
  `at` bigint NOT NULL,
  `account` varbinary(255) NOT NULL,
  `role` varchar(16) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `address` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `action` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `tenant` varbinary(255) NULL,
  `relying_party` varbinary(255) NULL,
  `target` varbinary(1024) NULL,
  `result` varchar(8) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `code` varchar(8) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `request_id` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `detail` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `previous_hash` binary(32) NOT NULL,
  `hash` binary(32) NOT NULL,
  `salt` binary(16) NULL,
  `erased_by` bigint NULL,
  INDEX `ix_audit_at` (`at`),
  INDEX `ix_audit_account` (`account`, `seq`),
  INDEX `ix_audit_action` (`action`, `seq`),
  INDEX `ix_audit_tenant` (`tenant`, `seq`),
  INDEX `ix_audit_target` (`target`, `seq`),
  INDEX `ix_audit_result` (`result`, `seq`),
  INDEX `ix_audit_request` (`request_id`),
  PRIMARY KEY (`seq`)
) ENGINE=InnoDB;

CREATE TABLE `console_accounts` (
  `id` binary(16) NOT NULL,
  `name` varbinary(255) NOT NULL,
  `role` varchar(16) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `tenants` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `password` varchar(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `sign_in` varchar(16) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `created_at` bigint NOT NULL,
  `created_by` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `changed_at` bigint NOT NULL DEFAULT 0,
  `needs_key` boolean NOT NULL DEFAULT 0,
  UNIQUE INDEX `uq_console_accounts_name` (`name`),
  PRIMARY KEY (`id`)
) ENGINE=InnoDB;

CREATE TABLE `console_setups` (
  `account_id` binary(16) NOT NULL,
  `token_hash` binary(32) NULL,
  `ends_at` bigint NULL,
  UNIQUE INDEX `uq_console_setups_token` (`token_hash`),
  CONSTRAINT `fk_console_setups_account` FOREIGN KEY (`account_id`) REFERENCES `console_accounts` (`id`) ON DELETE CASCADE,
  PRIMARY KEY (`account_id`)
) ENGINE=InnoDB;

CREATE TABLE `console_keys` (
  `id` binary(16) NOT NULL,
  `account_id` binary(16) NOT NULL,
  `domain` varchar(253) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `credential_hash` binary(32) NOT NULL,
  `credential_id` varbinary(1023) NOT NULL,
  `public_key` longblob NOT NULL,
  `sign_count` bigint NOT NULL,
  `backup_eligible` boolean NOT NULL,
  `verifies_user` boolean NOT NULL,
  `transports` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `name` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `created_at` bigint NOT NULL,
  `used_at` bigint NULL,
  `uv_initialized` boolean NULL,
  UNIQUE INDEX `uq_console_keys_credential` (`credential_hash`),
  INDEX `ix_console_keys_account` (`account_id`),
  CONSTRAINT `fk_console_keys_account` FOREIGN KEY (`account_id`) REFERENCES `console_accounts` (`id`) ON DELETE CASCADE,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB;

CREATE TABLE `console_sessions` (
  `id` binary(16) NOT NULL,
  `account` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `mark` binary(32) NOT NULL,
  `secret_hash` binary(32) NOT NULL,
  `previous_hash` binary(32) NULL,
  `rotated_at` bigint NOT NULL,
  `began_at` bigint NOT NULL,
  `used_at` bigint NOT NULL,
  `ends_at` bigint NOT NULL,
  `way` varchar(16) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `address` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `browser` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  INDEX `ix_console_sessions_account` (`account`),
  INDEX `ix_console_sessions_end` (`ends_at`),
  PRIMARY KEY (`id`)
) ENGINE=InnoDB;

CREATE TABLE `console_challenges` (
  `hash` binary(32) NOT NULL,
  `ends_at` bigint NOT NULL,
  INDEX `ix_console_challenges_end` (`ends_at`),
  PRIMARY KEY (`hash`)
) ENGINE=InnoDB;

CREATE TABLE `uploads` (
  `id` binary(16) NOT NULL,
  `account` varbinary(255) NOT NULL,
  `relying_party_id` binary(16) NOT NULL,
  `state` varchar(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `expires_at` bigint NOT NULL,
  `tenant_id` binary(16) NULL,
  INDEX `ix_uploads_expiry` (`expires_at`),
  PRIMARY KEY (`id`)
) ENGINE=InnoDB;

CREATE TABLE `upload_lines` (
  `upload_id` binary(16) NOT NULL,
  `line` integer NOT NULL,
  `username` varbinary(255) NULL,
  `shown` varbinary(255) NULL,
  `outcome` varchar(8) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `credentials` integer NOT NULL DEFAULT 0,
  UNIQUE INDEX `uq_upload_lines_username` (`upload_id`, `username`),
  PRIMARY KEY (`upload_id`, `line`)
) ENGINE=InnoDB;

CREATE TABLE `imports` (
  `relying_party_id` binary(16) NOT NULL,
  `tenant_id` binary(16) NOT NULL,
  `run` binary(16) NOT NULL,
  `account` varbinary(255) NOT NULL,
  `source` varchar(16) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `state` varchar(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `tally` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `began_at` bigint NOT NULL,
  `changed_at` bigint NOT NULL,
  CONSTRAINT `fk_imports_relying_party` FOREIGN KEY (`relying_party_id`) REFERENCES `relying_parties` (`id`) ON DELETE CASCADE,
  PRIMARY KEY (`relying_party_id`)
) ENGINE=InnoDB;

CREATE TABLE `webhooks` (
  `id` binary(16) NOT NULL,
  `tenant_id` binary(16) NOT NULL,
  `url` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `events` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `relying_parties` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `secret` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `former_secret` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `former_until` bigint NULL,
  `created_at` bigint NOT NULL,
  `created_by` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `told` bigint NOT NULL,
  `due_at` bigint NOT NULL,
  `failures` integer NOT NULL,
  `failing_since` bigint NULL,
  `failure` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `failed_at` bigint NULL,
  `delivered_at` bigint NULL,
  `off_since` bigint NULL,
  `set_aside` integer NOT NULL DEFAULT 0,
  `changed_at` bigint NOT NULL DEFAULT 0,
  INDEX `ix_webhooks_tenant` (`tenant_id`),
  CONSTRAINT `fk_webhooks_tenant` FOREIGN KEY (`tenant_id`) REFERENCES `tenants` (`id`) ON DELETE CASCADE,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB;

CREATE TABLE `set_aside_messages` (
  `webhook_id` binary(16) NOT NULL,
  `number` bigint NOT NULL,
  `event_id` binary(16) NOT NULL,
  `at` bigint NOT NULL,
  `failure` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  CONSTRAINT `fk_set_aside_messages_webhook` FOREIGN KEY (`webhook_id`) REFERENCES `webhooks` (`id`) ON DELETE CASCADE,
  PRIMARY KEY (`webhook_id`, `number`)
) ENGINE=InnoDB;
