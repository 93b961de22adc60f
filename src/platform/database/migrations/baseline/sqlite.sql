CREATE TABLE "secrets" (
  "name" varchar(64) PRIMARY KEY NOT NULL,
  "value" text NOT NULL
);

CREATE TABLE "leases" (
  "name" varchar(32) PRIMARY KEY NOT NULL,
  "holder" varchar(32) NOT NULL,
  "beat" bigint NOT NULL
);

CREATE TABLE "directory_version" (
  "id" integer PRIMARY KEY NOT NULL,
  "version" bigint NOT NULL
);

CREATE TABLE "agreed_settings" (
  "name" varchar(32) NOT NULL,
  "value" bigint NOT NULL,
  "used_at" bigint NOT NULL,
  PRIMARY KEY ("name", "value")
);

CREATE TABLE "unit_outcomes" (
  "id" blob PRIMARY KEY NOT NULL,
  "is_stored" boolean NOT NULL
);

CREATE TABLE "tenants" (
  "id" blob PRIMARY KEY NOT NULL,
  "name" varchar(64) NOT NULL,
  "display_name" varchar(255) NOT NULL,
  "created_at" bigint NOT NULL,
  "changed_at" bigint NOT NULL,
  "closed_at" bigint NOT NULL DEFAULT (0),
  CONSTRAINT "uq_tenants_name" UNIQUE ("name", "closed_at")
);

CREATE TABLE "relying_parties" (
  "id" blob PRIMARY KEY NOT NULL,
  "tenant_id" blob NOT NULL,
  "domain" varchar(253) NOT NULL,
  "name" varchar(255) NOT NULL,
  "origins" text NOT NULL,
  "policy" text NOT NULL,
  "created_at" bigint NOT NULL,
  "changed_at" bigint NOT NULL,
  "closed_at" bigint NOT NULL DEFAULT (0),
  "enrolment_url" varchar(500),
  "colour" varchar(7),
  "well_known" text,
  "predecessor" varchar(253),
  "key_shapes" text,
  "folds_names" integer NOT NULL DEFAULT (0),
  CONSTRAINT "uq_relying_parties_domain" UNIQUE ("domain", "closed_at"),
  CONSTRAINT "fk_relying_parties_tenant" FOREIGN KEY ("tenant_id") REFERENCES "tenants" ("id") ON DELETE CASCADE
);

CREATE INDEX "ix_relying_parties_tenant" ON "relying_parties" ("tenant_id");

CREATE TABLE "application_keys" (
  "id" blob PRIMARY KEY NOT NULL,
  "tenant_id" blob NOT NULL,
  "name" varchar(64) NOT NULL,
  "prefix" varchar(16) NOT NULL,
  "secret_hash" blob NOT NULL,
  "scopes" text NOT NULL,
  "relying_parties" text,
  "created_at" bigint NOT NULL,
  "created_by" varchar(255) NOT NULL,
  "expires_at" bigint,
  "last_used_at" bigint,
  "revoked_at" bigint,
  "suspended_at" bigint,
  CONSTRAINT "fk_application_keys_tenant" FOREIGN KEY ("tenant_id") REFERENCES "tenants" ("id") ON DELETE CASCADE
);

CREATE INDEX "ix_application_keys_prefix" ON "application_keys" ("prefix");

CREATE INDEX "ix_application_keys_tenant" ON "application_keys" ("tenant_id");

CREATE TABLE "adoption_targets" (
  "relying_party_id" blob PRIMARY KEY NOT NULL,
  "tenant_id" blob NOT NULL,
  "share" integer NOT NULL,
  "by_day" varchar(10) NOT NULL,
  "changed_at" bigint NOT NULL,
  CONSTRAINT "fk_adoption_targets_relying_party" FOREIGN KEY ("relying_party_id") REFERENCES "relying_parties" ("id") ON DELETE CASCADE
);

