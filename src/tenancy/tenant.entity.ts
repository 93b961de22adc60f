import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';
import { WHOLE, fixedBytes, words } from '../platform/database/entities/column-types.js';

/** A customer; owns relying parties. */
@Entity('tenants')
@Unique('uq_tenants_name', ['name', 'closedAt'])
export class Tenant {
  @PrimaryColumn(fixedBytes(16))
  id!: Buffer;

  @Column(words(64))
  name!: string;

  @Column(words(255))
  displayName!: string;

  @Column(WHOLE)
  createdAt!: number;

  @Column(WHOLE)
  changedAt!: number;

  /** 0 while open. */
  @Column({ ...WHOLE, default: 0 })
  closedAt!: number;
}
