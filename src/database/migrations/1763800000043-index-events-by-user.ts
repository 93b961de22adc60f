import { TableIndex } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What happened to a user, newest first; by name, since a name may be nobody's. */
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
