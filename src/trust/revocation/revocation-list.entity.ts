import { Column, Entity, PrimaryColumn } from 'typeorm';
import {
  LARGE_BYTES,
  TEXT,
  WHOLE,
  fixedBytes,
  words,
} from '../../platform/database/entities/column-types.js';

/** A place where an authority publishes its revocation list, the last good list, and when to ask again. */
@Entity('revocation_lists')
export class RevocationListEntity {
  /** First half of the SHA-256 of the address and the authority's certificate. */
  @PrimaryColumn(fixedBytes(16))
  id!: Buffer;

  @Column(TEXT)
  address!: string;

  /** Certificate of the authority, DER. */
  @Column(LARGE_BYTES)
  issuer!: Buffer;

  /** SHA-256 of the last good list; zeros where there is none. */
  @Column(fixedBytes(32))
  digest!: Buffer;

  /** The last good list, DER. */
  @Column({ ...LARGE_BYTES, nullable: true })
  list!: Buffer | null;

  /** When the list was issued, as it says itself; ms since 1970. */
  @Column(WHOLE)
  thisUpdate!: number;

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
