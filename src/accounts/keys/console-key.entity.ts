import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import {
  FLAG,
  LARGE_BYTES,
  WHOLE,
  bytes,
  fixedBytes,
  words,
} from '../../platform/database/entities/column-types.js';
import { ConsoleAccount } from '../console-account.entity.js';

/** A key of an account of the administration. */
@Entity('console_keys')
@Index('uq_console_keys_credential', ['credentialHash'], { unique: true })
@Index('ix_console_keys_account', ['accountId'])
export class ConsoleKey {
  @PrimaryColumn(fixedBytes(16))
  id!: Buffer;

  @Column(fixedBytes(16))
  accountId!: Buffer;

  @ManyToOne(() => ConsoleAccount, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'account_id', foreignKeyConstraintName: 'fk_console_keys_account' })
  account?: ConsoleAccount;

  /** Its RP ID: the host name with which the page was called. */
  @Column(words(253))
  domain!: string;

  /** SHA-256 of the credential ID, which may be too long for an index. */
  @Column(fixedBytes(32))
  credentialHash!: Buffer;

  @Column(bytes(1023))
  credentialId!: Buffer;

  /** The COSE_Key, unchanged. */
  @Column(LARGE_BYTES)
  publicKey!: Buffer;

  @Column(WHOLE)
  signCount!: number;

  @Column(FLAG)
  backupEligible!: boolean;

  /** Whether it verified its user when it was added. */
  @Column(FLAG)
  verifiesUser!: boolean;

  /** Transports, separated by commas. */
  @Column(words(100))
  transports!: string;

  @Column(words(64))
  name!: string;

  @Column(WHOLE)
  createdAt!: number;

  @Column({ ...WHOLE, nullable: true })
  usedAt!: number | null;

  /**
   * Whether user verification by this key counts (W3C WebAuthn L3 §4), so that it may be the only factor.
   * `null` if an earlier version stored the key: then `verifiesUser` applies.
   */
  @Column({ ...FLAG, nullable: true })
  uvInitialized!: boolean | null;
}

/** Whether user verification by a key counts. */
export const isUvInitialized = ({ uvInitialized, verifiesUser }: ConsoleKey): boolean =>
  uvInitialized ?? verifiesUser;

/** A challenge that was answered. */
@Entity('console_challenges')
@Index('ix_console_challenges_end', ['endsAt'])
export class ConsoleChallenge {
  /** SHA-256 of the challenge. */
  @PrimaryColumn(fixedBytes(32))
  hash!: Buffer;

  /** When the challenge expires and can be deleted, in milliseconds since 1970. */
  @Column(WHOLE)
  endsAt!: number;
}
