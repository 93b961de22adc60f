import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { utf8Bytes } from '../../database/columns.js';
import { FLAG, WHOLE, bytes, fixedBytes, words } from '../../database/entities/column-types.js';
import { foldedBytes } from '../../validation/folded-name.js';
import { MAX_NAME_BYTES } from '../../validation/names.js';
import { USER_HANDLE_BYTES } from '../user.entity.js';

/**
 * What somebody of the administration deleted on a page, of one user: it can be taken back for a day.
 * The rows themselves are gone; what brings them back stands here and in the tables of its `DeletedKey`s.
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

  /** The name by which the user is found in any case, whether or not names are folded there. */
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

  /** The user went too; else keys alone. */
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

  /** The request or the list that deleted it, and perhaps others with it. */
  @Column(words(64))
  occasion!: string;
}
