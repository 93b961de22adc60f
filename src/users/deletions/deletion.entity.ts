import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { utf8Bytes } from '../../platform/database/columns.js';
import {
  FLAG,
  WHOLE,
  bytes,
  fixedBytes,
  words,
} from '../../platform/database/entities/column-types.js';
import { foldedBytes } from '../../platform/validation/values/folded-name.js';
import { MAX_NAME_BYTES } from '../../platform/validation/values/names.js';
import { USER_HANDLE_BYTES } from '../user.entity.js';

/**
 * A user, or some keys of one, that an administrator deleted on a page: it can be taken back for a day. The
 * rows themselves are gone; the copies that restore them stand here and in `DeletedKey`, `DeletedHandle` and
 * `DeletedName`.
 */
@Entity('deletions')
@Index('ix_deletions_name', ['relyingPartyId', 'foldedName'])
@Index('ix_deletions_user', ['userId'])
@Index('ix_deletions_occasion', ['occasion'])
export class Deletion {
  @PrimaryColumn(fixedBytes(16))
  id!: Buffer;

  @Column(fixedBytes(16))
  tenantId!: Buffer;

  @Column(fixedBytes(16))
  relyingPartyId!: Buffer;

  @Column(fixedBytes(16))
  userId!: Buffer;

  @Column({ ...bytes(255), transformer: utf8Bytes })
  username!: string;

  /** The folded user name, kept whether or not the relying party folds names. */
  @Column(bytes(foldedBytes(MAX_NAME_BYTES)))
  foldedName!: Buffer;

  @Column(words(255))
  displayName!: string;

  @Column(fixedBytes(USER_HANDLE_BYTES))
  userHandle!: Buffer;

  @Column({ ...bytes(64), nullable: true })
  subject!: Buffer | null;

  /** When the user was made. */
  @Column(WHOLE)
  createdAt!: number;

  /** Whether the user was deleted too; otherwise only keys were. */
  @Column(FLAG)
  whole!: boolean;

  /** When it was deleted. */
  @Column(WHOLE)
  at!: number;

  /** Who deleted it. */
  @Column({ ...bytes(255), transformer: utf8Bytes })
  account!: string;

  @Column({ ...words(200), nullable: true })
  reason!: string | null;

  /** The request or the list that made this deletion, perhaps with others. */
  @Column(words(64))
  occasion!: string;
}
