import { getMetadataArgsStorage } from 'typeorm';

/** Names of the tables that have a column, by its property's name, as the loaded entities say. */
export const tablesWith = (property: string): string[] =>
  having(property)
    .map(({ name }) => String(name))
    .sort();

/** Names of the entities that have it. */
export const entitiesWith = (property: string): string[] =>
  having(property).map(({ target }) => (target as { readonly name: string }).name);

function having(property: string) {
  const { tables, columns } = getMetadataArgsStorage();
  const found = columns.filter(({ propertyName }) => propertyName === property);
  return tables.filter(({ target }) => found.some((column) => isOf(column.target, target)));
}

/** Columns may be those of a class that the entity extends. */
const isOf = (column: unknown, entity: unknown): boolean =>
  column === entity || (column as { isPrototypeOf(one: unknown): boolean }).isPrototypeOf(entity);

/** Whether a statement reads or writes a scoped table without saying of which relying party. */
export function isUnscoped(sql: string, tables: readonly string[]): boolean {
  const named = [...sql.matchAll(/\b(?:FROM|JOIN|INTO|UPDATE)\s+`?"?(\w+)/g)];
  if (!named.some(([, table]) => tables.includes(String(table)))) return false;
  const inserted = /^INSERT[^(]+\(([^)]*)\)/.exec(sql)?.[1];
  return inserted === undefined
    ? !/\brelying_party_id = \?/.test(sql)
    : !/\btenant_id\b/.test(inserted) || !/\brelying_party_id\b/.test(inserted);
}
