import { Column, Entity, Index, PrimaryColumn, JoinColumn, OneToOne } from 'typeorm';
import type { AccountRole } from '../platform/config/files/accounts-file.js';
import {
  FLAG,
  JSON_TEXT,
  WHOLE,
  bytes,
  fixedBytes,
  words,
  utf8Bytes,
  type Encoded,
  type Json,
} from '../platform/database/entities/column-types.js';
import type { SignInRule } from '../platform/access/accounts/accounts.js';

/**
 * An account of the administration. An account of the configuration has a row once it has keys, without
 * role and password, which are in the configuration.
 */
@Entity('console_accounts')
@Index('uq_console_accounts_name', ['name'], { unique: true })
@Index('uq_console_accounts_identity', ['identity'], { unique: true })
export class ConsoleAccount {
  /** The user handle of its keys. */
  @PrimaryColumn(fixedBytes(16))
  id!: Buffer;

  @Column({ ...bytes(255), transformer: utf8Bytes })
  name!: Encoded;

  @Column({ ...words(16), nullable: true })
  role!: AccountRole | null;

  /** Names of the tenants that it may see; `null` for all tenants. */
  @Column({ ...JSON_TEXT, nullable: true })
  tenants!: Json<string[]> | null;

  /** The hash of the password, in the format of `./servicefido password hash`. */
  @Column({ ...words(80), nullable: true })
  password!: string | null;

  @Column(words(16))
  signIn!: SignInRule;

  @Column(WHOLE)
  createdAt!: number;

  /** The name of the account that created this one. */
  @Column(words(255))
  createdBy!: string;

  /** The version of its role and tenants: increases with each change of them. */
  @Column({ ...WHOLE, default: 0 })
  changedAt!: number;

  /** Whether an administrator requires a second factor. */
  @Column({ ...FLAG, default: false })
  needsKey!: boolean;

  /** Issuer and subject, separated by a space, of an account that signs in at the OpenID provider. */
  @Column({ ...words(512), nullable: true })
  identity!: string | null;

  /** Whether it may sign in with `--console-local break-glass`. */
  @Column({ ...FLAG, default: false })
  breakGlass!: boolean;
}

/** An account that its owner has not set up yet, through a link or by changing a first password. */
@Entity('console_setups')
@Index('uq_console_setups_token', ['tokenHash'], { unique: true })
export class ConsoleSetup {
  @PrimaryColumn(fixedBytes(16))
  accountId!: Buffer;

  @OneToOne(() => ConsoleAccount, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'account_id', foreignKeyConstraintName: 'fk_console_setups_account' })
  account?: ConsoleAccount;

  /** SHA-256 of the link's token, which is not stored itself; `null` for a first password. */
  @Column({ ...fixedBytes(32), nullable: true })
  tokenHash!: Buffer | null;

  /** When the link expires; a first password does not. */
  @Column({ ...WHOLE, nullable: true })
  endsAt!: number | null;
}
