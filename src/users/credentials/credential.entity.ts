import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, Unique } from 'typeorm';
import {
  FLAG,
  SMALL,
  TEXT,
  WHOLE,
  bytes,
  fixedBytes,
  words,
} from '../../platform/database/entities/column-types.js';
import { ScopedColumns } from '../../platform/database/scope.js';
import type { Code } from '../../platform/errors/catalogue.js';
import { User } from '../user.entity.js';

/** Maximum number of credentials of a user. */
export const MAX_CREDENTIALS = 100;

/**
 * How a key came to its user: registered by the user, with an invitation, by the customer's application, with a ticket
 * of an account, imported, or created in a move after a sign-in with a key of the predecessor.
 */
export const KEY_ORIGINS = [
  'user',
  'invitation',
  'application',
  'account',
  'import',
  'upgrade',
] as const;
export type KeyOrigin = (typeof KEY_ORIGINS)[number];

/** The stored columns of a public key credential. */
export abstract class CredentialColumns extends ScopedColumns {
  @PrimaryColumn(fixedBytes(16))
  id!: Buffer;

  @Column(fixedBytes(16))
  userId!: Buffer;

  @Column(bytes(1023))
  credentialId!: Buffer;

  /** SHA-256 of the credential ID, which is unique and used for lookups. */
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

  /** A name of up to 255 bytes and, if the user has it twice, a number. */
  @Column(words(300))
  deviceName!: string;

  /** `keypair` of the registration, as JSON: what the customer's application notes about the device. */
  @Column({ ...TEXT, name: 'keypair', nullable: true })
  deviceMetadata!: string | null;

  /** Written by `storedTransports`. */
  @Column(words(527))
  transports!: string;

  @Column(words(32))
  attestationFormat!: string;

  @Column(words(32))
  attestationType!: string;

  @Column(FLAG)
  attestationTrusted!: boolean;

  /** The UV flag of its registration. */
  @Column(FLAG)
  userVerified!: boolean;

  /**
   * Whether user verification by this key counts (W3C WebAuthn L3 §4); read it by `uvInitializedOf`. `null` if an
   * earlier version stored the key.
   */
  @Column({ ...FLAG, nullable: true })
  uvInitialized!: boolean | null;

  /**
   * Whether a fresh sign-in with another key permitted the creation of this one, without a prompt or by the
   * `upgrade` of a move: its first sign-in with user verification then makes `uvInitialized` true.
   */
  @Column({ ...FLAG, nullable: true })
  madeUnderAuthority!: boolean | null;

  /** `null` if it was imported from a server that did not keep it: the first sign-in reports it. */
  @Column({ ...FLAG, nullable: true })
  backupEligible!: boolean | null;

  @Column(FLAG)
  backedUp!: boolean;

  /** Whether neither an account nor a finding disables it: read by sign-ins and lists. */
  @Column(FLAG)
  enabled!: boolean;

  @Column(WHOLE)
  registeredAt!: number;

  @Column({ ...WHOLE, nullable: true })
  lastUsedAt!: number | null;

  /**
   * The ceremony that last wrote this row. Only instances of earlier versions use it, during an upgrade; the events
   * show which ceremonies are completed.
   */
  @Column(fixedBytes(16))
  lastCeremony!: Buffer;

  /**
   * The kind of server from which it was imported. Its attestation was verified there, not here: it is stored
   * as information, and proves nothing.
   */
  @Column({ ...words(16), nullable: true })
  importedFrom!: string | null;

  /** The code with which a finding refuses sign-ins; enabling the key does not change it. */
  @Column({ ...words(8), nullable: true })
  refusedWith!: Code | null;

  /**
   * Flags of the authenticator data at the registration; `null` if they were not stored: by earlier versions, or by
   * another server.
   */
  @Column({ ...SMALL, nullable: true })
  registrationFlags!: number | null;

  /** Whether the begin call requested attestation. */
  @Column({ ...FLAG, nullable: true })
  attestationAsked!: boolean | null;

  /** `credProps.rk` of the registration; `null` if the browser did not report it. */
  @Column({ ...FLAG, nullable: true })
  residentKey!: boolean | null;

  /** Serial number of the authenticator in a trusted enterprise attestation: hexadecimal. */
  @Column({ ...words(128), nullable: true })
  serialNumber!: string | null;

  /**
   * `KeyDisabling` as JSON, if an account disabled the key. Statements compare this text, so nothing formats it again.
   * This and the two columns below explain `enabled`; `keyStateOf` derives them for rows of earlier versions.
   */
  @Column({ ...TEXT, name: 'disabled_by', nullable: true })
  disablingJson!: string | null;

  /** The rule of the finding that disables the key. */
  @Column({ ...words(32), nullable: true })
  disabledByRule!: string | null;

  /** The account that enabled the key despite that finding; `null` once the finding changes. */
  @Column({ ...words(255), nullable: true })
  acceptedBy!: string | null;

  /** `null` if an earlier version stored the key, or began its registration. */
  @Column({ ...words(16), nullable: true })
  origin!: KeyOrigin | null;

  /**
   * How often the key was disabled or a rule began to refuse its sign-ins, or it was restored after a deletion: what its
   * sign-ins permitted before stays over when it signs in again. `null` counts as 0.
   */
  @Column({ ...SMALL, nullable: true })
  disablings!: number | null;

  /**
   * When the key was added here, or the latest `lastUsedAt` of its user's keys then, if that was later: clocks of
   * instances differ, but no sign-in that was stored before is later than this. Its own sign-ins are not earlier.
   * `null` if an earlier version stored it.
   */
  @Column({ ...WHOLE, nullable: true })
  addedAt!: number | null;
}

/** The columns that explain `enabled`. */
export const KEY_STATE = [
  'disablingJson',
  'disabledByRule',
  'acceptedBy',
  'refusedWith',
] as const satisfies readonly (keyof CredentialColumns)[];

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