CREATE TABLE "users" (
  "id" blob PRIMARY KEY NOT NULL,
  "tenant_id" blob NOT NULL,
  "relying_party_id" blob NOT NULL,
  "username" blob NOT NULL,
  "display_name" varchar(255) NOT NULL,
  "user_handle" blob NOT NULL,
  "created_at" bigint NOT NULL,
  "subject" blob,
  "folded_name" blob,
  CONSTRAINT "uq_users_username" UNIQUE ("relying_party_id", "username"),
  CONSTRAINT "fk_users_relying_party" FOREIGN KEY ("relying_party_id") REFERENCES "relying_parties" ("id") ON DELETE CASCADE
);

CREATE UNIQUE INDEX "uq_users_subject" ON "users" ("relying_party_id", "subject");

CREATE UNIQUE INDEX "uq_users_handle" ON "users" ("relying_party_id", "user_handle");

CREATE UNIQUE INDEX "uq_users_folded_name" ON "users" ("relying_party_id", "folded_name");

CREATE INDEX "ix_users_created" ON "users" ("relying_party_id", "created_at", "id");

CREATE TABLE "credentials" (
  "id" blob PRIMARY KEY NOT NULL,
  "tenant_id" blob NOT NULL,
  "relying_party_id" blob NOT NULL,
  "user_id" blob NOT NULL,
  "credential_id" blob NOT NULL,
  "credential_hash" blob NOT NULL,
  "public_key" blob NOT NULL,
  "algorithm" integer NOT NULL,
  "sign_count" bigint NOT NULL,
  "aaguid" blob NOT NULL,
  "device_name" varchar(300) NOT NULL,
  "keypair" text,
  "transports" varchar(255) NOT NULL,
  "attestation_format" varchar(32) NOT NULL,
  "attestation_type" varchar(32) NOT NULL,
  "attestation_trusted" boolean NOT NULL,
  "user_verified" boolean NOT NULL,
  "backup_eligible" boolean,
  "backed_up" boolean NOT NULL,
  "enabled" boolean NOT NULL,
  "registered_at" bigint NOT NULL,
  "last_used_at" bigint,
  "last_ceremony" blob NOT NULL,
  "imported_from" varchar(16),
  "refused_with" varchar(8),
  "registration_flags" integer,
  "attestation_asked" boolean,
  "resident_key" boolean,
  "serial_number" varchar(128),
  "disabled_by" text,
  "disabled_by_rule" varchar(32),
  "accepted_by" varchar(255),
  "uv_initialized" boolean,
  "made_under_authority" boolean,
  CONSTRAINT "uq_credentials_hash" UNIQUE ("relying_party_id", "credential_hash"),
  CONSTRAINT "fk_credentials_user" FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE CASCADE
);

CREATE INDEX "ix_credentials_enabled" ON "credentials" ("relying_party_id", "enabled");

CREATE INDEX "ix_credentials_user" ON "credentials" ("user_id");

CREATE INDEX "ix_credentials_of_model" ON "credentials" ("relying_party_id", "aaguid", "credential_hash");

CREATE TABLE "further_handles" (
  "relying_party_id" blob NOT NULL,
  "handle" blob NOT NULL,
  "tenant_id" blob NOT NULL,
  "user_id" blob NOT NULL,
  CONSTRAINT "fk_further_handles_user" FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE CASCADE,
  PRIMARY KEY ("relying_party_id", "handle")
);

CREATE INDEX "ix_further_handles_user" ON "further_handles" ("user_id");

CREATE TABLE "earlier_names" (
  "relying_party_id" blob NOT NULL,
  "username" blob NOT NULL,
  "until" bigint NOT NULL,
  "user_id" blob NOT NULL,
  "tenant_id" blob NOT NULL,
  CONSTRAINT "fk_earlier_names_user" FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE CASCADE,
  PRIMARY KEY ("relying_party_id", "username", "until", "user_id")
) WITHOUT ROWID;

CREATE INDEX "ix_earlier_names_user" ON "earlier_names" ("user_id");

CREATE TABLE "search_words" (
  "relying_party_id" blob NOT NULL,
  "word" blob NOT NULL,
  "user_id" blob NOT NULL,
  "tenant_id" blob NOT NULL,
  CONSTRAINT "fk_search_words_user" FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE CASCADE,
  PRIMARY KEY ("relying_party_id", "word", "user_id")
) WITHOUT ROWID;

