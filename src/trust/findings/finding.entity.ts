import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { Credential } from '../../users/credentials/credential.entity.js';
import {
  fixedBytes,
  FLAG,
  LARGE_BYTES,
  WHOLE,
  words,
} from '../../platform/database/entities/column-types.js';
import { KeyedByRelyingParty, ScopedColumns } from '../../platform/database/scope.js';
import type { Code } from '../../platform/errors/catalogue.js';
import type { FindingAction } from '../../tenancy/policy/policy.js';

/**
 * A key whose registration would be refused today, or that its user reported. The row exists only as long as this is
 * true.
 */
@Entity('findings')
@Index('ix_findings_relying_party', ['relyingPartyId', 'id'])
@Index('ix_findings_rule', ['relyingPartyId', 'rule', 'id'])
export class Finding extends ScopedColumns {
  /** ID of the credential's row. */
  @PrimaryColumn(fixedBytes(16))
  id!: Buffer;

  @ManyToOne(() => Credential, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'id', foreignKeyConstraintName: 'fk_findings_credential' })
  credential?: Credential;

  /** The policy rule that the key breaks; `reported` if its user reported it. */
  @Column(words(32))
  rule!: string;

  /** The error code with which a registration would be refused; of a reported key, a sign-in. */
  @Column(words(8))
  code!: Code;

  @Column(words(32))
  action!: FindingAction;

  @Column(WHOLE)
  foundAt!: number;
}

/** The basis for the evaluation of a relying party's keys, and the progress of the evaluation. */
@Entity('judgements')
export class EvaluationProgress extends KeyedByRelyingParty {
  /** SHA-256 of everything that the evaluation depends on, from `EvaluationBasis`. */
  @Column({ ...fixedBytes(32), name: 'basis' })
  basisDigest!: Buffer;

  /** SHA-256 of the credential ID that was evaluated last; keys are evaluated in the order of these hashes. */
  @Column(fixedBytes(32))
  position!: Buffer;

  @Column(FLAG)
  done!: boolean;

  /**
   * The basis against which all keys have certainly been evaluated, in the form of `writeBasis`; `null` if
   * unknown.
   */
  @Column({ ...LARGE_BYTES, name: 'held', nullable: true })
  completedBasis!: Buffer | null;

  /** AAGUIDs of the remaining models, concatenated; the first is in progress. */
  @Column({ ...LARGE_BYTES, name: 'todo', nullable: true })
  remainingModels!: Buffer | null;
}
