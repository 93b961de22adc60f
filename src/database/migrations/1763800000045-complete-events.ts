import type { MigrationInterface, QueryRunner } from 'typeorm';

const NOBODY = "X'0000000000000000'";

/**
 * Appends what earlier versions did not record: the creation of users, and that credentials were disabled.
 * The rows of both have UUIDv7 keys, which the events reuse as theirs.
 */
export class CompleteEvents1763800000045 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `INSERT INTO events (id, at, tenant_id, relying_party_id, user_id, username, credential, kind)
         SELECT u.id, u.created_at, u.tenant_id, u.relying_party_id, u.id, u.username, ${NOBODY},
           'user-created'
         FROM users u`,
    );
    await queryRunner.query(
      `INSERT INTO events (id, at, tenant_id, relying_party_id, user_id, username, credential, kind)
         SELECT c.id, c.registered_at, c.tenant_id, c.relying_party_id, c.user_id, u.username,
           SUBSTR(c.credential_hash, 1, 8), 'disabled'
         FROM credentials c JOIN users u ON u.id = c.user_id WHERE c.enabled = 0`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DELETE FROM events WHERE kind IN ('user-created', 'disabled')`);
  }
}
