import { Column, Entity, PrimaryColumn } from 'typeorm';
import { LARGE_BYTES, fixedBytes } from '../../database/entities/column-types.js';

/**
 * A certificate that vouches for many credentials' own: public, of no relying party, and kept for good.
 * Only what led to a trust anchor is taken, so that nobody can fill the table.
 */
@Entity('attestation_authorities')
export class AttestationAuthority {
  /** SHA-256 of the certificate. */
  @PrimaryColumn(fixedBytes(32))
  hash!: Buffer;

  /** DER. */
  @Column(LARGE_BYTES)
  certificate!: Buffer;
}