CREATE INDEX "ix_search_words_user" ON "search_words" ("user_id");

CREATE TABLE "search_progress" (
  "id" integer PRIMARY KEY NOT NULL,
  "folding" integer NOT NULL,
  "upto" blob NOT NULL,
  "done" boolean NOT NULL
);

CREATE TABLE "moves" (
  "user_id" blob PRIMARY KEY NOT NULL,
  "former_user_id" blob NOT NULL,
  "former_relying_party_id" blob NOT NULL,
  "relying_party_id" blob NOT NULL,
  "tenant_id" blob NOT NULL,
  "moved_at" bigint NOT NULL
);

CREATE INDEX "ix_moves_former" ON "moves" ("former_user_id");

CREATE UNIQUE INDEX "uq_moves_former" ON "moves" ("relying_party_id", "former_user_id");

CREATE TABLE "separate_names" (
  "relying_party_id" blob NOT NULL,
  "folded_hash" blob NOT NULL,
  "name_hash" blob NOT NULL,
  "tenant_id" blob NOT NULL,
  CONSTRAINT "fk_separate_names_relying_party" FOREIGN KEY ("relying_party_id") REFERENCES "relying_parties" ("id") ON DELETE CASCADE,
  PRIMARY KEY ("relying_party_id", "folded_hash", "name_hash")
);

CREATE TABLE "attestations" (
  "id" blob PRIMARY KEY NOT NULL,
  "tenant_id" blob NOT NULL,
  "relying_party_id" blob NOT NULL,
  "evidence" text NOT NULL,
  "certificates" blob NOT NULL,
  "authorities" blob NOT NULL,
  "proof" blob NOT NULL,
  "uvm" varchar(128),
  CONSTRAINT "fk_attestations_credential" FOREIGN KEY ("id") REFERENCES "credentials" ("id") ON DELETE CASCADE
);

CREATE TABLE "attestation_authorities" (
  "hash" blob PRIMARY KEY NOT NULL,
  "certificate" blob NOT NULL
);

CREATE TABLE "deletions" (
  "id" blob PRIMARY KEY NOT NULL,
  "tenant_id" blob NOT NULL,
  "relying_party_id" blob NOT NULL,
  "user_id" blob NOT NULL,
  "username" blob NOT NULL,
  "folded_name" blob NOT NULL,
  "display_name" varchar(255) NOT NULL,
  "user_handle" blob NOT NULL,
  "subject" blob,
  "created_at" bigint NOT NULL,
  "whole" boolean NOT NULL,
  "at" bigint NOT NULL,
  "account" blob NOT NULL,
  "reason" varchar(200),
  "occasion" varchar(64) NOT NULL
);

CREATE INDEX "ix_deletions_name" ON "deletions" ("relying_party_id", "folded_name");

CREATE INDEX "ix_deletions_user" ON "deletions" ("user_id");

CREATE INDEX "ix_deletions_occasion" ON "deletions" ("occasion");

CREATE INDEX "ix_deletions_recent" ON "deletions" ("relying_party_id", "whole", "id");

CREATE TABLE "deleted_keys" (
  "id" blob PRIMARY KEY NOT NULL,
  "tenant_id" blob NOT NULL,
  "relying_party_id" blob NOT NULL,
  "user_id" blob NOT NULL,
  "credential_id" blob NOT NULL,
  "credential_hash" blob NOT NULL,
  "public_key" blob NOT NULL,
  "algorithm" integer NOT NULL,
  "sign_count" bigint NOT NULL,
  "aaguid" blob NOT NULL,
  "device_name" varchar(300) NOT NULL,
  "keypair" text,
  "transports" varchar(255) NOT NULL,
  "attestation_format" varchar(32) NOT NULL,
  "attestation_type" varchar(32) NOT NULL,
  "attestation_trusted" boolean NOT NULL,
  "user_verified" boolean NOT NULL,
  "backup_eligible" boolean,
  "backed_up" boolean NOT NULL,
  "enabled" boolean NOT NULL,
  "registered_at" bigint NOT NULL,
  "last_used_at" bigint,
  "last_ceremony" blob NOT NULL,
  "imported_from" varchar(16),
  "refused_with" varchar(8),
  "registration_flags" integer,
  "attestation_asked" boolean,
  "resident_key" boolean,
  "serial_number" varchar(128),
  "deletion_id" blob NOT NULL,
  "evidence" text,
  "certificates" blob,
  "authorities" blob,
  "proof" blob,
  "uvm" varchar(128),
  "disabled_by" text,
  "disabled_by_rule" varchar(32),
  "accepted_by" varchar(255),
  "uv_initialized" boolean,
  "made_under_authority" boolean,
  CONSTRAINT "fk_deleted_keys_deletion" FOREIGN KEY ("deletion_id") REFERENCES "deletions" ("id") ON DELETE CASCADE
);

