/** A relying party, whose rows are asked for. */
export interface ScopeOwner {
  readonly id: Buffer;
  readonly tenantId: Buffer;
}

/**
 * Whose rows these are: the condition of whatever is asked of a scoped table, and what each of its
 * new rows begins with. In a statement, `Table.scope` stands for it.
 */
export const scope = ({ id, tenantId }: ScopeOwner) => ({ relyingPartyId: id, tenantId });

/** The parameters of `Table.scope`. */
export const scopeParams = (rp: ScopeOwner): readonly [Buffer, Buffer] => [rp.id, rp.tenantId];
