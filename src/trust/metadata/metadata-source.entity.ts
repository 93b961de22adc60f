import { Column, Entity, PrimaryColumn } from 'typeorm';
import {
  fixedBytes,
  LARGE_BYTES,
  TEXT,
  WHOLE,
  words,
} from '../../platform/database/entities/column-types.js';
import { FetchedSource } from '../fetched-source.js';

/** A source of metadata (`--mds`) or of `--android-revocations`, and its last good BLOB or list. */
@Entity('metadata_sources')
export class MetadataSourceEntity extends FetchedSource {
  /** The source without passwords and tokens, for display. */
  @Column(TEXT)
  source!: string;

  /** The BLOB's own number; of a list, when it was made, in ms since 1970. */
  @Column(WHOLE)
  no!: number;

  @Column(WHOLE)
  nextUpdate!: number;

  @Column(WHOLE)
  takenAt!: number;

  @Column(words(255))
  etag!: string;

  /** JSON, compressed: the last known entries of models whose entries in the BLOB cannot be read. Read on demand. */
  @Column({ ...LARGE_BYTES, nullable: true, select: false })
  lastKnown?: Buffer | null;
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