CREATE INDEX "ix_deleted_keys_hash" ON "deleted_keys" ("relying_party_id", "credential_hash");

CREATE INDEX "ix_deleted_keys_user" ON "deleted_keys" ("user_id");

CREATE INDEX "ix_deleted_keys_deletion" ON "deleted_keys" ("deletion_id");

CREATE TABLE "deleted_handles" (
  "deletion_id" blob NOT NULL,
  "handle" blob NOT NULL,
  "tenant_id" blob NOT NULL,
  "relying_party_id" blob NOT NULL,
  CONSTRAINT "fk_deleted_handles_deletion" FOREIGN KEY ("deletion_id") REFERENCES "deletions" ("id") ON DELETE CASCADE,
  PRIMARY KEY ("deletion_id", "handle")
);

CREATE TABLE "deleted_names" (
  "deletion_id" blob NOT NULL,
  "username" blob NOT NULL,
  "until" bigint NOT NULL,
  "tenant_id" blob NOT NULL,
  "relying_party_id" blob NOT NULL,
  CONSTRAINT "fk_deleted_names_deletion" FOREIGN KEY ("deletion_id") REFERENCES "deletions" ("id") ON DELETE CASCADE,
  PRIMARY KEY ("deletion_id", "username", "until")
);

CREATE TABLE "tickets" (
  "ticket_hash" blob PRIMARY KEY NOT NULL,
  "relying_party_id" blob NOT NULL,
  "username" blob NOT NULL,
  "expires_at" bigint NOT NULL,
  "tenant_id" blob,
  "begun" integer NOT NULL DEFAULT (0),
  "display_name" varchar(255),
  "user_id" blob
);

CREATE INDEX "ix_tickets_expiry" ON "tickets" ("expires_at");

CREATE TABLE "invitations" (
  "id" blob PRIMARY KEY NOT NULL,
  "tenant_id" blob NOT NULL,
  "relying_party_id" blob NOT NULL,
  "code_hash" blob NOT NULL,
  "username" blob NOT NULL,
  "display_name" varchar(255),
  "issued_by" varchar(255) NOT NULL,
  "issued_at" bigint NOT NULL,
  "expires_at" bigint NOT NULL,
  "ended_at" bigint,
  "min_keys" integer NOT NULL,
  "keys_made" integer NOT NULL DEFAULT (0),
  "begun" integer NOT NULL DEFAULT (0),
  "wrong_names" integer NOT NULL DEFAULT (0),
  "user_id" blob,
  CONSTRAINT "fk_invitations_relying_party" FOREIGN KEY ("relying_party_id") REFERENCES "relying_parties" ("id") ON DELETE CASCADE
);

CREATE UNIQUE INDEX "uq_invitations_code" ON "invitations" ("code_hash");

CREATE INDEX "ix_invitations_user" ON "invitations" ("relying_party_id", "username", "issued_at");

CREATE INDEX "ix_invitations_expiry" ON "invitations" ("expires_at");

CREATE INDEX "ix_invitations_issued" ON "invitations" ("relying_party_id", "issued_at", "id");

CREATE TABLE "invitation_keys" (
  "invitation_id" blob NOT NULL,
  "credential_hash" blob NOT NULL,
  "tenant_id" blob NOT NULL,
  "relying_party_id" blob NOT NULL,
  CONSTRAINT "fk_invitation_keys_invitation" FOREIGN KEY ("invitation_id") REFERENCES "invitations" ("id") ON DELETE CASCADE,
  PRIMARY KEY ("invitation_id", "credential_hash")
);

