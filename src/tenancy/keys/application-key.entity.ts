import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import {
  JSON_TEXT,
  WHOLE,
  fixedBytes,
  words,
  type Json,
} from '../../platform/database/entities/column-types.js';
import type { KeyPermission } from '../../platform/access/permissions.js';
import { Tenant } from '../tenant.entity.js';

/** The maximum number of characters of an application key's name. */
export const MAX_APPLICATION_KEY_NAME = 64;

/** The key with which an application of a tenant calls the server; only the SHA-256 of the secret is stored. */
@Entity('application_keys')
@Index('ix_application_keys_prefix', ['prefix'])
@Index('ix_application_keys_tenant', ['tenantId'])
export class ApplicationKey {
  @PrimaryColumn(fixedBytes(16))
  id!: Buffer;

  @Column(fixedBytes(16))
  tenantId!: Buffer;

  @ManyToOne(() => Tenant, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'tenant_id', foreignKeyConstraintName: 'fk_application_keys_tenant' })
  tenant?: Tenant;

  @Column(words(MAX_APPLICATION_KEY_NAME))
  name!: string;

  /** The beginning of the secret, by which operators refer to the key. */
  @Column(words(16))
  prefix!: string;

  @Column({ ...fixedBytes(32), select: false })
  secretHash!: Buffer;

  @Column(JSON_TEXT)
  scopes!: Json<KeyPermission[]>;

  /** Row IDs of the relying parties, Base64URL; `null`: all of the tenant, including future ones. */
  @Column({ ...JSON_TEXT, nullable: true })
  relyingParties!: Json<string[]> | null;

  @Column(WHOLE)
  createdAt!: number;

  /** Name of the account. */
  @Column(words(255))
  createdBy!: string;

  @Column({ ...WHOLE, nullable: true })
  expiresAt!: number | null;

  /** Accurate to one minute. */
  @Column({ ...WHOLE, nullable: true })
  lastUsedAt!: number | null;

  @Column({ ...WHOLE, nullable: true })
  revokedAt!: number | null;

  /** When a restore suspended the key; `null` if it was issued after that, or confirmed. */
  @Column({ ...WHOLE, nullable: true })
  suspendedAt!: number | null;
}
