import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import {
  LARGE_BYTES,
  WHOLE,
  bytes,
  fixedBytes,
  utf8Bytes,
  type Encoded,
} from '../../platform/database/entities/column-types.js';
import { ScopedColumns } from '../../platform/database/scope.js';

/**
 * Proof that a user confirmed a transaction: the signed data, the signature, and the public key, since users
 * and credentials may be deleted. It is kept as long as the event of its sign-in.
 */
@Entity('receipts')
@Index('ix_receipts_user', ['relyingPartyId', 'username', 'at'])
export class Receipt extends ScopedColumns {
  /** Begins with the time of the sign-in, whose token has this ID as `jti`. */
  @PrimaryColumn(fixedBytes(16))
  id!: Buffer;

  @Column(WHOLE)
  at!: number;

  @Column({ ...bytes(255), transformer: utf8Bytes })
  username!: Encoded;

  /** SHA-256 of the credential ID. */
  @Column(fixedBytes(32))
  credentialHash!: Buffer;

  @Column(bytes(4096))
  publicKey!: Buffer;

  /** The unchanged JSON of the browser; its challenge ends with the SHA-256 of the transaction. */
  @Column(LARGE_BYTES)
  clientData!: Buffer;

  @Column(LARGE_BYTES)
  authenticatorData!: Buffer;

  @Column(LARGE_BYTES)
  signature!: Buffer;
}