CREATE TABLE "signing_keys" (
  "kid" varchar(64) PRIMARY KEY NOT NULL,
  "private_key" text NOT NULL,
  "created_at" bigint NOT NULL
);

CREATE TABLE "events" (
  "id" blob PRIMARY KEY NOT NULL,
  "at" bigint NOT NULL,
  "tenant_id" blob NOT NULL,
  "relying_party_id" blob NOT NULL,
  "user_id" blob NOT NULL,
  "username" blob NOT NULL,
  "credential" blob NOT NULL,
  "kind" varchar(16) NOT NULL,
  "code" varchar(8),
  "detail" varchar(100),
  "request_id" varchar(32),
  "address" varchar(45),
  "browser" varchar(32),
  "ceremony" blob
);

CREATE INDEX "ix_events_relying_party" ON "events" ("relying_party_id", "at");

CREATE INDEX "ix_events_user" ON "events" ("relying_party_id", "username", "at");

CREATE INDEX "ix_events_request" ON "events" ("request_id");

CREATE UNIQUE INDEX "uq_events_ceremony" ON "events" ("ceremony");

CREATE TABLE "event_batches" (
  "last" bigint PRIMARY KEY NOT NULL,
  "tenant_id" blob NOT NULL,
  "relying_party_id" blob NOT NULL,
  "slice" bigint NOT NULL,
  "size" integer NOT NULL,
  "ids" blob NOT NULL
);

CREATE INDEX "ix_event_batches_relying_party" ON "event_batches" ("relying_party_id", "last");

CREATE INDEX "ix_event_batches_tenant" ON "event_batches" ("tenant_id", "last");

CREATE INDEX "ix_event_batches_slice" ON "event_batches" ("slice", "size");

CREATE TABLE "event_numbering" (
  "id" integer PRIMARY KEY NOT NULL,
  "last" bigint NOT NULL,
  "upto" bigint NOT NULL
);

CREATE TABLE "receipts" (
  "id" blob PRIMARY KEY NOT NULL,
  "at" bigint NOT NULL,
  "tenant_id" blob NOT NULL,
  "relying_party_id" blob NOT NULL,
  "username" blob NOT NULL,
  "credential_hash" blob NOT NULL,
  "public_key" blob NOT NULL,
  "client_data" blob NOT NULL,
  "authenticator_data" blob NOT NULL,
  "signature" blob NOT NULL
);

CREATE INDEX "ix_receipts_user" ON "receipts" ("relying_party_id", "username", "at");

CREATE TABLE "ceremony_counts" (
  "relying_party_id" blob NOT NULL,
  "week" integer NOT NULL,
  "kind" varchar(16) NOT NULL,
  "step" varchar(16) NOT NULL,
  "browser" varchar(16) NOT NULL,
  "detail" varchar(36) NOT NULL,
  "tenant_id" blob NOT NULL,
  "n" bigint NOT NULL,
  PRIMARY KEY ("relying_party_id", "week", "kind", "step", "browser", "detail")
) WITHOUT ROWID;

CREATE INDEX "ix_ceremony_counts_week" ON "ceremony_counts" ("week");

CREATE TABLE "usage_progress" (
  "id" integer PRIMARY KEY NOT NULL,
  "upto" bigint NOT NULL
);

CREATE TABLE "usage_days" (
  "relying_party_id" blob NOT NULL,
  "day" integer NOT NULL,
  "month" integer NOT NULL,
  "registrations" bigint NOT NULL,
  "authentications" bigint NOT NULL,
  "users" bigint NOT NULL,
  "enabled" bigint NOT NULL,
  "disabled" bigint NOT NULL,
  "active_users" bigint NOT NULL,
  "events" bigint NOT NULL,
  "tenant_id" blob,
  PRIMARY KEY ("relying_party_id", "day")
);

CREATE INDEX "ix_usage_days_day" ON "usage_days" ("day");

