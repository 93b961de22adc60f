import { readFileSync } from 'node:fs';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { projectPath } from '../../project.js';
import { isMysql } from './table-parts.js';

const TABLE = /^CREATE TABLE ["`](\w+)["`]/;

/** The name of a record in `secrets`: no start has completed since the tables were created. */
export const CREATION_RECORD = 'new-database';

/**
 * The tables of version 1.0, and a record that says that they are new.
 *
 * MySQL and MariaDB commit each statement. If the process is killed, the next one creates the tables that are missing.
 */
export class Baseline1764300002000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const statements = statementsFor(queryRunner);
    const tables = await queryRunner.getTables(tablesOf(statements));
    const present = tables.map(({ name }) => name.split('.').at(-1));
    for (const statement of statements) {
      const [, table] = TABLE.exec(statement) ?? [];
      if (table === undefined || !present.includes(table)) await queryRunner.query(statement);
    }
    await queryRunner.query(
      `INSERT INTO directory_version (id, version)
         SELECT 1, 0 FROM (SELECT 1) AS one WHERE NOT EXISTS (SELECT * FROM directory_version)`,
    );
    // Where somebody has removed the history of the migrations, the server has made secrets.
    await queryRunner.query(
      `INSERT INTO secrets (name, value)
         SELECT '${CREATION_RECORD}', '' FROM (SELECT 1) AS one WHERE NOT EXISTS (SELECT * FROM secrets)`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    const tables = tablesOf(statementsFor(queryRunner));
    for (const table of tables.reverse()) await queryRunner.dropTable(table);
  }
}

/** Each table follows those that its foreign keys reference. */
function statementsFor(queryRunner: QueryRunner): string[] {
  const file = isMysql(queryRunner) ? 'mysql.sql' : 'sqlite.sql';
  const path = projectPath(`src/platform/database/migrations/baseline/${file}`);
  return readFileSync(path, 'utf8')
    .split(';\n')
    .map(onOneLine)
    .filter((statement) => statement !== '');
}

/** SQLite keeps the text of a statement, and version 1.0 wrote each on one line. */
const onOneLine = (statement: string): string =>
  statement
    .trim()
    .replace(/\(\n +/g, '(')
    .replace(/\n\)/g, ')')
    .replace(/\n +/g, ' ');

const tablesOf = (statements: readonly string[]): string[] =>
  statements.flatMap((statement) => TABLE.exec(statement)?.[1] ?? []);
