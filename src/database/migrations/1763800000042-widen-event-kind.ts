import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Room for `authentication-refused`. SQLite holds texts of any length in any column. */
export class WidenEventKind1763800000042 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await setLength(queryRunner, 32);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await setLength(queryRunner, 16);
  }
}

/** Written by hand, since TypeORM would drop the column and create it anew. */
async function setLength(queryRunner: QueryRunner, length: number): Promise<void> {
  if (queryRunner.connection.options.type !== 'mysql') return;
  await queryRunner.query(
    `ALTER TABLE events
       MODIFY kind VARCHAR(${length}) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL`,
  );
}
