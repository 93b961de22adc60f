import { Column, Entity, PrimaryColumn } from 'typeorm';
import { WHOLE, fixedBytes, words } from '../../database/entities/column-types.js';

/** A model on the whitelist. Its row stays when it is taken off, so that no seed brings it back. */
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

  /** 0 while listed. */
  @Column(WHOLE)
  removedAt!: number;
}
