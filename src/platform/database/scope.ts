/** The relying party whose rows are read or written. */
export interface ScopeOwner {
  readonly id: Buffer;
  readonly tenantId: Buffer;
}

/** The parameters of `Table.scope`. */
export interface Scope {
  readonly relyingPartyId: Buffer;
  readonly tenantId: Buffer;
}

/**
 * The relying party and tenant of rows: a condition for every query of a scoped table, and columns of its new
 * rows.
 */
export const scope = ({ id, tenantId }: ScopeOwner): Scope => ({ relyingPartyId: id, tenantId });
