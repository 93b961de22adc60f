import type { MigrationInterface, QueryRunner } from 'typeorm';

const [TABLE, COLUMN] = ['credentials', 'backup_eligible'];

/** Lets backup eligibility be unknown: not every server stores it, and then the first sign-in tells it. */
export class UnknownBackupEligibility1764000000044 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await allowNull(queryRunner, true);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`UPDATE ${TABLE} SET ${COLUMN} = 0 WHERE ${COLUMN} IS NULL`);
    await allowNull(queryRunner, false);
  }
}

/** MariaDB and MySQL change the column in place; SQLite can only create the table anew. */
async function allowNull(queryRunner: QueryRunner, isNullable: boolean): Promise<void> {
  if (queryRunner.connection.options.type === 'mysql') {
    const nullable = isNullable ? 'NULL' : 'NOT NULL';
    await queryRunner.query(`ALTER TABLE ${TABLE} MODIFY ${COLUMN} TINYINT(1) ${nullable}`);
    return;
  }
  const before = (await queryRunner.getTable(TABLE))?.findColumnByName(COLUMN);
  if (!before) throw new Error(`${TABLE} has no column ${COLUMN}.`);
  const after = before.clone();
  after.isNullable = isNullable;
  await queryRunner.changeColumn(TABLE, before, after);
}
