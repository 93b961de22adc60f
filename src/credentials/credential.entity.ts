import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, Unique } from 'typeorm';
import {
  FLAG,
  SMALL,
  TEXT,
  WHOLE,
  bytes,
  fixedBytes,
  words,
} from '../database/entities/column-types.js';
import { User } from './user.entity.js';

/** What is kept of a public key credential. */
export abstract class CredentialColumns {
  @PrimaryColumn(fixedBytes(16))
  id!: Buffer;

  @Column(fixedBytes(16))
  tenantId!: Buffer;

  @Column(fixedBytes(16))
  relyingPartyId!: Buffer;

  @Column(fixedBytes(16))
  userId!: Buffer;

  @Column(bytes(1023))
  credentialId!: Buffer;

  /** SHA-256 of the credential ID: what is unique and looked up. */
  @Column(fixedBytes(32))
  credentialHash!: Buffer;

  /** The COSE_Key as the authenticator sent it. */
  @Column(bytes(4096))
  publicKey!: Buffer;

  @Column(SMALL)
  algorithm!: number;

  @Column(WHOLE)
  signCount!: number;

  @Column(fixedBytes(16))
  aaguid!: Buffer;

  /** A name of up to 255 bytes and, for a second one, a number. */
  @Column(words(300))
  deviceName!: string;

  /** Device metadata of the registration, as JSON. */
  @Column({ ...TEXT, nullable: true })
  keypair!: string | null;

  /** Comma-separated. */
  @Column(words(255))
  transports!: string;

  @Column(words(32))
  attestationFormat!: string;

  @Column(words(32))
  attestationType!: string;

  @Column(FLAG)
  attestationTrusted!: boolean;

  @Column(FLAG)
  userVerified!: boolean;

  /** `null` where it was imported and its server did not keep it: the first sign-in tells. */
  @Column({ ...FLAG, nullable: true })
  backupEligible!: boolean | null;

  @Column(FLAG)
  backedUp!: boolean;

  @Column(FLAG)
  enabled!: boolean;

  @Column(WHOLE)
  registeredAt!: number;

  @Column({ ...WHOLE, nullable: true })
  lastUsedAt!: number | null;

  /** The ceremony that wrote this row last: a write whose answer was lost recognises itself. */
  @Column(fixedBytes(16))
  lastCeremony!: Buffer;

  /**
   * From which kind of server it was imported. What it says of its attestation was proved there, not
   * here: it is kept as a fact, and counts for nothing.
   */
  @Column({ ...words(16), nullable: true })
  importedFrom!: string | null;

  /**
   * The code with which a finding has sign-ins refused: what was proved once does not hold any more.
   * With `enabled` false it is the finding that disabled the key. Whatever else changes `enabled` takes
   * it away, so that the end of the finding does not undo what a person decided.
   */
  @Column({ ...words(8), nullable: true })
  refusedWith!: string | null;

  /**
   * Flags of the authenticator data at the registration; `null` where nothing of it was kept: registered
   * before this was, or elsewhere.
   */
  @Column({ ...SMALL, nullable: true })
  registrationFlags!: number | null;

  /** Whether the begin call wished for attestation. */
  @Column({ ...FLAG, nullable: true })
  attestationAsked!: boolean | null;

  /** `credProps.rk` of the registration; `null` where the browser did not tell. */
  @Column({ ...FLAG, nullable: true })
  residentKey!: boolean | null;

  /** Of the authenticator, as a trusted enterprise attestation names it: hexadecimal. */
  @Column({ ...words(128), nullable: true })
  serialNumber!: string | null;
}

/** A public key credential of a user. */
@Entity('credentials')
@Unique('uq_credentials_hash', ['relyingPartyId', 'credentialHash'])
@Index('ix_credentials_user', ['userId'])
@Index('ix_credentials_enabled', ['relyingPartyId', 'enabled'])
@Index('ix_credentials_of_model', ['relyingPartyId', 'aaguid', 'credentialHash'])
export class Credential extends CredentialColumns {
  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'fk_credentials_user' })
  user?: User;
}
