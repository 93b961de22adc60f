import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { WHOLE, fixedBytes, words } from '../../database/entities/column-types.js';

/** How somebody has signed in. */
export type Way = 'password' | 'password+key' | 'key';

/** A browser that has signed in; one that is ended has no row. */
@Entity('console_sessions')
@Index('ix_console_sessions_account', ['account'])
@Index('ix_console_sessions_end', ['endsAt'])
export class ConsoleSession {
  /** The first part of what the cookie holds. */
  @PrimaryColumn(fixedBytes(16))
  id!: Buffer;

  /** Name of the account. */
  @Column(words(255))
  account!: string;

  /** Of the account when it signed in; the session ends with another one. */
  @Column(fixedBytes(32))
  mark!: Buffer;

  /** SHA-256 of the second part of what the cookie holds, which is nowhere else. */
  @Column(fixedBytes(32))
  secretHash!: Buffer;

  /** Of the secret before: requests that were under way when it was replaced still show it. */
  @Column({ ...fixedBytes(32), nullable: true })
  previousHash!: Buffer | null;

  @Column(WHOLE)
  rotatedAt!: number;

  @Column(WHOLE)
  beganAt!: number;

  /** When a person did something, exact to a minute. */
  @Column(WHOLE)
  usedAt!: number;

  /** The end that use does not move. */
  @Column(WHOLE)
  endsAt!: number;

  @Column(words(16))
  way!: Way;

  /** From where it began. */
  @Column(words(64))
  address!: string;

  /** What the browser calls itself: the beginning of `User-Agent`. */
  @Column(words(255))
  browser!: string;
}
