import { Column, PrimaryColumn } from 'typeorm';
import { fixedBytes } from './entities/column-types.js';

/** The relying party whose rows are read or written. */
export interface ScopeOwner {
  readonly id: Buffer;
  readonly tenantId: Buffer;
}

export interface Scope {
  readonly relyingPartyId: Buffer;
  readonly tenantId: Buffer;
}

/**
 * The relying party and tenant of rows: a condition for every query of a scoped table, and columns of its new
 * rows.
 */
export const scope = ({ id, tenantId }: ScopeOwner): Scope => ({ relyingPartyId: id, tenantId });

/** Columns of the rows of one relying party: see `scope`. */
export abstract class ScopedColumns {
  @Column(fixedBytes(16))
  tenantId!: Buffer;

  @Column(fixedBytes(16))
  relyingPartyId!: Buffer;
}

/** The same columns for tables whose primary key begins with the relying party. */
export abstract class KeyedByRelyingParty {
  @PrimaryColumn(fixedBytes(16))
  relyingPartyId!: Buffer;

  @Column(fixedBytes(16))
  tenantId!: Buffer;
}
