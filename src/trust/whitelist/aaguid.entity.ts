import { Column, Entity, PrimaryColumn } from 'typeorm';
import { WHOLE, fixedBytes, words } from '../../platform/database/entities/column-types.js';

/** A model on the whitelist. The row of a removed model stays, so that seeding does not bring the model back. */
@Entity('aaguids')
export class AaguidEntity {
  @PrimaryColumn(fixedBytes(16))
  aaguid!: Buffer;

  @Column(words(255))
  name!: string;

  @Column(WHOLE)
  addedAt!: number;

  @Column(words(255))
  addedBy!: string;

  /** Milliseconds since 1970; 0 while the model is listed. */
  @Column(WHOLE)
  removedAt!: number;
}
