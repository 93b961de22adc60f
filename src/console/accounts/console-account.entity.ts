import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Role } from '../../config/accounts-file.js';
import { utf8Bytes } from '../../database/columns.js';
import {
  JSON_TEXT,
  WHOLE,
  bytes,
  fixedBytes,
  words,
} from '../../database/entities/column-types.js';
import type { SignInRule } from '../../security/stored-accounts.js';

/**
 * An account of the administration. Those of the configuration have a row when they have keys: without
 * role and password, which stand there.
 */
@Entity('console_accounts')
@Index('uq_console_accounts_name', ['name'], { unique: true })
export class ConsoleAccount {
  /** Its keys have it as user handle. */
  @PrimaryColumn(fixedBytes(16))
  id!: Buffer;

  @Column({ ...bytes(255), transformer: utf8Bytes })
  name!: string;

  @Column({ ...words(16), nullable: true })
  role!: Role | null;

  /** Names of the tenants that it may see; every tenant where there is none. */
  @Column({ ...JSON_TEXT, nullable: true })
  tenants!: string[] | null;

  /** What `servicefido password hash` would print. */
  @Column({ ...words(80), nullable: true })
  password!: string | null;

  @Column(words(16))
  signIn!: SignInRule;

  @Column(WHOLE)
  createdAt!: number;

  /** Name of an account. */
  @Column(words(255))
  createdBy!: string;
}