CREATE TABLE "usage_active" (
  "month" integer NOT NULL,
  "relying_party_id" blob NOT NULL,
  "user_id" blob NOT NULL,
  "since" bigint NOT NULL,
  "tenant_id" blob,
  PRIMARY KEY ("month", "relying_party_id", "user_id")
);

CREATE TABLE "invoices" (
  "number" bigint NOT NULL,
  "date" varchar(10) NOT NULL,
  "figures" blob NOT NULL,
  "digest" blob NOT NULL,
  "body" blob NOT NULL,
  "tenants" text NOT NULL,
  "currency" varchar(3) NOT NULL,
  "total" bigint NOT NULL,
  "issued_at" bigint NOT NULL,
  "issued_by" blob NOT NULL,
  "series" varchar(10) NOT NULL DEFAULT ('invoice'),
  "kind" varchar(12) NOT NULL DEFAULT ('invoice'),
  "tenant_id" blob,
  "cancels" bigint,
  "cancels_series" varchar(10),
  "xml" blob,
  "xml_digest" blob,
  CONSTRAINT "uq_invoices_figures" UNIQUE ("date", "figures"),
  PRIMARY KEY ("number", "series")
);

CREATE INDEX "ix_invoices_tenant" ON "invoices" ("tenant_id", "date");

CREATE INDEX "ix_invoices_series" ON "invoices" ("series", "number");

CREATE INDEX "ix_invoices_issued" ON "invoices" ("issued_at", "series", "number");

CREATE INDEX "ix_invoices_kind" ON "invoices" ("kind", "issued_at", "series", "number");

CREATE TABLE "aaguids" (
  "aaguid" blob PRIMARY KEY NOT NULL,
  "name" varchar(255) NOT NULL,
  "added_at" bigint NOT NULL,
  "added_by" varchar(255) NOT NULL,
  "removed_at" bigint NOT NULL
);

CREATE TABLE "metadata_sources" (
  "id" blob PRIMARY KEY NOT NULL,
  "source" text NOT NULL,
  "digest" blob NOT NULL,
  "no" bigint NOT NULL,
  "next_update" bigint NOT NULL,
  "taken_at" bigint NOT NULL,
  "etag" varchar(255) NOT NULL,
  "due_at" bigint NOT NULL,
  "checked_at" bigint NOT NULL,
  "failures" bigint NOT NULL,
  "error" varchar(255) NOT NULL
);

CREATE TABLE "metadata_chunks" (
  "digest" blob NOT NULL,
  "part" bigint NOT NULL,
  "stored_at" bigint NOT NULL,
  "bytes" blob NOT NULL,
  PRIMARY KEY ("digest", "part")
);

CREATE TABLE "revocation_lists" (
  "id" blob PRIMARY KEY NOT NULL,
  "address" text NOT NULL,
  "issuer" blob NOT NULL,
  "digest" blob NOT NULL,
  "list" blob,
  "this_update" bigint NOT NULL,
  "due_at" bigint NOT NULL,
  "checked_at" bigint NOT NULL,
  "failures" bigint NOT NULL,
  "error" varchar(255) NOT NULL
);

CREATE TABLE "findings" (
  "id" blob PRIMARY KEY NOT NULL,
  "tenant_id" blob NOT NULL,
  "relying_party_id" blob NOT NULL,
  "rule" varchar(32) NOT NULL,
  "code" varchar(8) NOT NULL,
  "action" varchar(32) NOT NULL,
  "found_at" bigint NOT NULL,
  CONSTRAINT "fk_findings_credential" FOREIGN KEY ("id") REFERENCES "credentials" ("id") ON DELETE CASCADE
);

CREATE INDEX "ix_findings_relying_party" ON "findings" ("relying_party_id", "id");

CREATE INDEX "ix_findings_rule" ON "findings" ("relying_party_id", "rule", "id");

CREATE TABLE "judgements" (
  "relying_party_id" blob PRIMARY KEY NOT NULL,
  "tenant_id" blob NOT NULL,
  "basis" blob NOT NULL,
  "position" blob NOT NULL,
  "done" boolean NOT NULL,
  "held" blob,
  "todo" blob
);

