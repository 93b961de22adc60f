import { getMetadataArgsStorage, DefaultNamingStrategy } from 'typeorm';
import type { StoredAs } from './column-types.js';

/**
 * The database's kind decides how bytes are stored: `VARBINARY` on MySQL and MariaDB, since
 * `utf8mb4_bin` treats 'a' and 'a ' as equal, and `BLOB` on SQLite. Both compare byte for byte.
 */
export type DatabaseKind = 'sqlite' | 'mysql';

/** Maps `tenantId` of an entity to the column `tenant_id`. */
export class SnakeColumns extends DefaultNamingStrategy {
  override columnName(property: string, given: string | undefined): string {
    return given ?? property.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  }
}

/** Properties of an entity that are columns; optional properties are excluded, since they are relations. */
type ColumnOf<E> = {
  [K in keyof E & string]-?: undefined extends E[K] ? never : K;
}[keyof E & string];

const naming = new SnakeColumns();

declare const TYPE: unique symbol;

/** A text in SQL, with the type of its value in rows. */
export type Expression<T> = string & { readonly [TYPE]: T };

/** An expression that is not a column. Nothing checks its type. */
export const computed = <T>(text: string) => text as Expression<T>;

/** A column of a table after LEFT JOIN, of which there may be no row. */
export const orNull = <T>(column: Expression<T>): Expression<T | null> => column;

/** All columns of a table after LEFT JOIN: `orNullAll(key.pick('id', 'deviceName'))`. */
export const orNullAll = <Row>(columns: {
  readonly [Name in keyof Row]: Expression<Row[Name]>;
}): { readonly [Name in keyof Row]: Expression<Row[Name] | null> } => columns;

/** `COUNT(*) AS n` */
export const COUNT = { n: computed<number>('COUNT(*)') };

/** The value of a property as drivers return it: TypeORM converts nothing in statements. */
type Stored<T> = T extends boolean ? number : T extends StoredAs<infer S> ? S : T;

/** Columns by property name: `u.display_name` for `displayName`. */
type Columns<E> = { readonly [Name in ColumnOf<E>]: Expression<Stored<E[Name]>> };

class TableName<E extends object> {
  /** The table for FROM or JOIN: `users u`. */
  readonly from: string;
  private readonly columns;

  constructor(
    private readonly entity: new () => E,
    private readonly alias?: string,
  ) {
    const [table] = getMetadataArgsStorage().filterTables(entity);
    if (!table?.name) throw new Error(`${entity.name} is no entity.`);
    this.from = alias === undefined ? table.name : `${table.name} ${alias}`;
    this.columns = getMetadataArgsStorage().filterColumns(familyOf(entity));
  }

  /** These columns by property name, for `select`: rows have the entity's property names. */
  pick<Name extends ColumnOf<E>>(...names: readonly Name[]): Pick<Columns<E>, Name> {
    const columns = names.map((name) => [name, this.columnOf(name)]);
    return Object.fromEntries(columns) as Pick<Columns<E>, Name>;
  }

  /** `u.id, u.display_name`, for example for the columns of an INSERT. */
  list(...names: readonly ColumnOf<E>[]): string {
    return names.map((name) => this.columnOf(name)).join(', ');
  }

  /**
   * Condition that limits rows to one relying party, with the parameters of `scope`. Tables whose tenant column was
   * added later have rows without a tenant, which earlier versions write; the relying party identifies the tenant of
   * these.
   */
  get scope(): string {
    const tenant = this.columns.find(({ propertyName }) => propertyName === 'tenantId');
    if (!tenant) throw new Error(`${this.entity.name} is not scoped.`);
    const rp = this.columnOf('relyingPartyId');
    const own = this.columnOf('tenantId');
    const isOwn = `${own} = :tenantId`;
    const ofTenant = tenant.options.nullable ? `(${isOwn} OR ${own} IS NULL)` : isOwn;
    return `${rp} = :relyingPartyId AND ${ofTenant}`;
  }

  /**
   * `scope` for statements that name rows by their IDs: SQLite does not use an index for this condition. It has no
   * statistics of its tables, and with an index that begins with the relying party it would read all of its rows. The
   * plus prevents that.
   */
  get scopeWithoutIndex(): string {
    return `+${this.scope}`;
  }

  /**
   * The table for FROM with a certain index: if two indexes fit, SQLite has no statistics to know which one leads to
   * fewer rows.
   */
  forceIndex(kind: DatabaseKind, index: string): string {
    return kind === 'sqlite'
      ? `${this.from} INDEXED BY ${index}`
      : `${this.from} FORCE INDEX (${index})`;
  }

  /** Every column, in the order of the entity's properties. */
  get names(): readonly ColumnOf<E>[] {
    return this.columns.map(({ propertyName }) => propertyName as ColumnOf<E>);
  }

  except<N extends ColumnOf<E>>(...names: readonly N[]): readonly Exclude<ColumnOf<E>, N>[] {
    const isOther = (name: ColumnOf<E>): name is Exclude<ColumnOf<E>, N> =>
      !(names as readonly string[]).includes(name);
    return this.names.filter(isOther);
  }

  /** The part after INSERT INTO for one row: `users (id, display_name) VALUES (:id, :displayName)`. */
  row(...names: readonly ColumnOf<E>[]): string {
    return `${this.from} (${this.list(...names)}) VALUES (${namedParameters(names)})`;
  }

  /** The same for many rows, from the parameter `rows`. */
  rows(...names: readonly ColumnOf<E>[]): string {
    return `${this.from} (${this.list(...names)}) VALUES :...rows[${namedParameters(names)}]`;
  }

  private columnOf(property: string): string {
    const column = this.nameOf(property);
    return this.alias === undefined ? column : `${this.alias}.${column}`;
  }

  private nameOf(property: string): string {
    const column = this.columns.find(({ propertyName }) => propertyName === property);
    return naming.columnName(property, column?.options.name);
  }
}

/** `:id, :displayName`: a parameter for each of these columns. */
export const namedParameters = (names: readonly string[]): string =>
  names.map((name) => `:${name}`).join(', ');

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

type Table<E extends object> = TableName<E> & Columns<E>;

/**
 * An entity's table for statements in SQL: `u.username` is its column, `u.from` the table. The names are read from
 * the decorators' metadata when a file with statements is loaded; a name that the entity does not have does not
 * compile.
 *
 * @throws if a column has the name of a member, such as `list`, which it would replace
 */
export function tableOf<E extends object>(entity: new () => E, alias?: string): Table<E> {
  const table = new TableName(entity, alias);
  const taken = table.names.find((name) => name in table);
  if (taken !== undefined)
    throw new Error(`${entity.name} has a column of a reserved name: ${taken}.`);
  return Object.assign(table, table.pick(...table.names));
}

export const forEachKind = <S>(
  statement: (kind: DatabaseKind) => S,
): Readonly<Record<DatabaseKind, S>> => ({
  sqlite: statement('sqlite'),
  mysql: statement('mysql'),
});

/** Equality for which NULL equals NULL. */
export const NULL_SAFE_EQUALS = { sqlite: 'IS', mysql: '<=>' } as const satisfies Record<
  DatabaseKind,
  string
>;
