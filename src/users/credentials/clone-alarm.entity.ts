import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { fixedBytes } from '../../platform/database/entities/column-types.js';
import { KeyedByRelyingParty } from '../../platform/database/scope.js';
import { RelyingPartyEntity } from '../../tenancy/relying-party.entity.js';

/**
 * The last alarm about a key that may have been copied. Events are deleted one day, and are not searched for a kind: so
 * the finding needs this row. It stays when the key is deleted, since a restored key may have been copied too.
 */
@Entity('clone_alarms')
export class CloneAlarm extends KeyedByRelyingParty {
  /** SHA-256 of the credential ID. */
  @PrimaryColumn(fixedBytes(32))
  credentialHash!: Buffer;

  @ManyToOne(() => RelyingPartyEntity, { onDelete: 'CASCADE' })
  @JoinColumn({
    name: 'relying_party_id',
    foreignKeyConstraintName: 'fk_clone_alarms_relying_party',
  })
  relyingParty?: RelyingPartyEntity;

  /** ID of the event. */
  @Column(fixedBytes(16))
  alarm!: Buffer;
}
