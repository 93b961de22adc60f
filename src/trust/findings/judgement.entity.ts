import { Column, Entity, PrimaryColumn } from 'typeorm';
import { FLAG, LARGE_BYTES, fixedBytes } from '../../database/entities/column-types.js';

/** Against what the keys of a relying party were evaluated last, and how far that has come. */
@Entity('judgements')
export class Judgement {
  @PrimaryColumn(fixedBytes(16))
  relyingPartyId!: Buffer;

  @Column(fixedBytes(16))
  tenantId!: Buffer;

  /** SHA-256 of all that decides: `EvaluationBasis`. */
  @Column(fixedBytes(32))
  basis!: Buffer;

  /** SHA-256 of the last credential ID that was looked at: keys are taken in this order. */
  @Column(fixedBytes(32))
  position!: Buffer;

  @Column(FLAG)
  done!: boolean;

  /** What is sure to have been held against the keys: `basis.ts`. `null` where that was not kept. */
  @Column({ ...LARGE_BYTES, nullable: true })
  held!: Buffer | null;

  /** AAGUIDs of the models whose keys are left, one behind the other; the first is under way. */
  @Column({ ...LARGE_BYTES, nullable: true })
  todo!: Buffer | null;
}
