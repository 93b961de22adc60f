import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, Unique } from 'typeorm';
import {
  SMALL,
  TEXT,
  WHOLE,
  bytes,
  fixedBytes,
  words,
  utf8Bytes,
  type Encoded,
} from '../platform/database/entities/column-types.js';
import { KeyedByRelyingParty, ScopedColumns } from '../platform/database/scope.js';
import { RelyingPartyEntity } from '../tenancy/relying-party.entity.js';
import { foldedBytes } from '../platform/validation/values/folded-name.js';
import { MAX_NAME_BYTES } from '../platform/validation/values/names.js';

/** Length of the handles that this server makes. */
export const USER_HANDLE_BYTES = 32;

/** The names of a user, in NFC. */
export interface Names {
  readonly username: string;
  readonly displayName: string;
}

/** What a directory stores with a user besides the names and `externalId`. */
export interface DirectoryFacts {
  /** The directory's ID of the user's manager. */
  readonly manager?: string;
}

/** The columns of a user that a deletion copies if it can be undone. */
export abstract class UserColumns extends ScopedColumns {
  @Column({ ...bytes(255), transformer: utf8Bytes })
  username!: Encoded;

  @Column(words(255))
  displayName!: string;

  /**
   * WebAuthn's user.id: 32 random bytes, new for each user of a name. An import may contain them; handles of other
   * lengths are `FurtherHandle`s.
   */
  @Column(fixedBytes(USER_HANDLE_BYTES))
  userHandle!: Buffer;

  @Column(WHOLE)
  createdAt!: number;

  /** The user ID (`userId` of the calls): set by the customer's own application, UTF-8; never changed. */
  @Column({ ...bytes(64), nullable: true })
  subject!: Buffer | null;

  /**
   * How often the user was locked out, which ends the registrations that had begun; `null` counts as 0. A restored
   * user keeps the number.
   */
  @Column({ ...SMALL, nullable: true })
  lockouts!: number | null;

  /** Who suspends the user: a sum of `SIDES`, never 0. */
  @Column({ ...SMALL, nullable: true })
  suspendedBy!: number | null;

  /** A `HelpDeskSuspension`; `null` unless the help desk suspends the user. */
  @Column({ ...TEXT, name: 'suspension', nullable: true })
  suspensionJson!: string | null;

  /** The ID that a directory gives the user (`externalId` of SCIM), UTF-8. */
  @Column({ ...bytes(255), nullable: true })
  externalId!: Buffer | null;

  /** `DirectoryFacts`; `null` unless a directory (SCIM) manages the user: then it alone changes the user's groups. */
  @Column({ ...TEXT, name: 'directory', nullable: true })
  directoryJson!: string | null;
}

/** A user of one relying party. */
@Entity('users')
@Unique('uq_users_username', ['relyingPartyId', 'username'])
@Index('uq_users_handle', ['relyingPartyId', 'userHandle'], { unique: true })
@Index('uq_users_subject', ['relyingPartyId', 'subject'], { unique: true })
@Index('uq_users_external_id', ['relyingPartyId', 'externalId'], { unique: true })
@Index('uq_users_folded_name', ['relyingPartyId', 'foldedName'], { unique: true })
@Index('ix_users_created', ['relyingPartyId', 'createdAt', 'id'])
@Index('ix_users_suspended', ['relyingPartyId', 'suspendedBy', 'id'])
export class User extends UserColumns {
  @PrimaryColumn(fixedBytes(16))
  id!: Buffer;

  @ManyToOne(() => RelyingPartyEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'relying_party_id', foreignKeyConstraintName: 'fk_users_relying_party' })
  relyingParty?: RelyingPartyEntity;

  /**
   * The user name by which the user is found in any case, if its relying party folds names. Otherwise `null`, or a
   * leftover from a time when it did, which is not read.
   */
  @Column({ ...bytes(foldedBytes(MAX_NAME_BYTES)), nullable: true })
  foldedName!: Buffer | null;
}

/**
 * A handle of some of a user's keys that is not the user's own, 1 to 64 bytes. Only imports create them: other
 * servers make a handle for each key, or handles of another length than ours.
 */
@Entity('further_handles')
@Index('ix_further_handles_user', ['userId'])
export class FurtherHandle extends KeyedByRelyingParty {
  @PrimaryColumn(bytes(64))
  handle!: Buffer;

  @Column(fixedBytes(16))
  userId!: Buffer;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'fk_further_handles_user' })
  user?: User;
}

/** A former name of a user, with the time at which the user gave it up. Deleted with its user. */
@Entity('earlier_names', { withoutRowid: true })
@Index('ix_earlier_names_user', ['userId'])
export class EarlierName extends KeyedByRelyingParty {
  @PrimaryColumn({ ...bytes(255), transformer: utf8Bytes })
  username!: Encoded;

  /** Milliseconds since 1970. */
  @PrimaryColumn(WHOLE)
  until!: number;

  @PrimaryColumn(fixedBytes(16))
  userId!: Buffer;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'fk_earlier_names_user' })
  user?: User;
}
