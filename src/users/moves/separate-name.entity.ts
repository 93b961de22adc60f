import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { fixedBytes } from '../../platform/database/entities/column-types.js';
import { RelyingPartyEntity } from '../../tenancy/relying-party.entity.js';

/**
 * A user name of a new domain that belongs to another user than the same name at the old domain. It is kept
 * as hashes: it must outlive the user, and names no longer identify anybody after an erasure.
 */
@Entity('separate_names')
export class SeparateName {
  /** The relying party of the new domain. */
  @PrimaryColumn(fixedBytes(16))
  relyingPartyId!: Buffer;

  @ManyToOne(() => RelyingPartyEntity, { onDelete: 'CASCADE' })
  @JoinColumn({
    name: 'relying_party_id',
    foreignKeyConstraintName: 'fk_separate_names_relying_party',
  })
  relyingParty?: RelyingPartyEntity;

  /** SHA-256 of the folded name. */
  @PrimaryColumn(fixedBytes(32))
  foldedHash!: Buffer;

  /** SHA-256 of the name in NFC. */
  @PrimaryColumn(fixedBytes(32))
  nameHash!: Buffer;

  @Column(fixedBytes(16))
  tenantId!: Buffer;
}
