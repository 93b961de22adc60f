import { Column, Entity, PrimaryColumn } from 'typeorm';
import { FLAG, LARGE_BYTES, fixedBytes } from '../../../platform/database/entities/column-types.js';

/** The basis that the keys of a relying party are evaluated against, and how far the evaluation has come. */
@Entity('judgements')
export class Judgement {
  @PrimaryColumn(fixedBytes(16))
  relyingPartyId!: Buffer;

  @Column(fixedBytes(16))
  tenantId!: Buffer;

  /** SHA-256 of everything that decides about a key, from `EvaluationBasis`. */
  @Column(fixedBytes(32))
  basis!: Buffer;

  /**
   * SHA-256 of the credential ID that was evaluated last; keys are evaluated in the order of these hashes.
   */
  @Column(fixedBytes(32))
  position!: Buffer;

  @Column(FLAG)
  done!: boolean;

  /**
   * What all keys have certainly been evaluated against, in the form of `writeBasis`; `null` where that is
   * unknown.
   */
  @Column({ ...LARGE_BYTES, nullable: true })
  held!: Buffer | null;

  /** AAGUIDs of the models whose keys are left, concatenated; the first is under way. */
  @Column({ ...LARGE_BYTES, nullable: true })
  todo!: Buffer | null;
}
