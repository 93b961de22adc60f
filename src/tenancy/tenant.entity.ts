import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A customer; owns relying parties. */
@Entity('tenants')
export class Tenant {
  @PrimaryColumn({ type: 'blob' })
  id!: Buffer;

  @Column({ type: 'varchar', length: 64 })
  name!: string;

  @Column({ name: 'display_name', type: 'varchar', length: 255 })
  displayName!: string;

  @Column({ name: 'created_at', type: 'bigint' })
  createdAt!: number;

  @Column({ name: 'changed_at', type: 'bigint' })
  changedAt!: number;

  /** 0 while open. */
  @Column({ name: 'closed_at', type: 'bigint' })
  closedAt!: number;
}
