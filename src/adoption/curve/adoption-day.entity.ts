import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { SMALL, WHOLE } from '../../platform/database/entities/column-types.js';
import { KeyedByRelyingParty } from '../../platform/database/scope.js';
import { RelyingPartyEntity } from '../../tenancy/relying-party.entity.js';

/** The users of a relying party as they were last counted on a day. */
@Entity('adoption_days')
export class AdoptionDay extends KeyedByRelyingParty {
  /** Days since 1970, UTC. */
  @PrimaryColumn(SMALL)
  day!: number;

  @ManyToOne(() => RelyingPartyEntity, { onDelete: 'CASCADE' })
  @JoinColumn({
    name: 'relying_party_id',
    foreignKeyConstraintName: 'fk_adoption_days_relying_party',
  })
  relyingParty?: RelyingPartyEntity;

  @Column(WHOLE)
  users!: number;

  /** Users who had an enabled key. */
  @Column(WHOLE)
  withKey!: number;
}
