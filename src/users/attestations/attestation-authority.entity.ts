import { Column, Entity, PrimaryColumn } from 'typeorm';
import { LARGE_BYTES, fixedBytes } from '../../platform/database/entities/column-types.js';

/**
 * A certificate that issued the certificates of many credentials: public, of no relying party, and never
 * deleted. Only certificates on a path to a trust anchor are stored, so that nobody can fill the table.
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
