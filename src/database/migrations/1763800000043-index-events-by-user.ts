import { TableIndex } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds what happened to a user, newest first; by name, since events may name users that do not exist. */
export class IndexEventsByUser1763800000043 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.createIndex(
      'events',
      new TableIndex({
        name: 'ix_events_user',
        columnNames: ['relying_party_id', 'username', 'at'],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropIndex('events', 'ix_events_user');
  }
}
