import { Table, type MigrationInterface, type QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';
import { index } from './keys.js';

/** Jobs that disable all keys of an authenticator model. */
export class ModelJobs1764300000400 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { bytes, fixedBytes, text, whole, words } = columnsFor(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'model_jobs',
        columns: [
          fixedBytes('id', 16, { isPrimary: true }),
          fixedBytes('relying_party_id', 16, { isPrimary: true }),
          fixedBytes('tenant_id', 16),
          fixedBytes('aaguid', 16),
          words('state', 10),
          text('caller'),
          words('reason', 200, { isNullable: true }),
          bytes('position', 32),
          whole('total'),
          whole('looked'),
          whole('disabled_keys'),
          whole('disabled_users'),
          whole('enabled_keys'),
          whole('enabled_users'),
        ],
        indices: [
          index('ix_model_jobs_state', 'state'),
          index('ix_model_jobs_model', 'aaguid', 'id'),
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('model_jobs');
  }
}
