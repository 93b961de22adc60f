import { Column, Entity, PrimaryColumn } from 'typeorm';
import { LARGE_BYTES, WHOLE, fixedBytes } from '../../platform/database/entities/column-types.js';

/** A part of a compressed BLOB, small enough for one statement on any server. */
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
