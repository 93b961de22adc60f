import { getMetadataArgsStorage } from 'typeorm';
import type { DatabaseKind } from '../columns.js';
import { SnakeColumns } from './snake-columns.js';

/** Properties of an entity that are columns: relations are optional. */
type ColumnOf<E> = {
  [K in keyof E & string]-?: undefined extends E[K] ? never : K;
}[keyof E & string];

const naming = new SnakeColumns();

/** By the entity's names: `u.display_name` for `displayName`. */
type Columns<E> = Readonly<Record<ColumnOf<E>, string>>;

/** What can be said of an entity's table besides its columns. */
class TableName<E extends object> {
  /** Behind FROM or JOIN: `users u`. */
  readonly from: string;

  constructor(
    private readonly entity: new () => E,
    private readonly alias?: string,
  ) {
    const [table] = getMetadataArgsStorage().filterTables(entity);
    if (!table?.name) throw new Error(`${entity.name} is no entity.`);
    this.from = alias === undefined ? table.name : `${table.name} ${alias}`;
  }

  /** `u.id, u.display_name AS displayName`: rows then have the entity's names. */
  select(...names: readonly ColumnOf<E>[]): string {
    return names
      .map((name) => (isSame(name) ? this.columnOf(name) : `${this.columnOf(name)} AS ${name}`))
      .join(', ');
  }

  /** `u.id, u.display_name`, such as the columns of an INSERT. */
  list(...names: readonly ColumnOf<E>[]): string {
    return names.map((name) => this.columnOf(name)).join(', ');
  }

  /**
   * Of one relying party, which `scopeParams` names. Where a table came to the tenant late, instances
   * of the version before write rows without one: of these the relying party tells it.
   */
  get scope(): string {
    const tenant = this.columns.find(({ propertyName }) => propertyName === 'tenantId');
    if (!tenant) throw new Error(`${this.entity.name} is not scoped.`);
    const [rp, own] = [this.columnOf('relyingPartyId'), this.columnOf('tenantId')];
    const ofTenant = tenant.options.nullable ? `(${own} = ? OR ${own} IS NULL)` : `${own} = ?`;
    return `${rp} = ? AND ${ofTenant}`;
  }

  /**
   * The same where rows are named by their IDs. The plus is for SQLite, which has no figures of its tables
   * and else takes an index that begins with the relying party: it would read all that this one has.
   */
  get scopeOfIds(): string {
    return `+${this.scope}`;
  }

  /**
   * Behind FROM, for a part of an index: where two indexes lead to it, SQLite has no figures to tell which
   * of them is short.
   */
  along(kind: DatabaseKind, index: string): string {
    return kind === 'sqlite'
      ? `${this.from} INDEXED BY ${index}`
      : `${this.from} FORCE INDEX (${index})`;
  }

  /** Every column by its property's name. */
  get named(): Columns<E> {
    const names = this.columns.map(({ propertyName }) => [
      propertyName,
      this.columnOf(propertyName),
    ]);
    return Object.fromEntries(names) as Columns<E>;
  }

  private columnOf(property: string): string {
    const column = naming.columnName(property, undefined);
    return this.alias === undefined ? column : `${this.alias}.${column}`;
  }

  private get columns() {
    return getMetadataArgsStorage().filterColumns(familyOf(this.entity));
  }
}

/** A class, and those whose columns it has too. */
function familyOf(entity: object): (() => unknown)[] {
  const family: (() => unknown)[] = [];
  for (
    let one = entity as () => unknown;
    one !== Function.prototype;
    one = Object.getPrototypeOf(one) as () => unknown
  ) {
    family.push(one);
  }
  return family;
}

const isSame = (property: string): boolean => naming.columnName(property, undefined) === property;

export type Table<E extends object> = TableName<E> & Columns<E>;

/**
 * An entity's table for statements in SQL: `u.username` is its column, `u.from` the table. The names
 * come from the decorators' metadata when a file with statements is loaded, and one that the entity
 * does not have does not compile.
 */
export function tableOf<E extends object>(entity: new () => E, alias?: string): Table<E> {
  const table = new TableName(entity, alias);
  return Object.assign(table, table.named);
}

/** A statement that the two databases want in other words. */
export const eachKind = (
  statement: (kind: DatabaseKind) => string,
): Readonly<Record<DatabaseKind, string>> => ({
  sqlite: statement('sqlite'),
  mysql: statement('mysql'),
});
