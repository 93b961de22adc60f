import { Column, PrimaryColumn } from 'typeorm';
import { fixedBytes } from './column-types.js';

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
