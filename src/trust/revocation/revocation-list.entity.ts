import { Column, Entity } from 'typeorm';
import { LARGE_BYTES, TEXT, WHOLE } from '../../platform/database/entities/column-types.js';
import { FetchedSource } from '../fetched-source.js';

/** A place at which an authority publishes its revocation list, and the last good list. */
@Entity('revocation_lists')
export class RevocationListEntity extends FetchedSource {
  @Column(TEXT)
  address!: string;

  /** Certificate of the authority, DER. */
  @Column(LARGE_BYTES)
  issuer!: Buffer;

  /** The last good list, DER. Rows are read without it. */
  @Column({ ...LARGE_BYTES, nullable: true, select: false })
  list!: Buffer | null;

  /** When the list was issued, by its own statement; ms since 1970. */
  @Column(WHOLE)
  thisUpdate!: number;
}
