import { TableColumn } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Flags of the authenticator data at the registration. Unknown for credentials that were registered earlier.
 */
export class AddRegistrationFlags1764100000031 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const column = { name: 'registration_flags', type: 'integer', isNullable: true };
    await queryRunner.addColumn('credentials', new TableColumn(column));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('credentials', 'registration_flags');
  }
}
