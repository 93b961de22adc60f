import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import {
  JSON_TEXT,
  LARGE_BYTES,
  bytes,
  fixedBytes,
  words,
} from '../../database/entities/column-types.js';
import { Credential } from '../credential.entity.js';
import type { Evidence } from './evidence.js';

/**
 * What the registration of a credential proved, so that it can be held again against what becomes known
 * later. Written with the credential, never changed, deleted with it; no sign-in reads it. Registrations
 * without attestation have no row.
 */
@Entity('attestations')
export class Attestation {
  /** The credential's. */
  @PrimaryColumn(fixedBytes(16))
  id!: Buffer;

  @ManyToOne(() => Credential, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'id', foreignKeyConstraintName: 'fk_attestations_credential' })
  credential?: Credential;

  @Column(fixedBytes(16))
  tenantId!: Buffer;

  @Column(fixedBytes(16))
  relyingPartyId!: Buffer;

  /** What the statement said when it was verified. */
  @Column(JSON_TEXT)
  evidence!: Evidence;

  /** Certificates that are this credential's alone, DER, one behind the other: the leaf first. */
  @Column(LARGE_BYTES)
  certificates!: Buffer;

  /** SHA-256 of each certificate that other credentials share, one behind the other. */
  @Column(bytes(512))
  authorities!: Buffer;

  /** SHA-256 of the client data and the attestation object, as `evidence.ts` compresses them. */
  @Column(LARGE_BYTES)
  proof!: Buffer;

  /** How the user was verified, as the authenticator signed it (W3C WebAuthn L2 §10.3): JSON. */
  @Column({ ...words(128), nullable: true })
  uvm!: string | null;
}
