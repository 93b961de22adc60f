import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { WHOLE, fixedBytes, words } from '../../platform/database/entities/column-types.js';

/** The means by which somebody has signed in. */
export type Way = 'password' | 'password+key' | 'key';

/** A session of a browser that has signed in; a session that is ended has no row. */
@Entity('console_sessions')
@Index('ix_console_sessions_account', ['account'])
@Index('ix_console_sessions_end', ['endsAt'])
export class ConsoleSession {
  /** The first part of the cookie's value. */
  @PrimaryColumn(fixedBytes(16))
  id!: Buffer;

  /** Name of the account. */
  @Column(words(255))
  account!: string;

  /** Mark of the account at the sign-in; the session ends when the account has another mark. */
  @Column(fixedBytes(32))
  mark!: Buffer;

  /** SHA-256 of the second part of the cookie's value, which itself is stored nowhere. */
  @Column(fixedBytes(32))
  secretHash!: Buffer;

  /** Hash of the previous secret: requests that were under way when it was replaced still show it. */
  @Column({ ...fixedBytes(32), nullable: true })
  previousHash!: Buffer | null;

  @Column(WHOLE)
  rotatedAt!: number;

  @Column(WHOLE)
  beganAt!: number;

  /** When a person last did something, to the minute. */
  @Column(WHOLE)
  usedAt!: number;

  /** When the session ends at the latest, however much it is used. */
  @Column(WHOLE)
  endsAt!: number;

  @Column(words(16))
  way!: Way;

  /** The address from which it began. */
  @Column(words(64))
  address!: string;

  /** What the browser calls itself: the beginning of `User-Agent`. */
  @Column(words(255))
  browser!: string;
}
