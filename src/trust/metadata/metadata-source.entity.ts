import { Column, Entity, PrimaryColumn } from 'typeorm';
import {
  fixedBytes,
  LARGE_BYTES,
  TEXT,
  WHOLE,
  words,
} from '../../platform/database/entities/column-types.js';

/** Where metadata comes from, which BLOB was the last good one, and when to ask again. */
@Entity('metadata_sources')
export class MetadataSourceEntity {
  /** First half of the SHA-256 of the source's text in `--mds`. */
  @PrimaryColumn(fixedBytes(16))
  id!: Buffer;

  /** The source without passwords and tokens, for display. */
  @Column(TEXT)
  source!: string;

  /** SHA-256 of the last good BLOB; zeros where there is none. */
  @Column(fixedBytes(32))
  digest!: Buffer;

  /** The BLOB's own number. */
  @Column(WHOLE)
  no!: number;

  @Column(WHOLE)
  nextUpdate!: number;

  @Column(WHOLE)
  takenAt!: number;

  @Column(words(255))
  etag!: string;

  @Column(WHOLE)
  dueAt!: number;

  @Column(WHOLE)
  checkedAt!: number;

  @Column(WHOLE)
  failures!: number;

  /** Why the last attempt failed; empty when it did not. */
  @Column(words(255))
  error!: string;
}

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
