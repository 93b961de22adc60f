import { TableColumn, type MigrationInterface, type QueryRunner } from 'typeorm';
import { words } from '../entities/column-types.js';
import { column, columnFor } from './table-parts.js';

/** The job of a batch. Instances of 1.0 know one job, and name none. */
export class AddJobToBatches1764300007200 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const job = column('job', words(32), { default: "'disable-model'" });
    await queryRunner.addColumn('model_jobs', new TableColumn(columnFor(queryRunner, job)));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('model_jobs', 'job');
  }
}