CREATE TABLE "model_jobs" (
  "id" blob NOT NULL,
  "relying_party_id" blob NOT NULL,
  "tenant_id" blob NOT NULL,
  "aaguid" blob NOT NULL,
  "state" varchar(10) NOT NULL,
  "caller" text NOT NULL,
  "reason" varchar(200),
  "position" blob NOT NULL,
  "total" bigint NOT NULL,
  "looked" bigint NOT NULL,
  "disabled_keys" bigint NOT NULL,
  "disabled_users" bigint NOT NULL,
  "enabled_keys" bigint NOT NULL,
  "enabled_users" bigint NOT NULL,
  PRIMARY KEY ("id", "relying_party_id")
);

CREATE INDEX "ix_model_jobs_state" ON "model_jobs" ("state");

CREATE INDEX "ix_model_jobs_model" ON "model_jobs" ("aaguid", "id");

CREATE TABLE "audit" (
  "seq" bigint PRIMARY KEY NOT NULL,
  "at" bigint NOT NULL,
  "account" blob NOT NULL,
  "role" varchar(16) NOT NULL,
  "address" varchar(64) NOT NULL,
  "action" varchar(64) NOT NULL,
  "tenant" blob,
  "relying_party" blob,
  "target" blob,
  "result" varchar(8) NOT NULL,
  "code" varchar(8),
  "request_id" varchar(64) NOT NULL,
  "detail" text NOT NULL,
  "previous_hash" blob NOT NULL,
  "hash" blob NOT NULL,
  "salt" blob,
  "erased_by" bigint
);

CREATE INDEX "ix_audit_at" ON "audit" ("at");

CREATE INDEX "ix_audit_account" ON "audit" ("account", "seq");

CREATE INDEX "ix_audit_action" ON "audit" ("action", "seq");

CREATE INDEX "ix_audit_tenant" ON "audit" ("tenant", "seq");

CREATE INDEX "ix_audit_target" ON "audit" ("target", "seq");

CREATE INDEX "ix_audit_result" ON "audit" ("result", "seq");

CREATE INDEX "ix_audit_request" ON "audit" ("request_id");

CREATE TABLE "console_accounts" (
  "id" blob PRIMARY KEY NOT NULL,
  "name" blob NOT NULL,
  "role" varchar(16),
  "tenants" text,
  "password" varchar(80),
  "sign_in" varchar(16) NOT NULL,
  "created_at" bigint NOT NULL,
  "created_by" varchar(255) NOT NULL,
  "changed_at" bigint NOT NULL DEFAULT (0),
  "needs_key" boolean NOT NULL DEFAULT (0)
);

CREATE UNIQUE INDEX "uq_console_accounts_name" ON "console_accounts" ("name");

CREATE TABLE "console_setups" (
  "account_id" blob PRIMARY KEY NOT NULL,
  "token_hash" blob,
  "ends_at" bigint,
  CONSTRAINT "fk_console_setups_account" FOREIGN KEY ("account_id") REFERENCES "console_accounts" ("id") ON DELETE CASCADE
);

CREATE UNIQUE INDEX "uq_console_setups_token" ON "console_setups" ("token_hash");

CREATE TABLE "console_keys" (
  "id" blob PRIMARY KEY NOT NULL,
  "account_id" blob NOT NULL,
  "domain" varchar(253) NOT NULL,
  "credential_hash" blob NOT NULL,
  "credential_id" blob NOT NULL,
  "public_key" blob NOT NULL,
  "sign_count" bigint NOT NULL,
  "backup_eligible" boolean NOT NULL,
  "verifies_user" boolean NOT NULL,
  "transports" varchar(100) NOT NULL,
  "name" varchar(64) NOT NULL,
  "created_at" bigint NOT NULL,
  "used_at" bigint,
  "uv_initialized" boolean,
  CONSTRAINT "fk_console_keys_account" FOREIGN KEY ("account_id") REFERENCES "console_accounts" ("id") ON DELETE CASCADE
);

CREATE UNIQUE INDEX "uq_console_keys_credential" ON "console_keys" ("credential_hash");

