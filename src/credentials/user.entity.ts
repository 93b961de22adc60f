import { Column, Entity, PrimaryColumn } from 'typeorm';
import { utf8Bytes } from '../database/columns.js';

/** A user of one relying party. */
@Entity('users')
export class User {
  @PrimaryColumn({ type: 'blob' })
  id!: Buffer;

  @Column({ name: 'tenant_id', type: 'blob' })
  tenantId!: Buffer;

  @Column({ name: 'relying_party_id', type: 'blob' })
  relyingPartyId!: Buffer;

  @Column({ type: 'blob', transformer: utf8Bytes })
  username!: string;

  @Column({ name: 'display_name', type: 'varchar', length: 255 })
  displayName!: string;

  /** WebAuthn's user.id. */
  @Column({ name: 'user_handle', type: 'blob' })
  userHandle!: Buffer;

  @Column({ name: 'created_at', type: 'bigint' })
  createdAt!: number;
}
