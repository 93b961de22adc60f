import { Table, type MigrationInterface, type QueryRunner } from 'typeorm';
import { TEXT, WHOLE, fixedBytes } from '../entities/column-types.js';
import { column, columnFor } from './table-parts.js';

/** Registrations with an `Idempotency-Key`. */
export class AddRepeatableRegistrations1764300005310 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const columns = [
      column('tenant_id', fixedBytes(16)),
      column('relying_party_id', fixedBytes(16)),
      column('call_hash', fixedBytes(32), { isPrimary: true }),
      column('body_hash', fixedBytes(32)),
      column('user_id', fixedBytes(16)),
      column('answer', TEXT),
      column('expires_at', WHOLE),
    ];
    await queryRunner.createTable(
      new Table({
        name: 'repeatable_registrations',
        columns: columns.map((one) => columnFor(queryRunner, one)),
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('repeatable_registrations');
  }
}