CREATE INDEX "ix_console_keys_account" ON "console_keys" ("account_id");

CREATE TABLE "console_sessions" (
  "id" blob PRIMARY KEY NOT NULL,
  "account" varchar(255) NOT NULL,
  "mark" blob NOT NULL,
  "secret_hash" blob NOT NULL,
  "previous_hash" blob,
  "rotated_at" bigint NOT NULL,
  "began_at" bigint NOT NULL,
  "used_at" bigint NOT NULL,
  "ends_at" bigint NOT NULL,
  "way" varchar(16) NOT NULL,
  "address" varchar(64) NOT NULL,
  "browser" varchar(255) NOT NULL
);

CREATE INDEX "ix_console_sessions_account" ON "console_sessions" ("account");

CREATE INDEX "ix_console_sessions_end" ON "console_sessions" ("ends_at");

CREATE TABLE "console_challenges" (
  "hash" blob PRIMARY KEY NOT NULL,
  "ends_at" bigint NOT NULL
);

CREATE INDEX "ix_console_challenges_end" ON "console_challenges" ("ends_at");

CREATE TABLE "uploads" (
  "id" blob PRIMARY KEY NOT NULL,
  "account" blob NOT NULL,
  "relying_party_id" blob NOT NULL,
  "state" varchar(10) NOT NULL,
  "expires_at" bigint NOT NULL,
  "tenant_id" blob
);

CREATE INDEX "ix_uploads_expiry" ON "uploads" ("expires_at");

CREATE TABLE "upload_lines" (
  "upload_id" blob NOT NULL,
  "line" integer NOT NULL,
  "username" blob,
  "shown" blob,
  "outcome" varchar(8),
  "credentials" integer NOT NULL DEFAULT (0),
  CONSTRAINT "uq_upload_lines_username" UNIQUE ("upload_id", "username"),
  PRIMARY KEY ("upload_id", "line")
);

CREATE TABLE "imports" (
  "relying_party_id" blob PRIMARY KEY NOT NULL,
  "tenant_id" blob NOT NULL,
  "run" blob NOT NULL,
  "account" blob NOT NULL,
  "source" varchar(16) NOT NULL,
  "state" varchar(10) NOT NULL,
  "tally" text NOT NULL,
  "began_at" bigint NOT NULL,
  "changed_at" bigint NOT NULL,
  CONSTRAINT "fk_imports_relying_party" FOREIGN KEY ("relying_party_id") REFERENCES "relying_parties" ("id") ON DELETE CASCADE
);

CREATE TABLE "webhooks" (
  "id" blob PRIMARY KEY NOT NULL,
  "tenant_id" blob NOT NULL,
  "url" text NOT NULL,
  "events" text NOT NULL,
  "relying_parties" text,
  "secret" text NOT NULL,
  "former_secret" text,
  "former_until" bigint,
  "created_at" bigint NOT NULL,
  "created_by" varchar(255) NOT NULL,
  "told" bigint NOT NULL,
  "due_at" bigint NOT NULL,
  "failures" integer NOT NULL,
  "failing_since" bigint,
  "failure" varchar(100),
  "failed_at" bigint,
  "delivered_at" bigint,
  "off_since" bigint,
  "set_aside" integer NOT NULL DEFAULT (0),
  "changed_at" bigint NOT NULL DEFAULT (0),
  CONSTRAINT "fk_webhooks_tenant" FOREIGN KEY ("tenant_id") REFERENCES "tenants" ("id") ON DELETE CASCADE
);

CREATE INDEX "ix_webhooks_tenant" ON "webhooks" ("tenant_id");

CREATE TABLE "set_aside_messages" (
  "webhook_id" blob NOT NULL,
  "number" bigint NOT NULL,
  "event_id" blob NOT NULL,
  "at" bigint NOT NULL,
  "failure" varchar(100) NOT NULL,
  CONSTRAINT "fk_set_aside_messages_webhook" FOREIGN KEY ("webhook_id") REFERENCES "webhooks" ("id") ON DELETE CASCADE,
  PRIMARY KEY ("webhook_id", "number")
);
