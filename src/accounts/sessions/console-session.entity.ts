import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TEXT, WHOLE, fixedBytes, words } from '../../platform/database/entities/column-types.js';

/** The factors of a sign-in. */
export type SignInMethod = 'password' | 'password+key' | 'key' | 'oidc' | 'oidc+key';

/** The session of a signed-in browser; an ended session has no row. */
@Entity('console_sessions')
@Index('ix_console_sessions_account', ['account'])
@Index('ix_console_sessions_end', ['endsAt'])
@Index('ix_console_sessions_sid', ['sidHash'])
export class ConsoleSession {
  /** The first part of the cookie's value. */
  @PrimaryColumn(fixedBytes(16))
  id!: Buffer;

  /** The name of the account. */
  @Column(words(255))
  account!: string;

  /** The mark of the account at sign-in; the session ends when the account has another mark. */
  @Column(fixedBytes(32))
  mark!: Buffer;

  /** SHA-256 of the second part of the cookie's value, which is not stored itself. */
  @Column(fixedBytes(32))
  secretHash!: Buffer;

  /** The hash of the previous secret, which requests still show that were sent before its replacement. */
  @Column({ ...fixedBytes(32), nullable: true })
  previousHash!: Buffer | null;

  @Column(WHOLE)
  rotatedAt!: number;

  @Column(WHOLE)
  beganAt!: number;

  /** The time of the last manual request, to the minute. */
  @Column(WHOLE)
  usedAt!: number;

  /** When the session ends at the latest, regardless of its use. */
  @Column(WHOLE)
  endsAt!: number;

  @Column(words(16))
  way!: SignInMethod;

  /** The address from which it began. */
  @Column(words(64))
  address!: string;

  /** The browser: the beginning of `User-Agent`. */
  @Column(words(255))
  browser!: string;

  /** The state of a session that began at the OpenID provider, as JSON. */
  @Column({ ...TEXT, nullable: true })
  provider!: string | null;

  /** SHA-256 of the ID of the provider's own session. */
  @Column({ ...fixedBytes(32), nullable: true })
  sidHash!: Buffer | null;
}
