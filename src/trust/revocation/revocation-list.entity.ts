import { Column, Entity, PrimaryColumn } from 'typeorm';
import {
  LARGE_BYTES,
  TEXT,
  WHOLE,
  fixedBytes,
  words,
} from '../../database/entities/column-types.js';

/** Where an authority lists what it has revoked, the last good list, and when to ask again. */
@Entity('revocation_lists')
export class RevocationListEntity {
  /** From the SHA-256 of the address and the authority. */
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

  /** DER. */
  @Column({ ...LARGE_BYTES, nullable: true })
  list!: Buffer | null;

  /** When it was made, as it says itself. */
  @Column(WHOLE)
  thisUpdate!: number;

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
