import { getMetadataArgsStorage } from 'typeorm';
import type { DatabaseKind } from '../columns.js';
import { SnakeColumns } from './snake-columns.js';

/** Properties of an entity that are columns; optional properties are left out, since those are relations. */
type ColumnOf<E> = {
  [K in keyof E & string]-?: undefined extends E[K] ? never : K;
}[keyof E & string];

const naming = new SnakeColumns();

/** Column names by property name: `u.display_name` for `displayName`. */
type Columns<E> = Readonly<Record<ColumnOf<E>, string>>;

/** The table of an entity: its name, its scope and lists of its columns. */
class TableName<E extends object> {
  /** What follows FROM or JOIN: `users u`. */
  readonly from: string;

  constructor(
    private readonly entity: new () => E,
    private readonly alias?: string,
  ) {
    const [table] = getMetadataArgsStorage().filterTables(entity);
    if (!table?.name) throw new Error(`${entity.name} is no entity.`);
    this.from = alias === undefined ? table.name : `${table.name} ${alias}`;
  }

  /** `u.id, u.display_name AS displayName`, so that rows have the entity's property names. */
  select(...names: readonly ColumnOf<E>[]): string {
    return names
      .map((name) => (isSame(name) ? this.columnOf(name) : `${this.columnOf(name)} AS ${name}`))
      .join(', ');
  }

  /** `u.id, u.display_name`, as for the columns of an INSERT. */
  list(...names: readonly ColumnOf<E>[]): string {
    return names.map((name) => this.columnOf(name)).join(', ');
  }

  /**
   * Condition that limits rows to one relying party, with parameters by `scopeParams`. Tables that got their
   * tenant column later have rows without a tenant, which earlier versions write; the relying party
   * identifies the tenant of these.
   */
  get scope(): string {
    const tenant = this.columns.find(({ propertyName }) => propertyName === 'tenantId');
    if (!tenant) throw new Error(`${this.entity.name} is not scoped.`);
    const [rp, own] = [this.columnOf('relyingPartyId'), this.columnOf('tenantId')];
    const ofTenant = tenant.options.nullable ? `(${own} = ? OR ${own} IS NULL)` : `${own} = ?`;
    return `${rp} = ? AND ${ofTenant}`;
  }

  /**
   * `scope` for statements that name rows by their IDs. The plus keeps SQLite, which has no statistics of its
   * tables, from using an index that begins with the relying party, by which it would read all of its rows.
   */
  get scopeOfIds(): string {
    return `+${this.scope}`;
  }

  /**
   * What follows FROM where a certain index is to be used: of two indexes that fit, SQLite has no statistics
   * to tell which one leads to fewer rows.
   */
  along(kind: DatabaseKind, index: string): string {
    return kind === 'sqlite'
      ? `${this.from} INDEXED BY ${index}`
      : `${this.from} FORCE INDEX (${index})`;
  }

  /** Every column, keyed by its property's name. */
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

/** A class and its base classes, whose columns it inherits. */
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

type Table<E extends object> = TableName<E> & Columns<E>;

/**
 * An entity's table for statements in SQL: `u.username` is its column, `u.from` the table. The names come
 * from the decorators' metadata when a file with statements is loaded; a name that the entity does not have
 * does not compile.
 */
export function tableOf<E extends object>(entity: new () => E, alias?: string): Table<E> {
  const table = new TableName(entity, alias);
  return Object.assign(table, table.named);
}

/** A statement whose text differs between the two kinds of database. */
export const eachKind = (
  statement: (kind: DatabaseKind) => string,
): Readonly<Record<DatabaseKind, string>> => ({
  sqlite: statement('sqlite'),
  mysql: statement('mysql'),
});
