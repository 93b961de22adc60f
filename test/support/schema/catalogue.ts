import type { DataSource } from 'typeorm';

/**
 * The tables according to the database's own catalogue: a line for each column, key, index and foreign key, beginning
 * with the table's name. The order of columns counts for nothing, since each statement names its columns; a column
 * that a base class got later cannot be the last of each table.
 */
export async function catalogueOf(dataSource: DataSource): Promise<string[]> {
  const read = dataSource.options.type === 'mysql' ? readMysql : readSqlite;
  return (await read(dataSource)).filter((line) => !NO_ENTITY.test(line)).sort();
}

/** TypeORM's record of the migrations, and what SQLite keeps for itself. */
const NO_ENTITY = /^(?:migrations|sqlite_\w+) /;

/** SQLite keeps the statements that made things. */
async function readSqlite(dataSource: DataSource): Promise<string[]> {
  const rows = await dataSource.query<{ table: string; sql: string }[]>(
    `SELECT tbl_name AS "table", sql FROM sqlite_master WHERE sql IS NOT NULL`,
  );
  return rows.flatMap(({ table, sql }) => partsOf(sql).map((part) => `${table} ${inSqlite(part)}`));
}

/** Splits the statement of a table into its columns and constraints; that of an index stays whole. */
const partsOf = (sql: string): string[] => {
  const [, parts] = /^CREATE TABLE "\w+" \((.*)\)/s.exec(sql) ?? [];
  return parts?.split(/, (?=CONSTRAINT|"\w+" [a-z])/) ?? [sql];
};

/** SQLite stores texts of any length in any column, and NO ACTION is its default. */
const inSqlite = (part: string): string =>
  part
    .trimEnd()
    .replace(/(varchar)\(\d+\)/, '$1')
    .replace(' ON UPDATE NO ACTION', '');

async function readMysql(dataSource: DataSource): Promise<string[]> {
  const lines = await Promise.all(MYSQL.map((sql) => dataSource.query<{ line: string }[]>(sql)));
  return lines.flat().map(({ line }) => line);
}

/** The width of an INT is only how a client may show it. */
const MYSQL = [
  `SELECT CONCAT_WS(' ', table_name, 'column', column_name,
     REGEXP_REPLACE(column_type, 'int\\\\([0-9]+\\\\)', 'int'), IF(is_nullable = 'YES', 'NULL', 'NOT NULL'),
     'DEFAULT', COALESCE(column_default, 'NULL'), collation_name, extra) AS line
   FROM information_schema.columns WHERE table_schema = DATABASE()`,
  `SELECT CONCAT_WS(' ', table_name, 'index', index_name, IF(non_unique, 'plain', 'unique'),
     index_type, GROUP_CONCAT(column_name ORDER BY seq_in_index)) AS line
   FROM information_schema.statistics WHERE table_schema = DATABASE()
   GROUP BY table_name, index_name, non_unique, index_type`,
  `SELECT CONCAT_WS(' ', k.table_name, 'key', k.constraint_name, k.column_name,
     k.referenced_table_name, k.referenced_column_name, r.delete_rule, r.update_rule) AS line
   FROM information_schema.key_column_usage k
   JOIN information_schema.referential_constraints r
     ON r.constraint_schema = k.table_schema AND r.constraint_name = k.constraint_name
   WHERE k.table_schema = DATABASE()`,
];
