import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { SMALL, WHOLE, fixedBytes, words } from '../../platform/database/entities/column-types.js';
import { RelyingPartyEntity } from '../../tenancy/relying-party.entity.js';

/** The share of a relying party's users who should have a key by a day. Without a row there is no target. */
@Entity('adoption_targets')
export class AdoptionTarget {
  @PrimaryColumn(fixedBytes(16))
  relyingPartyId!: Buffer;

  @Column(fixedBytes(16))
  tenantId!: Buffer;

  @ManyToOne(() => RelyingPartyEntity, { onDelete: 'CASCADE' })
  @JoinColumn({
    name: 'relying_party_id',
    foreignKeyConstraintName: 'fk_adoption_targets_relying_party',
  })
  relyingParty?: RelyingPartyEntity;

  /** In percent. */
  @Column(SMALL)
  share!: number;

  /** `YYYY-MM-DD` */
  @Column({ ...words(10), name: 'by_day' })
  by!: string;

  /** How many users the relying party will have; `null` if only its stored users count. */
  @Column({ ...SMALL, nullable: true })
  expectedUsers!: number | null;

  /** The version, too: each change makes it greater. */
  @Column(WHOLE)
  changedAt!: number;
}
