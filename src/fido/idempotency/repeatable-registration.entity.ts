import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TEXT, WHOLE, fixedBytes } from '../../platform/database/entities/column-types.js';
import { ScopedColumns } from '../../platform/database/scope.js';

/** A registration with an `Idempotency-Key`, from which its repeats are answered for ten minutes: there are few rows. */
@Entity('repeatable_registrations')
export class RepeatableRegistration extends ScopedColumns {
  /** SHA-256 of the application key, the relying party and the value of the header. */
  @PrimaryColumn(fixedBytes(32))
  callHash!: Buffer;

  /** SHA-256 of the body, which contains the ceremony. */
  @Column(fixedBytes(32))
  bodyHash!: Buffer;

  @Column(fixedBytes(16))
  userId!: Buffer;

  /** The answer as JSON, without the names and the list of keys, which are read again. */
  @Column(TEXT)
  answer!: string;

  /** Milliseconds since 1970. */
  @Column(WHOLE)
  expiresAt!: number;
}
