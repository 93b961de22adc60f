import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { WHOLE, fixedBytes } from '../../platform/database/entities/column-types.js';

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
