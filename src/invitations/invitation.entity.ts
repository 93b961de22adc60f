import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import {
  FLAG,
  SMALL,
  WHOLE,
  bytes,
  fixedBytes,
  words,
  utf8Bytes,
  type Encoded,
} from '../platform/database/entities/column-types.js';
import { foldedBytes } from '../platform/validation/values/folded-name.js';
import { MAX_NAME_BYTES } from '../platform/validation/values/names.js';
import { ScopedColumns } from '../platform/database/scope.js';
import { RelyingPartyEntity } from '../tenancy/relying-party.entity.js';

/** A permission to register one or more keys, which a user uses by following a link. */
@Entity('invitations')
@Index('uq_invitations_code', ['codeHash'], { unique: true })
@Index('ix_invitations_user', ['relyingPartyId', 'username', 'issuedAt'])
@Index('ix_invitations_folded_name', ['relyingPartyId', 'foldedName'])
@Index('ix_invitations_expiry', ['expiresAt'])
@Index('ix_invitations_issued', ['relyingPartyId', 'issuedAt', 'id'])
export class Invitation extends ScopedColumns {
  @PrimaryColumn(fixedBytes(16))
  id!: Buffer;

  @ManyToOne(() => RelyingPartyEntity, { onDelete: 'CASCADE' })
  @JoinColumn({
    name: 'relying_party_id',
    foreignKeyConstraintName: 'fk_invitations_relying_party',
  })
  relyingParty?: RelyingPartyEntity;

  /** SHA-256 of the code, which is not stored itself. */
  @Column(fixedBytes(32))
  codeHash!: Buffer;

  @Column({ ...bytes(255), transformer: utf8Bytes })
  username!: Encoded;

  /**
   * The user for whom it was issued; zeros if no user had the name, until the invitation creates that user.
   * `null` in rows of earlier versions.
   */
  @Column({ ...fixedBytes(16), nullable: true })
  userId!: Buffer | null;

  /** `null` if the user keeps the current display name. */
  @Column({ ...words(255), nullable: true })
  displayName!: string | null;

  /** The name of the account that issued it. */
  @Column(words(255))
  issuedBy!: string;

  @Column(WHOLE)
  issuedAt!: number;

  @Column(WHOLE)
  expiresAt!: number;

  /** When it was revoked; `null` if it was not. */
  @Column({ ...WHOLE, nullable: true })
  endedAt!: number | null;

  @Column(SMALL)
  minKeys!: number;

  @Column({ ...SMALL, default: 0 })
  keysMade!: number;

  /** The number of registrations begun with it since the last key. */
  @Column({ ...SMALL, default: 0 })
  begun!: number;

  /** The number of uses with another user name. */
  @Column({ ...SMALL, default: 0 })
  wrongNames!: number;

  /**
   * Whether a user whom it creates at a predecessor may be linked to a user of the successor: its issuer covers both.
   * `null` in rows of earlier versions.
   */
  @Column({ ...FLAG, nullable: true })
  mayLink!: boolean | null;

  /** The folded user name, kept whether or not the relying party ignores case. `null` in rows of earlier versions. */
  @Column({ ...bytes(foldedBytes(MAX_NAME_BYTES)), nullable: true })
  foldedName!: Buffer | null;
}

@Entity('invitation_keys')
export class InvitationKey extends ScopedColumns {
  @PrimaryColumn(fixedBytes(16))
  invitationId!: Buffer;

  @ManyToOne(() => Invitation, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'invitation_id', foreignKeyConstraintName: 'fk_invitation_keys_invitation' })
  invitation?: Invitation;

  @PrimaryColumn(fixedBytes(32))
  credentialHash!: Buffer;
}
