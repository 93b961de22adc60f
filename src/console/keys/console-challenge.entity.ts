import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { WHOLE, fixedBytes } from '../../database/entities/column-types.js';

/** A challenge that was answered. */
@Entity('console_challenges')
@Index('ix_console_challenges_end', ['endsAt'])
export class ConsoleChallenge {
  /** SHA-256 of the challenge. */
  @PrimaryColumn(fixedBytes(32))
  hash!: Buffer;

  /** From then on it is too old, and need not be remembered. */
  @Column(WHOLE)
  endsAt!: number;
}
