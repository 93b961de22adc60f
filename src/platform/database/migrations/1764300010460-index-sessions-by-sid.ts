import { TableIndex, type MigrationInterface, type QueryRunner } from 'typeorm';
import { index } from './table-parts.js';

/** A back-channel logout finds the sessions that it ends. */
export class IndexSessionsBySid1764300010460 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const added = new TableIndex(index('ix_console_sessions_sid', 'sid_hash'));
    await queryRunner.createIndex('console_sessions', added);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropIndex('console_sessions', 'ix_console_sessions_sid');
  }
}
