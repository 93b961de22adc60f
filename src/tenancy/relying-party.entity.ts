import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, Unique } from 'typeorm';
import {
  JSON_TEXT,
  SMALL,
  WHOLE,
  fixedBytes,
  words,
} from '../platform/database/entities/column-types.js';
import type { RelyingPartyPolicy } from './policy/policy.js';
import type { KeyShapes } from './unknown-users/key-shapes.js';
import { Tenant } from './tenant.entity.js';
import type { WellKnown } from './well-known/well-known.js';

/** A domain of a tenant, with what it allows. */
@Entity('relying_parties')
@Unique('uq_relying_parties_domain', ['domain', 'closedAt'])
@Index('ix_relying_parties_tenant', ['tenantId'])
export class RelyingPartyEntity {
  @PrimaryColumn(fixedBytes(16))
  id!: Buffer;

  @Column(fixedBytes(16))
  tenantId!: Buffer;

  @ManyToOne(() => Tenant, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'tenant_id', foreignKeyConstraintName: 'fk_relying_parties_tenant' })
  tenant?: Tenant;

  @Column(words(253))
  domain!: string;

  @Column(words(255))
  name!: string;

  @Column(JSON_TEXT)
  origins!: string[];

  @Column(JSON_TEXT)
  policy!: RelyingPartyPolicy;

  @Column(WHOLE)
  createdAt!: number;

  @Column(WHOLE)
  changedAt!: number;

  /** 0 while open. */
  @Column({ ...WHOLE, default: 0 })
  closedAt!: number;

  /** Its own page for invitations. */
  @Column({ ...words(500), nullable: true })
  enrolmentUrl!: string | null;

  /** The colour of our pages for its users, `#rrggbb`. */
  @Column({ ...words(7), nullable: true })
  colour!: string | null;

  /** `null` in rows of earlier versions, and where nothing is said. */
  @Column({ ...JSON_TEXT, nullable: true })
  wellKnown!: Partial<WellKnown> | null;

  /** The domain from which it takes its users over; of the same tenant. */
  @Column({ ...words(253), nullable: true })
  predecessor!: string | null;

  /** Shapes by which keys are made up for unknown users; `null` where that is not done. */
  @Column({ ...JSON_TEXT, nullable: true })
  keyShapes!: KeyShapes[] | null;

  /** 1 if the folded names of its users are unique; each name is then stored folded, too. */
  @Column({ ...SMALL, default: 0 })
  foldsNames!: number;
}
