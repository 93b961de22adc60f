/** The relying party whose rows are asked for. */
export interface ScopeOwner {
  readonly id: Buffer;
  readonly tenantId: Buffer;
}

/**
 * The relying party and tenant of rows: a condition for every query of a scoped table, and the first columns
 * of its new rows. In SQL statements, `Table.scope` does the same.
 */
export const scope = ({ id, tenantId }: ScopeOwner) => ({ relyingPartyId: id, tenantId });

/** The parameters of `Table.scope`. */
export const scopeParams = (rp: ScopeOwner): readonly [Buffer, Buffer] => [rp.id, rp.tenantId];
