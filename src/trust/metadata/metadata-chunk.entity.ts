import { Column, Entity, PrimaryColumn } from 'typeorm';
import { LARGE_BYTES, WHOLE, fixedBytes } from '../../database/entities/column-types.js';

/** A part of a BLOB, compressed, that any server takes in one statement. */
@Entity('metadata_chunks')
export class MetadataChunk {
  /** SHA-256 of the BLOB. */
  @PrimaryColumn(fixedBytes(32))
  digest!: Buffer;

  @PrimaryColumn(WHOLE)
  part!: number;

  @Column(WHOLE)
  storedAt!: number;

  @Column(LARGE_BYTES)
  bytes!: Buffer;
}
