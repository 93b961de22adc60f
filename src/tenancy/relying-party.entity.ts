import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, Unique } from 'typeorm';
import {
  JSON_TEXT,
  SMALL,
  WHOLE,
  fixedBytes,
  words,
  type Json,
  type StoredAs,
} from '../platform/database/entities/column-types.js';
import { normalizeOrigins } from '../platform/validation/values/domain.js';
import type { RelyingPartyPolicy } from './policy/policy.js';
import type { KeyShapes } from './key-survey/key-shapes.js';
import { Tenant } from './tenant.entity.js';
import { completeWellKnown, type WellKnown } from './well-known/well-known.js';

/** A domain of a tenant, with its origins and policy. */
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

  /** Earlier versions stored origins that no browser sends. */
  @Column({
    ...JSON_TEXT,
    transformer: { to: (origins: string[]) => origins, from: normalizeOrigins },
  })
  origins!: Json<string[]>;

  @Column(JSON_TEXT)
  policy!: Json<RelyingPartyPolicy>;

  @Column(WHOLE)
  createdAt!: number;

  @Column(WHOLE)
  changedAt!: number;

  /** 0 while open. */
  @Column({ ...WHOLE, default: 0 })
  closedAt!: number;

  /** The relying party's own page for invitations. */
  @Column({ ...words(500), nullable: true })
  enrolmentUrl!: string | null;

  /** The colour of the server's pages for its users, `#rrggbb`. */
  @Column({ ...words(7), nullable: true })
  colour!: string | null;

  /** Rows of earlier versions contain `null`, or not all members. */
  @Column({
    ...JSON_TEXT,
    nullable: true,
    transformer: { to: (published: WellKnown) => published, from: completeWellKnown },
  })
  wellKnown!: WellKnown & StoredAs<string | null>;

  /** The domain whose users it takes over; of the same tenant. */
  @Column({ ...words(253), nullable: true })
  predecessor!: string | null;

  /** App origins that an account of all tenants has confirmed; `null` in rows that an instance of 1.0 makes. */
  @Column({ ...JSON_TEXT, nullable: true })
  confirmedApps!: Json<string[]> | null;

  /** Shapes of the keys that are made up for unknown users; `null` if none are. */
  @Column({ ...JSON_TEXT, nullable: true })
  keyShapes!: Json<KeyShapes[]> | null;

  /** 1 if the folded names of its users are unique; each name is then also stored folded. */
  @Column({ ...SMALL, default: 0 })
  foldsNames!: number;
}
