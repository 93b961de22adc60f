CREATE TABLE `aaguids` (
  `aaguid` binary(16) NOT NULL,
  `name` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `added_at` bigint(20) NOT NULL,
  `added_by` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `removed_at` bigint(20) NOT NULL,
  PRIMARY KEY (`aaguid`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
CREATE TABLE `attestation_authorities` (
  `hash` binary(32) NOT NULL,
  `certificate` longblob NOT NULL,
  PRIMARY KEY (`hash`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
CREATE TABLE `audit` (
  `seq` bigint(20) NOT NULL,
  `at` bigint(20) NOT NULL,
  `account` varbinary(255) NOT NULL,
  `role` varchar(16) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `address` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `action` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `tenant` varbinary(255) DEFAULT NULL,
  `relying_party` varbinary(255) DEFAULT NULL,
  `target` varbinary(1024) DEFAULT NULL,
  `result` varchar(8) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `code` varchar(8) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `request_id` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `detail` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `previous_hash` binary(32) NOT NULL,
  `hash` binary(32) NOT NULL,
  `salt` binary(16) DEFAULT NULL,
  `erased_by` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`seq`),
  KEY `ix_audit_at` (`at`),
  KEY `ix_audit_account` (`account`,`seq`),
  KEY `ix_audit_action` (`action`,`seq`),
  KEY `ix_audit_tenant` (`tenant`,`seq`),
  KEY `ix_audit_target` (`target`,`seq`),
  KEY `ix_audit_result` (`result`,`seq`),
  KEY `ix_audit_request` (`request_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
CREATE TABLE `ceremony_counts` (
  `relying_party_id` binary(16) NOT NULL,
  `week` int(11) NOT NULL,
  `kind` varchar(16) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `step` varchar(16) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `browser` varchar(16) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `detail` varchar(36) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `tenant_id` binary(16) NOT NULL,
  `n` bigint(20) NOT NULL,
  PRIMARY KEY (`relying_party_id`,`week`,`kind`,`step`,`browser`,`detail`),
  KEY `ix_ceremony_counts_week` (`week`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
CREATE TABLE `console_accounts` (
  `id` binary(16) NOT NULL,
  `name` varbinary(255) NOT NULL,
  `role` varchar(16) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `tenants` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `password` varchar(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `sign_in` varchar(16) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `created_at` bigint(20) NOT NULL,
  `created_by` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_console_accounts_name` (`name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
CREATE TABLE `console_challenges` (
  `hash` binary(32) NOT NULL,
  `ends_at` bigint(20) NOT NULL,
  PRIMARY KEY (`hash`),
  KEY `ix_console_challenges_end` (`ends_at`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
CREATE TABLE `console_keys` (
  `id` binary(16) NOT NULL,
  `account_id` binary(16) NOT NULL,
  `domain` varchar(253) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `credential_hash` binary(32) NOT NULL,
  `credential_id` varbinary(1023) NOT NULL,
  `public_key` longblob NOT NULL,
  `sign_count` bigint(20) NOT NULL,
  `backup_eligible` tinyint(1) NOT NULL,
  `verifies_user` tinyint(1) NOT NULL,
  `transports` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `name` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `created_at` bigint(20) NOT NULL,
  `used_at` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_console_keys_credential` (`credential_hash`),
  KEY `ix_console_keys_account` (`account_id`),
  CONSTRAINT `fk_console_keys_account` FOREIGN KEY (`account_id`) REFERENCES `console_accounts` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
CREATE TABLE `console_sessions` (
  `id` binary(16) NOT NULL,
  `account` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `mark` binary(32) NOT NULL,
  `secret_hash` binary(32) NOT NULL,
  `previous_hash` binary(32) DEFAULT NULL,
  `rotated_at` bigint(20) NOT NULL,
  `began_at` bigint(20) NOT NULL,
  `used_at` bigint(20) NOT NULL,
  `ends_at` bigint(20) NOT NULL,
  `way` varchar(16) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `address` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `browser` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (`id`),
  KEY `ix_console_sessions_account` (`account`),
  KEY `ix_console_sessions_end` (`ends_at`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
CREATE TABLE `deletions` (
  `id` binary(16) NOT NULL,
  `tenant_id` binary(16) NOT NULL,
  `relying_party_id` binary(16) NOT NULL,
  `user_id` binary(16) NOT NULL,
  `username` varbinary(255) NOT NULL,
  `folded_name` varbinary(510) NOT NULL,
  `display_name` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `user_handle` binary(32) NOT NULL,
  `subject` varbinary(64) DEFAULT NULL,
  `created_at` bigint(20) NOT NULL,
  `whole` tinyint(1) NOT NULL,
  `at` bigint(20) NOT NULL,
  `account` varbinary(255) NOT NULL,
  `reason` varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `occasion` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (`id`),
  KEY `ix_deletions_name` (`relying_party_id`,`folded_name`),
  KEY `ix_deletions_user` (`user_id`),
  KEY `ix_deletions_occasion` (`occasion`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
CREATE TABLE `event_batches` (
  `last` bigint(20) NOT NULL,
  `tenant_id` binary(16) NOT NULL,
  `relying_party_id` binary(16) NOT NULL,
  `slice` bigint(20) NOT NULL,
  `size` int(11) NOT NULL,
  `ids` varbinary(4096) NOT NULL,
  PRIMARY KEY (`last`),
  KEY `ix_event_batches_relying_party` (`relying_party_id`,`last`),
  KEY `ix_event_batches_tenant` (`tenant_id`,`last`),
  KEY `ix_event_batches_slice` (`slice`,`size`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
CREATE TABLE `event_numbering` (
  `id` int(11) NOT NULL,
  `last` bigint(20) NOT NULL,
  `upto` bigint(20) NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
CREATE TABLE `events` (
  `id` binary(16) NOT NULL,
  `at` bigint(20) NOT NULL,
  `tenant_id` binary(16) NOT NULL,
  `relying_party_id` binary(16) NOT NULL,
  `user_id` binary(16) NOT NULL,
  `username` varbinary(255) NOT NULL,
  `credential` binary(8) NOT NULL,
  `kind` varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `code` varchar(8) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `detail` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `request_id` varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `address` varchar(45) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `browser` varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `ix_events_relying_party` (`relying_party_id`,`at`),
  KEY `ix_events_user` (`relying_party_id`,`username`,`at`),
  KEY `ix_events_request` (`request_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
CREATE TABLE `invoices` (
  `number` bigint(20) NOT NULL,
  `date` varchar(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `figures` binary(32) NOT NULL,
  `digest` binary(32) NOT NULL,
  `body` longblob NOT NULL,
  `tenants` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `currency` varchar(3) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `total` bigint(20) NOT NULL,
  `issued_at` bigint(20) NOT NULL,
  `issued_by` varbinary(255) NOT NULL,
  `series` varchar(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT 'invoice',
  `kind` varchar(12) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT 'invoice',
  `tenant_id` binary(16) DEFAULT NULL,
  `cancels` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`number`,`series`),
  UNIQUE KEY `uq_invoices_figures` (`date`,`figures`),
  KEY `ix_invoices_tenant` (`tenant_id`,`date`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
CREATE TABLE `judgements` (
  `relying_party_id` binary(16) NOT NULL,
  `tenant_id` binary(16) NOT NULL,
  `basis` binary(32) NOT NULL,
  `position` binary(32) NOT NULL,
  `done` tinyint(1) NOT NULL,
  `held` longblob DEFAULT NULL,
  `todo` longblob DEFAULT NULL,
  PRIMARY KEY (`relying_party_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
CREATE TABLE `leases` (
  `name` varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `holder` varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `beat` bigint(20) NOT NULL,
  PRIMARY KEY (`name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
CREATE TABLE `metadata_chunks` (
  `digest` binary(32) NOT NULL,
  `part` bigint(20) NOT NULL,
  `stored_at` bigint(20) NOT NULL,
  `bytes` longblob NOT NULL,
  PRIMARY KEY (`digest`,`part`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
CREATE TABLE `metadata_sources` (
  `id` binary(16) NOT NULL,
  `source` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `digest` binary(32) NOT NULL,
  `no` bigint(20) NOT NULL,
  `next_update` bigint(20) NOT NULL,
  `taken_at` bigint(20) NOT NULL,
  `etag` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `due_at` bigint(20) NOT NULL,
  `checked_at` bigint(20) NOT NULL,
  `failures` bigint(20) NOT NULL,
  `error` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
CREATE TABLE `migrations` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `timestamp` bigint(20) NOT NULL,
  `name` varchar(255) NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
CREATE TABLE `moves` (
  `user_id` binary(16) NOT NULL,
  `former_user_id` binary(16) NOT NULL,
  `former_relying_party_id` binary(16) NOT NULL,
  `relying_party_id` binary(16) NOT NULL,
  `tenant_id` binary(16) NOT NULL,
  `moved_at` bigint(20) NOT NULL,
  PRIMARY KEY (`user_id`),
  KEY `ix_moves_former` (`former_user_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
CREATE TABLE `receipts` (
  `id` binary(16) NOT NULL,
  `at` bigint(20) NOT NULL,
  `tenant_id` binary(16) NOT NULL,
  `relying_party_id` binary(16) NOT NULL,
  `username` varbinary(255) NOT NULL,
  `credential_hash` binary(32) NOT NULL,
  `public_key` varbinary(4096) NOT NULL,
  `client_data` longblob NOT NULL,
  `authenticator_data` longblob NOT NULL,
  `signature` longblob NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
CREATE TABLE `revocation_lists` (
  `id` binary(16) NOT NULL,
  `address` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `issuer` longblob NOT NULL,
  `digest` binary(32) NOT NULL,
  `list` longblob DEFAULT NULL,
  `this_update` bigint(20) NOT NULL,
  `due_at` bigint(20) NOT NULL,
  `checked_at` bigint(20) NOT NULL,
  `failures` bigint(20) NOT NULL,
  `error` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
CREATE TABLE `search_progress` (
  `id` int(11) NOT NULL,
  `folding` int(11) NOT NULL,
  `upto` binary(16) NOT NULL,
  `done` tinyint(1) NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
CREATE TABLE `secrets` (
  `name` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `value` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (`name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
CREATE TABLE `signing_keys` (
  `kid` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `private_key` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `created_at` bigint(20) NOT NULL,
  PRIMARY KEY (`kid`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
CREATE TABLE `tenants` (
  `id` binary(16) NOT NULL,
  `name` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `display_name` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `created_at` bigint(20) NOT NULL,
  `changed_at` bigint(20) NOT NULL,
  `closed_at` bigint(20) NOT NULL DEFAULT 0,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_tenants_name` (`name`,`closed_at`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
CREATE TABLE `tickets` (
  `ticket_hash` binary(32) NOT NULL,
  `relying_party_id` binary(16) NOT NULL,
  `username` varbinary(255) NOT NULL,
  `expires_at` bigint(20) NOT NULL,
  `tenant_id` binary(16) DEFAULT NULL,
  `begun` int(11) NOT NULL DEFAULT 0,
  `display_name` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  PRIMARY KEY (`ticket_hash`),
  KEY `ix_tickets_expiry` (`expires_at`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
CREATE TABLE `upload_lines` (
  `upload_id` binary(16) NOT NULL,
  `line` int(11) NOT NULL,
  `username` varbinary(255) DEFAULT NULL,
  `shown` varbinary(255) DEFAULT NULL,
  `outcome` varchar(8) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `credentials` int(11) NOT NULL DEFAULT 0,
  PRIMARY KEY (`upload_id`,`line`),
  UNIQUE KEY `uq_upload_lines_username` (`upload_id`,`username`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
CREATE TABLE `uploads` (
  `id` binary(16) NOT NULL,
  `account` varbinary(255) NOT NULL,
  `relying_party_id` binary(16) NOT NULL,
  `state` varchar(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `expires_at` bigint(20) NOT NULL,
  `tenant_id` binary(16) DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `ix_uploads_expiry` (`expires_at`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
CREATE TABLE `usage_active` (
  `month` int(11) NOT NULL,
  `relying_party_id` binary(16) NOT NULL,
  `user_id` binary(16) NOT NULL,
  `since` bigint(20) NOT NULL,
  `tenant_id` binary(16) DEFAULT NULL,
  PRIMARY KEY (`month`,`relying_party_id`,`user_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
CREATE TABLE `usage_days` (
  `relying_party_id` binary(16) NOT NULL,
  `day` int(11) NOT NULL,
  `month` int(11) NOT NULL,
  `registrations` bigint(20) NOT NULL,
  `authentications` bigint(20) NOT NULL,
  `users` bigint(20) NOT NULL,
  `enabled` bigint(20) NOT NULL,
  `disabled` bigint(20) NOT NULL,
  `active_users` bigint(20) NOT NULL,
  `events` bigint(20) NOT NULL,
  `tenant_id` binary(16) DEFAULT NULL,
  PRIMARY KEY (`relying_party_id`,`day`),
  KEY `ix_usage_days_day` (`day`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
CREATE TABLE `usage_progress` (
  `id` int(11) NOT NULL,
  `upto` bigint(20) NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
CREATE TABLE `webhooks` (
  `id` binary(16) NOT NULL,
  `tenant_id` binary(16) NOT NULL,
  `url` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `events` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `relying_parties` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `secret` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `former_secret` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `former_until` bigint(20) DEFAULT NULL,
  `created_at` bigint(20) NOT NULL,
  `created_by` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `told` bigint(20) NOT NULL,
  `due_at` bigint(20) NOT NULL,
  `failures` int(11) NOT NULL,
  `failing_since` bigint(20) DEFAULT NULL,
  `failure` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `failed_at` bigint(20) DEFAULT NULL,
  `delivered_at` bigint(20) DEFAULT NULL,
  `off_since` bigint(20) DEFAULT NULL,
  `set_aside` int(11) NOT NULL DEFAULT 0,
  PRIMARY KEY (`id`),
  KEY `ix_webhooks_tenant` (`tenant_id`),
  CONSTRAINT `fk_webhooks_tenant` FOREIGN KEY (`tenant_id`) REFERENCES `tenants` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
CREATE TABLE `application_keys` (
  `id` binary(16) NOT NULL,
  `tenant_id` binary(16) NOT NULL,
  `name` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `prefix` varchar(16) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `secret_hash` binary(32) NOT NULL,
  `scopes` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `relying_parties` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `created_at` bigint(20) NOT NULL,
  `created_by` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `expires_at` bigint(20) DEFAULT NULL,
  `last_used_at` bigint(20) DEFAULT NULL,
  `revoked_at` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `ix_application_keys_prefix` (`prefix`),
  KEY `ix_application_keys_tenant` (`tenant_id`),
  CONSTRAINT `fk_application_keys_tenant` FOREIGN KEY (`tenant_id`) REFERENCES `tenants` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
CREATE TABLE `deleted_handles` (
  `deletion_id` binary(16) NOT NULL,
  `handle` varbinary(64) NOT NULL,
  `tenant_id` binary(16) NOT NULL,
  `relying_party_id` binary(16) NOT NULL,
  PRIMARY KEY (`deletion_id`,`handle`),
  CONSTRAINT `fk_deleted_handles_deletion` FOREIGN KEY (`deletion_id`) REFERENCES `deletions` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
CREATE TABLE `deleted_keys` (
  `id` binary(16) NOT NULL,
  `tenant_id` binary(16) NOT NULL,
  `relying_party_id` binary(16) NOT NULL,
  `user_id` binary(16) NOT NULL,
  `credential_id` varbinary(1023) NOT NULL,
  `credential_hash` binary(32) NOT NULL,
  `public_key` varbinary(4096) NOT NULL,
  `algorithm` int(11) NOT NULL,
  `sign_count` bigint(20) NOT NULL,
  `aaguid` binary(16) NOT NULL,
  `device_name` varchar(300) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `keypair` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `transports` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `attestation_format` varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `attestation_type` varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `attestation_trusted` tinyint(1) NOT NULL,
  `user_verified` tinyint(1) NOT NULL,
  `backup_eligible` tinyint(1) DEFAULT NULL,
  `backed_up` tinyint(1) NOT NULL,
  `enabled` tinyint(1) NOT NULL,
  `registered_at` bigint(20) NOT NULL,
  `last_used_at` bigint(20) DEFAULT NULL,
  `last_ceremony` binary(16) NOT NULL,
  `imported_from` varchar(16) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `refused_with` varchar(8) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `registration_flags` int(11) DEFAULT NULL,
  `attestation_asked` tinyint(1) DEFAULT NULL,
  `resident_key` tinyint(1) DEFAULT NULL,
  `serial_number` varchar(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `deletion_id` binary(16) NOT NULL,
  `evidence` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `certificates` longblob DEFAULT NULL,
  `authorities` varbinary(512) DEFAULT NULL,
  `proof` longblob DEFAULT NULL,
  `uvm` varchar(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `ix_deleted_keys_hash` (`relying_party_id`,`credential_hash`),
  KEY `ix_deleted_keys_user` (`user_id`),
  KEY `ix_deleted_keys_deletion` (`deletion_id`),
  CONSTRAINT `fk_deleted_keys_deletion` FOREIGN KEY (`deletion_id`) REFERENCES `deletions` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
CREATE TABLE `deleted_names` (
  `deletion_id` binary(16) NOT NULL,
  `username` varbinary(255) NOT NULL,
  `until` bigint(20) NOT NULL,
  `tenant_id` binary(16) NOT NULL,
  `relying_party_id` binary(16) NOT NULL,
  PRIMARY KEY (`deletion_id`,`username`,`until`),
  CONSTRAINT `fk_deleted_names_deletion` FOREIGN KEY (`deletion_id`) REFERENCES `deletions` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
CREATE TABLE `relying_parties` (
  `id` binary(16) NOT NULL,
  `tenant_id` binary(16) NOT NULL,
  `domain` varchar(253) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `name` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `origins` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `policy` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `created_at` bigint(20) NOT NULL,
  `changed_at` bigint(20) NOT NULL,
  `closed_at` bigint(20) NOT NULL DEFAULT 0,
  `enrolment_url` varchar(500) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `colour` varchar(7) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `well_known` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `predecessor` varchar(253) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `key_shapes` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `folds_names` int(11) NOT NULL DEFAULT 0,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_relying_parties_domain` (`domain`,`closed_at`),
  KEY `ix_relying_parties_tenant` (`tenant_id`),
  CONSTRAINT `fk_relying_parties_tenant` FOREIGN KEY (`tenant_id`) REFERENCES `tenants` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
CREATE TABLE `set_aside_messages` (
  `webhook_id` binary(16) NOT NULL,
  `number` bigint(20) NOT NULL,
  `event_id` binary(16) NOT NULL,
  `at` bigint(20) NOT NULL,
  `failure` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (`webhook_id`,`number`),
  CONSTRAINT `fk_set_aside_messages_webhook` FOREIGN KEY (`webhook_id`) REFERENCES `webhooks` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
CREATE TABLE `users` (
  `id` binary(16) NOT NULL,
  `tenant_id` binary(16) NOT NULL,
  `relying_party_id` binary(16) NOT NULL,
  `username` varbinary(255) NOT NULL,
  `display_name` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `user_handle` binary(32) NOT NULL,
  `created_at` bigint(20) NOT NULL,
  `subject` varbinary(64) DEFAULT NULL,
  `folded_name` varbinary(510) DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_users_username` (`relying_party_id`,`username`),
  UNIQUE KEY `uq_users_handle` (`relying_party_id`,`user_handle`),
  UNIQUE KEY `uq_users_subject` (`relying_party_id`,`subject`),
  UNIQUE KEY `uq_users_folded_name` (`relying_party_id`,`folded_name`),
  KEY `ix_users_created` (`relying_party_id`,`created_at`,`id`),
  CONSTRAINT `fk_users_relying_party` FOREIGN KEY (`relying_party_id`) REFERENCES `relying_parties` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
CREATE TABLE `credentials` (
  `id` binary(16) NOT NULL,
  `tenant_id` binary(16) NOT NULL,
  `relying_party_id` binary(16) NOT NULL,
  `user_id` binary(16) NOT NULL,
  `credential_id` varbinary(1023) NOT NULL,
  `credential_hash` binary(32) NOT NULL,
  `public_key` varbinary(4096) NOT NULL,
  `algorithm` int(11) NOT NULL,
  `sign_count` bigint(20) NOT NULL,
  `aaguid` binary(16) NOT NULL,
  `device_name` varchar(300) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `keypair` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `transports` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `attestation_format` varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `attestation_type` varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `attestation_trusted` tinyint(1) NOT NULL,
  `user_verified` tinyint(1) NOT NULL,
  `backup_eligible` tinyint(1) DEFAULT NULL,
  `backed_up` tinyint(1) NOT NULL,
  `enabled` tinyint(1) NOT NULL,
  `registered_at` bigint(20) NOT NULL,
  `last_used_at` bigint(20) DEFAULT NULL,
  `last_ceremony` binary(16) NOT NULL,
  `imported_from` varchar(16) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `refused_with` varchar(8) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `registration_flags` int(11) DEFAULT NULL,
  `attestation_asked` tinyint(1) DEFAULT NULL,
  `resident_key` tinyint(1) DEFAULT NULL,
  `serial_number` varchar(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_credentials_hash` (`relying_party_id`,`credential_hash`),
  KEY `ix_credentials_user` (`user_id`),
  KEY `ix_credentials_enabled` (`relying_party_id`,`enabled`),
  KEY `ix_credentials_of_model` (`relying_party_id`,`aaguid`,`credential_hash`),
  CONSTRAINT `fk_credentials_user` FOREIGN KEY (`user_id`) REFERENCES `users` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
CREATE TABLE `earlier_names` (
  `relying_party_id` binary(16) NOT NULL,
  `username` varbinary(255) NOT NULL,
  `until` bigint(20) NOT NULL,
  `user_id` binary(16) NOT NULL,
  `tenant_id` binary(16) NOT NULL,
  PRIMARY KEY (`relying_party_id`,`username`,`until`,`user_id`),
  KEY `ix_earlier_names_user` (`user_id`),
  CONSTRAINT `fk_earlier_names_user` FOREIGN KEY (`user_id`) REFERENCES `users` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
CREATE TABLE `findings` (
  `id` binary(16) NOT NULL,
  `tenant_id` binary(16) NOT NULL,
  `relying_party_id` binary(16) NOT NULL,
  `rule` varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `code` varchar(8) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `action` varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `found_at` bigint(20) NOT NULL,
  PRIMARY KEY (`id`),
  KEY `ix_findings_relying_party` (`relying_party_id`,`id`),
  CONSTRAINT `fk_findings_credential` FOREIGN KEY (`id`) REFERENCES `credentials` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
CREATE TABLE `further_handles` (
  `relying_party_id` binary(16) NOT NULL,
  `handle` varbinary(64) NOT NULL,
  `tenant_id` binary(16) NOT NULL,
  `user_id` binary(16) NOT NULL,
  PRIMARY KEY (`relying_party_id`,`handle`),
  KEY `ix_further_handles_user` (`user_id`),
  CONSTRAINT `fk_further_handles_user` FOREIGN KEY (`user_id`) REFERENCES `users` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
CREATE TABLE `imports` (
  `relying_party_id` binary(16) NOT NULL,
  `tenant_id` binary(16) NOT NULL,
  `run` binary(16) NOT NULL,
  `account` varbinary(255) NOT NULL,
  `source` varchar(16) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `state` varchar(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `tally` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `began_at` bigint(20) NOT NULL,
  `changed_at` bigint(20) NOT NULL,
  PRIMARY KEY (`relying_party_id`),
  CONSTRAINT `fk_imports_relying_party` FOREIGN KEY (`relying_party_id`) REFERENCES `relying_parties` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
CREATE TABLE `invitations` (
  `id` binary(16) NOT NULL,
  `tenant_id` binary(16) NOT NULL,
  `relying_party_id` binary(16) NOT NULL,
  `code_hash` binary(32) NOT NULL,
  `username` varbinary(255) NOT NULL,
  `display_name` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `issued_by` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `issued_at` bigint(20) NOT NULL,
  `expires_at` bigint(20) NOT NULL,
  `ended_at` bigint(20) DEFAULT NULL,
  `min_keys` int(11) NOT NULL,
  `keys_made` int(11) NOT NULL DEFAULT 0,
  `begun` int(11) NOT NULL DEFAULT 0,
  `wrong_names` int(11) NOT NULL DEFAULT 0,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_invitations_code` (`code_hash`),
  KEY `ix_invitations_user` (`relying_party_id`,`username`,`issued_at`),
  KEY `ix_invitations_expiry` (`expires_at`),
  CONSTRAINT `fk_invitations_relying_party` FOREIGN KEY (`relying_party_id`) REFERENCES `relying_parties` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
CREATE TABLE `search_words` (
  `relying_party_id` binary(16) NOT NULL,
  `word` varbinary(96) NOT NULL,
  `user_id` binary(16) NOT NULL,
  `tenant_id` binary(16) NOT NULL,
  PRIMARY KEY (`relying_party_id`,`word`,`user_id`),
  KEY `ix_search_words_user` (`user_id`),
  CONSTRAINT `fk_search_words_user` FOREIGN KEY (`user_id`) REFERENCES `users` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
CREATE TABLE `attestations` (
  `id` binary(16) NOT NULL,
  `tenant_id` binary(16) NOT NULL,
  `relying_party_id` binary(16) NOT NULL,
  `evidence` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `certificates` longblob NOT NULL,
  `authorities` varbinary(512) NOT NULL,
  `proof` longblob NOT NULL,
  `uvm` varchar(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  PRIMARY KEY (`id`),
  CONSTRAINT `fk_attestations_credential` FOREIGN KEY (`id`) REFERENCES `credentials` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
CREATE TABLE `invitation_keys` (
  `invitation_id` binary(16) NOT NULL,
  `credential_hash` binary(32) NOT NULL,
  `tenant_id` binary(16) NOT NULL,
  `relying_party_id` binary(16) NOT NULL,
  PRIMARY KEY (`invitation_id`,`credential_hash`),
  CONSTRAINT `fk_invitation_keys_invitation` FOREIGN KEY (`invitation_id`) REFERENCES `invitations` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
