import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { RelyingPartyPolicy } from './policy.js';

/** A domain of a tenant, with what it allows. */
@Entity('relying_parties')
export class RelyingPartyEntity {
  @PrimaryColumn({ type: 'blob' })
  id!: Buffer;

  @Column({ name: 'tenant_id', type: 'blob' })
  tenantId!: Buffer;

  @Column({ type: 'varchar', length: 253 })
  domain!: string;

  @Column({ type: 'varchar', length: 255 })
  name!: string;

  @Column({ type: 'simple-json' })
  origins!: string[];

  @Column({ type: 'simple-json' })
  policy!: RelyingPartyPolicy;

  @Column({ name: 'created_at', type: 'bigint' })
  createdAt!: number;

  @Column({ name: 'changed_at', type: 'bigint' })
  changedAt!: number;

  /** 0 while open. */
  @Column({ name: 'closed_at', type: 'bigint' })
  closedAt!: number;
}
