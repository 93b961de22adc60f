import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TEXT, WHOLE, fixedBytes, words } from '../../database/entities/column-types.js';

/** Where metadata comes from, which BLOB was the last good one, and when to ask again. */
@Entity('metadata_sources')
export class MetadataSourceEntity {
  /** From the SHA-256 of what names the source. */
  @PrimaryColumn(fixedBytes(16))
  id!: Buffer;

  /** What may be shown of it. */
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

  /** What the last attempt failed of; empty when it did not. */
  @Column(words(255))
  error!: string;
}
