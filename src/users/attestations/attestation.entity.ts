import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import {
  bytes,
  fixedBytes,
  JSON_TEXT,
  LARGE_BYTES,
  words,
  type Json,
} from '../../platform/database/entities/column-types.js';
import { ScopedColumns } from '../../platform/database/scope.js';
import { Credential } from '../credentials/credential.entity.js';
import type { AttestationType } from '../../webauthn/attestation/format.js';

/** An attestation statement that refers to its certificates by their index among the stored ones. */
export interface IndexedAttestation {
  readonly format: string;
  readonly type: AttestationType;
  readonly unbound?: boolean;
  readonly trustPath: readonly number[];
  readonly statements?: readonly IndexedAttestation[];
}

/**
 * A CA certificate that many credentials share: public, independent of relying parties, and never deleted. Only
 * certificates on a path to a trust anchor are stored, so that the table cannot be flooded.
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
 * The attestation of a credential, stored so that it can be verified again when new metadata is available. It is
 * written with the credential, never changed, and deleted with it; sign-ins do not read it. A registration without
 * attestation has no row.
 */
@Entity('attestations')
export class Attestation extends ScopedColumns {
  /** ID of the credential's row. */
  @PrimaryColumn(fixedBytes(16))
  id!: Buffer;

  @ManyToOne(() => Credential, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'id', foreignKeyConstraintName: 'fk_attestations_credential' })
  credential?: Credential;

  /** The statement as it was verified. */
  @Column(JSON_TEXT)
  evidence!: Json<IndexedAttestation>;

  /** Certificates of this credential only: DER, concatenated, the leaf first. */
  @Column(LARGE_BYTES)
  certificates!: Buffer;

  /** SHA-256 of each certificate shared with other credentials, concatenated. */
  @Column(bytes(512))
  authorities!: Buffer;

  /** SHA-256 of the client data, then the attestation object; compressed by `keptAttestation`. */
  @Column(LARGE_BYTES)
  proof!: Buffer;

  /** How the user was verified, as signed by the authenticator (W3C WebAuthn L2 §10.3): JSON. */
  @Column({ ...words(128), nullable: true })
  uvm!: string | null;
}
