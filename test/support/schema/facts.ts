import type { DataSource } from 'typeorm';

/**
 * The schema as the database's catalogue reports it, and the rows of each table: a block of lines for each
 * table, its columns in their order. Unlike `catalogueOf`, it leaves nothing out.
 */
export async function schemaFacts(source: DataSource): Promise<string> {
  const read = source.options.type === 'mysql' ? readMysql : readSqlite;
  const blocks: string[] = [];
  for (const [table, lines] of await read(source)) {
    const rows = await source.query<object[]>(`SELECT * FROM ${table}`);
    const all = [...lines, ...rows.map((row) => `row ${JSON.stringify(row)}`)];
    blocks.push([table, ...all.map((line) => `  ${line}`), ''].join('\n'));
  }
  return blocks.join('\n');
}

type Tables = ReadonlyMap<string, readonly string[]>;
type Facts = Readonly<Record<string, string | number | null>>;

async function readSqlite(source: DataSource): Promise<Tables> {
  const query = (sql: string) => source.query<Facts[]>(sql);
  const tables = new Map<string, string[]>();
  for (const { name, sql, ...table } of await query(SQLITE_TABLES)) {
    const lines = [`table ${named(table)}`];
    for (const column of await query(`PRAGMA table_xinfo("${name}")`)) {
      const facts = named(column, 'cid', 'name', 'type');
      lines.push(`column ${column['name']} ${column['type']} ${facts}`);
    }
    for (const found of await query(`PRAGMA index_list("${name}")`)) {
      const index = found['name'];
      const columns = await query(`PRAGMA index_xinfo("${index}")`);
      const all = columns.map(
        ({ name: column, coll, desc, key }) =>
          `${column ?? 'rowid'} ${coll}${desc ? ' DESC' : ''}${key ? '' : ' (carried)'}`,
      );
      lines.push(`index ${index} on ${all.join(', ')} ${named(found, 'seq', 'name')}`);
    }
    for (const key of await query(`PRAGMA foreign_key_list("${name}")`)) {
      lines.push(`foreign key ${named(key)}`);
    }
    // The catalogue has no names of constraints and no checks: only the statement has them.
    const found = String(sql).matchAll(/CONSTRAINT "\w+" \w+|CHECK ?\(.*|AUTOINCREMENT/g);
    lines.push(...[...found].map(([text]) => text).sort());
    tables.set(String(name), lines);
  }
  return tables;
}

const SQLITE_TABLES = `SELECT l.name, m.sql, l.wr AS without_rowid, l.strict
  FROM pragma_table_list l JOIN sqlite_master m ON m.type = 'table' AND m.name = l.name
  WHERE l.name NOT LIKE 'sqlite_%' AND l.name <> 'migrations' ORDER BY l.name`;

async function readMysql(source: DataSource): Promise<Tables> {
  const tables = new Map<string, string[]>();
  for (const [kind, sql] of Object.entries(MYSQL)) {
    for (const { table, name, type, ...more } of await source.query<Facts[]>(sql)) {
      if (table === 'migrations') continue;
      const lines = tables.get(String(table)) ?? [];
      tables.set(String(table), lines);
      lines.push([kind, name, type, named(more)].filter(Boolean).join(' '));
    }
  }
  return tables;
}

/** The facts that are set, by their names. */
const named = (facts: Facts, ...without: readonly string[]): string =>
  Object.entries(facts)
    .filter(([name, value]) => value !== null && value !== '' && !without.includes(name))
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');

const MYSQL = {
  table: `SELECT table_name AS "table", engine, row_format
    FROM information_schema.tables WHERE table_schema = DATABASE() ORDER BY table_name`,
  column: `SELECT table_name AS "table", column_name AS name, column_type AS type, is_nullable AS nullable,
      column_default AS "default", character_set_name AS charset, collation_name AS collation, extra,
      generation_expression AS "generated"
    FROM information_schema.columns WHERE table_schema = DATABASE()
    ORDER BY table_name, ordinal_position`,
  index: `SELECT table_name AS "table", index_name AS name, index_type AS type, non_unique,
      GROUP_CONCAT(CONCAT_WS(' ', column_name, collation, sub_part) ORDER BY seq_in_index) AS columns
    FROM information_schema.statistics WHERE table_schema = DATABASE()
    GROUP BY table_name, index_name, index_type, non_unique ORDER BY table_name, index_name`,
  'foreign key': `SELECT k.table_name AS "table", k.constraint_name AS name,
      CONCAT_WS(' ', k.column_name, 'to', k.referenced_table_name, k.referenced_column_name) AS type,
      k.ordinal_position AS "column", r.update_rule AS on_update, r.delete_rule AS on_delete
    FROM information_schema.key_column_usage k
    JOIN information_schema.referential_constraints r ON r.constraint_schema = k.table_schema
      AND r.table_name = k.table_name AND r.constraint_name = k.constraint_name
    WHERE k.table_schema = DATABASE()
    ORDER BY k.table_name, k.constraint_name, k.ordinal_position`,
  check: `SELECT t.table_name AS "table", c.constraint_name AS name, c.check_clause AS type
    FROM information_schema.check_constraints c
    JOIN information_schema.table_constraints t ON t.constraint_schema = c.constraint_schema
      AND t.constraint_type = 'CHECK' AND t.constraint_name = c.constraint_name
    WHERE c.constraint_schema = DATABASE() ORDER BY t.table_name, c.constraint_name`,
};
