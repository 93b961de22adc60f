import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { SMALL, TEXT, WHOLE, fixedBytes } from '../../platform/database/entities/column-types.js';
import { ScopedColumns } from '../../platform/database/scope.js';

/**
 * A session, grant, code or token of OpenID Connect, and the sign-in from which it comes. Its ID is a secret of its
 * bearer, so only hashes are stored.
 */
@Entity('oidc_records')
@Index('ix_oidc_records_reference', ['relyingPartyId', 'reference'])
@Index('ix_oidc_records_end', ['expiresAt'])
export class OidcRecord extends ScopedColumns {
  /** SHA-256 of the model's name and the ID. */
  @PrimaryColumn(fixedBytes(32))
  id!: Buffer;

  /** SHA-256 of the second name of a session, or of the ID of the grant to which a code or token belongs. */
  @Column({ ...fixedBytes(32), nullable: true })
  reference!: Buffer | null;

  @Column(fixedBytes(16))
  userId!: Buffer;

  /** How often the user had been locked out at the sign-in: the record ends with the next lock-out. */
  @Column(SMALL)
  lockouts!: number;

  /** The row of the key that signed in: the record ends when it is disabled, refused or deleted. */
  @Column(fixedBytes(16))
  credentialId!: Buffer;

  /** The relying party of that key: during a move perhaps the predecessor. */
  @Column(fixedBytes(16))
  credentialPartyId!: Buffer;

  /** How often that key had been disabled, refused or restored at the sign-in: the record ends with the next time. */
  @Column(SMALL)
  disablings!: number;

  /** JSON, without the ID. */
  @Column(TEXT)
  payload!: string;

  /** When a code or refresh token was used; milliseconds since 1970. */
  @Column({ ...WHOLE, nullable: true })
  consumedAt!: number | null;

  @Column(WHOLE)
  expiresAt!: number;
}
