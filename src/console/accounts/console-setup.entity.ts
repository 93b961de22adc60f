import { Column, Entity, Index, JoinColumn, OneToOne, PrimaryColumn } from 'typeorm';
import { WHOLE, fixedBytes } from '../../platform/database/entities/column-types.js';
import { ConsoleAccount } from './console-account.entity.js';

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
