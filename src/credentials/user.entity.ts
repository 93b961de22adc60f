import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, Unique } from 'typeorm';
import { WHOLE, bytes, fixedBytes, words } from '../database/entities/column-types.js';
import { utf8Bytes } from '../database/columns.js';
import { RelyingPartyEntity } from '../tenancy/relying-party.entity.js';

/** A user of one relying party. */
/** Length of the handles that we make. */
export const USER_HANDLE_BYTES = 32;

@Entity('users')
@Unique('uq_users_username', ['relyingPartyId', 'username'])
@Index('uq_users_handle', ['relyingPartyId', 'userHandle'], { unique: true })
@Index('uq_users_subject', ['relyingPartyId', 'subject'], { unique: true })
export class User {
  @PrimaryColumn(fixedBytes(16))
  id!: Buffer;

  @Column(fixedBytes(16))
  tenantId!: Buffer;

  @Column(fixedBytes(16))
  relyingPartyId!: Buffer;

  @ManyToOne(() => RelyingPartyEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'relying_party_id', foreignKeyConstraintName: 'fk_users_relying_party' })
  relyingParty?: RelyingPartyEntity;

  @Column({ ...bytes(255), transformer: utf8Bytes })
  username!: string;

  @Column(words(255))
  displayName!: string;

  /**
   * WebAuthn's user.id: 32 random bytes, new for each incarnation of a name. An import may bring them;
   * handles of other lengths are `FurtherHandle`s.
   */
  @Column(fixedBytes(USER_HANDLE_BYTES))
  userHandle!: Buffer;

  @Column(WHOLE)
  createdAt!: number;

  /** What the customer's own application calls the user, UTF-8; never changed. */
  @Column({ ...bytes(64), nullable: true })
  subject!: Buffer | null;
}
