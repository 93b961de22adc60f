import { copyFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../../src/platform/database/data-source.js';
import { migrate } from '../../src/platform/database/migrate.js';
import { createDatabase, type DatabaseName, type TestDatabase } from './databases.js';

/** What the suites of a whole run share (`npm test`). */
const FOLDER = process.env['TEST_TEMPLATES'];

/**
 * A new database for a server that is about to start. In a whole run it is as the migrations leave it, a
 * copy of one that is migrated once for all suites: running all migrations takes longer than most tests.
 */
export async function createServerDatabase(name: DatabaseName): Promise<TestDatabase> {
  const database = await createDatabase(name);
  const template = await templateOf(name);
  if (template === undefined) return database;
  if (name === 'SQLite') copyFileSync(template, fileOf(database));
  else await run(database.url, readFileSync(template, 'utf8'));
  return database;
}

/** The same as a file, for a server that makes its own. Does nothing to a file that exists. */
export async function createServerFile(file: string): Promise<void> {
  const template = await templateOf('SQLite');
  if (template !== undefined && !existsSync(file)) copyFileSync(template, file);
}

async function templateOf(name: DatabaseName): Promise<string | undefined> {
  if (FOLDER === undefined) return undefined;
  const template = join(FOLDER, `${name}.template`);
  if (!existsSync(template)) await makeTemplate(name, template);
  return template;
}

const fileOf = ({ url }: TestDatabase) => url.slice('sqlite:'.length);

/** Where two workers make it at a time, the later one's takes its place, which is the same. */
async function makeTemplate(name: DatabaseName, template: string): Promise<void> {
  const database = await createDatabase(name);
  const dataSource = await new DataSource(dataSourceOptions(database.url)).initialize();
  await migrate(dataSource);
  await dataSource.destroy();
  const made = `${template}.${process.pid}`;
  if (name === 'SQLite') copyFileSync(fileOf(database), made);
  else writeFileSync(made, await dump(database.url));
  await database.remove();
  renameSync(made, template);
}

/** Statements that make the tables of a MariaDB and their rows once more. */
async function dump(url: string): Promise<string> {
  const connection = await createConnection(url);
  const [tables] = await connection.query<RowDataPacket[]>('SHOW TABLES');
  const statements = ['SET FOREIGN_KEY_CHECKS = 0'];
  for (const table of tables.map((row) => String(Object.values(row)[0]))) {
    const [[made]] = await connection.query<RowDataPacket[]>('SHOW CREATE TABLE ??', [table]);
    const [rows] = await connection.query<RowDataPacket[]>('SELECT * FROM ??', [table]);
    statements.push(String(made?.['Create Table']));
    if (rows.length === 0) continue;
    const values = rows.map((row) => Object.values(row) as unknown[]);
    statements.push(connection.format('INSERT INTO ?? VALUES ?', [table, values]));
  }
  await connection.end();
  return statements.join(';\n');
}

async function run(url: string, statements: string): Promise<void> {
  const connection = await createConnection({ uri: url, multipleStatements: true });
  await connection.query(statements);
  await connection.end();
}
