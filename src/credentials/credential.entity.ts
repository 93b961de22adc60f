import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A public key credential of a user. */
@Entity('credentials')
export class Credential {
  @PrimaryColumn({ type: 'blob' })
  id!: Buffer;

  @Column({ name: 'tenant_id', type: 'blob' })
  tenantId!: Buffer;

  @Column({ name: 'relying_party_id', type: 'blob' })
  relyingPartyId!: Buffer;

  @Column({ name: 'user_id', type: 'blob' })
  userId!: Buffer;

  @Column({ name: 'credential_id', type: 'blob' })
  credentialId!: Buffer;

  /** SHA-256 of the credential ID: what is unique and looked up. */
  @Column({ name: 'credential_hash', type: 'blob' })
  credentialHash!: Buffer;

  /** The COSE_Key as the authenticator sent it. */
  @Column({ name: 'public_key', type: 'blob' })
  publicKey!: Buffer;

  @Column({ type: 'integer' })
  algorithm!: number;

  @Column({ name: 'sign_count', type: 'bigint' })
  signCount!: number;

  @Column({ type: 'blob' })
  aaguid!: Buffer;

  /** A name of up to 255 bytes and, for a second one, a number. */
  @Column({ name: 'device_name', type: 'varchar', length: 300 })
  deviceName!: string;

  /** Device metadata of the registration, as JSON. */
  @Column({ type: 'text', nullable: true })
  keypair!: string | null;

  /** Comma-separated. */
  @Column({ type: 'varchar', length: 255 })
  transports!: string;

  @Column({ name: 'attestation_format', type: 'varchar', length: 32 })
  attestationFormat!: string;

  @Column({ name: 'attestation_type', type: 'varchar', length: 32 })
  attestationType!: string;

  @Column({ name: 'attestation_trusted', type: 'boolean' })
  attestationTrusted!: boolean;

  @Column({ name: 'user_verified', type: 'boolean' })
  userVerified!: boolean;

  @Column({ name: 'backup_eligible', type: 'boolean' })
  backupEligible!: boolean;

  @Column({ name: 'backed_up', type: 'boolean' })
  backedUp!: boolean;

  @Column({ type: 'boolean' })
  enabled!: boolean;

  @Column({ name: 'registered_at', type: 'bigint' })
  registeredAt!: number;

  @Column({ name: 'last_used_at', type: 'bigint', nullable: true })
  lastUsedAt!: number | null;

  /** The ceremony that wrote this row last. */
  @Column({ name: 'last_ceremony', type: 'blob' })
  lastCeremony!: Buffer;
}
