import { getMetadataArgsStorage } from 'typeorm';
import { SnakeColumns } from './snake-columns.js';

/** Properties of an entity that are columns: relations are optional. */
type ColumnOf<E> = {
  [K in keyof E & string]-?: undefined extends E[K] ? never : K;
}[keyof E & string];

const naming = new SnakeColumns();

/**
 * An entity's table for statements in SQL. Its names come from the decorators' metadata when a file
 * with statements is loaded, and one that the entity does not have does not compile.
 */
export class Table<E extends object> {
  /** Behind FROM or JOIN: `users u`. */
  readonly from: string;
  /** By the entity's names: `u.display_name` for `displayName`. */
  readonly col: Readonly<Record<ColumnOf<E>, string>>;

  constructor(
    private readonly entity: new () => E,
    alias?: string,
  ) {
    const [table] = getMetadataArgsStorage().filterTables(entity);
    if (!table?.name) throw new Error(`${entity.name} is no entity.`);
    this.from = alias === undefined ? table.name : `${table.name} ${alias}`;
    const prefix = alias === undefined ? '' : `${alias}.`;
    const named = this.columns.map(({ propertyName: name }) => [
      name,
      prefix + naming.columnName(name, undefined),
    ]);
    this.col = Object.fromEntries(named) as Record<ColumnOf<E>, string>;
  }

  /** `u.id, u.display_name AS displayName`: rows then have the entity's names. */
  select(...names: readonly ColumnOf<E>[]): string {
    const isSame = (name: ColumnOf<E>) => this.col[name].split('.').at(-1) === name;
    return names
      .map((name) => (isSame(name) ? this.col[name] : `${this.col[name]} AS ${name}`))
      .join(', ');
  }

  /** `id, display_name`: the columns of an INSERT. */
  list(...names: readonly ColumnOf<E>[]): string {
    return names.map((name) => this.col[name]).join(', ');
  }

  /**
   * Of one relying party, which `scopeParams` names. Where a table came to the tenant late, instances
   * of the version before write rows without one: of these the relying party tells it.
   */
  get scope(): string {
    const { relyingPartyId, tenantId } = this.col as Partial<Record<string, string>>;
    if (!relyingPartyId || !tenantId) throw new Error(`${this.entity.name} is not scoped.`);
    const late = this.columns.find(({ propertyName }) => propertyName === 'tenantId')?.options
      .nullable;
    const ofTenant = late ? `(${tenantId} = ? OR ${tenantId} IS NULL)` : `${tenantId} = ?`;
    return `${relyingPartyId} = ? AND ${ofTenant}`;
  }

  private get columns() {
    return getMetadataArgsStorage().filterColumns(this.entity);
  }
}
