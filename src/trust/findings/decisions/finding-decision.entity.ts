import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import {
  WHOLE,
  bytes,
  fixedBytes,
  words,
} from '../../../platform/database/entities/column-types.js';
import { KeyedByRelyingParty } from '../../../platform/database/scope.js';
import { RelyingPartyEntity } from '../../../tenancy/relying-party.entity.js';

/** A key that may have been copied, a model that the metadata refuses, or a rule that stored keys break. */
export const FINDING_KINDS = ['copied', 'model', 'rule'] as const;
export type FindingKind = (typeof FINDING_KINDS)[number];

/** What accounts decided about a finding at a relying party. The row stays when the finding ends. */
@Entity('finding_decisions')
export class FindingDecision extends KeyedByRelyingParty {
  @ManyToOne(() => RelyingPartyEntity, { onDelete: 'CASCADE' })
  @JoinColumn({
    name: 'relying_party_id',
    foreignKeyConstraintName: 'fk_finding_decisions_relying_party',
  })
  relyingParty?: RelyingPartyEntity;

  @PrimaryColumn(words(16))
  kind!: FindingKind;

  /** SHA-256 of the credential ID, an AAGUID, or the name of a rule. */
  @PrimaryColumn(bytes(32))
  subject!: Buffer;

  /** The account that takes care of it. */
  @Column({ ...words(255), nullable: true })
  assignedTo!: string | null;

  /** The account that accepted it. */
  @Column({ ...words(255), nullable: true })
  acceptedBy!: string | null;

  @Column({ ...words(200), nullable: true })
  reason!: string | null;

  /** Milliseconds since 1970, exclusive. */
  @Column({ ...WHOLE, nullable: true })
  acceptedUntil!: number | null;

  /** ID of the last alarm about a copied key that the account knew: a later one opens the finding again. */
  @Column({ ...fixedBytes(16), nullable: true })
  knownAlarm!: Buffer | null;
}
