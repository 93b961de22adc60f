import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Handles of users who come from elsewhere have 1 to 64 bytes. SQLite's blobs are of any length. */
export class WidenUserHandle1764000000040 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await setType(queryRunner, 'VARBINARY(64)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await setType(queryRunner, 'BINARY(32)');
  }
}

/** By hand: TypeORM would drop the column and make it anew. */
async function setType(queryRunner: QueryRunner, type: string): Promise<void> {
  if (queryRunner.connection.options.type !== 'mysql') return;
  await queryRunner.query(`ALTER TABLE users MODIFY user_handle ${type} NOT NULL`);
}
