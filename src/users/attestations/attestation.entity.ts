import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import {
  bytes,
  fixedBytes,
  JSON_TEXT,
  LARGE_BYTES,
  words,
} from '../../platform/database/entities/column-types.js';
import { ScopedColumns } from '../../platform/database/entities/scoped-columns.js';
import { Credential } from '../credentials/credential.entity.js';
import type { Evidence } from './evidence.js';

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

/**
 * What the registration of a credential proved, so that it can be checked again when more is known. It is
 * written with the credential, never changed, and deleted with it; no sign-in reads it. A registration
 * without attestation has no row.
 */
@Entity('attestations')
export class Attestation extends ScopedColumns {
  /** ID of the credential's row. */
  @PrimaryColumn(fixedBytes(16))
  id!: Buffer;

  @ManyToOne(() => Credential, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'id', foreignKeyConstraintName: 'fk_attestations_credential' })
  credential?: Credential;

  /** What the statement said when it was verified. */
  @Column(JSON_TEXT)
  evidence!: Evidence;

  /** Certificates that only this credential has: DER, concatenated, the leaf first. */
  @Column(LARGE_BYTES)
  certificates!: Buffer;

  /** SHA-256 of each certificate that other credentials share, concatenated. */
  @Column(bytes(512))
  authorities!: Buffer;

  /** SHA-256 of the client data, then the attestation object; compressed by `keptAttestation`. */
  @Column(LARGE_BYTES)
  proof!: Buffer;

  /** How the user was verified, as the authenticator signed it (W3C WebAuthn L2 §10.3): JSON. */
  @Column({ ...words(128), nullable: true })
  uvm!: string | null;
}
