import { TableColumn } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How many messages of a webhook were set aside. */
export class CountSetAsideMessages1764100000021 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const setAside = new TableColumn({ name: 'set_aside', type: 'integer', default: 0 });
    await queryRunner.addColumn('webhooks', setAside);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('webhooks', 'set_aside');
  }
}
