import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import {
  bytes,
  fixedBytes,
  FLAG,
  LARGE_BYTES,
  TEXT,
  WHOLE,
  words,
  utf8Bytes,
  type Encoded,
} from '../../platform/database/entities/column-types.js';
import { ScopedColumns } from '../../platform/database/scope.js';
import { foldedBytes } from '../../platform/validation/values/folded-name.js';
import { MAX_NAME_BYTES } from '../../platform/validation/values/names.js';
import { UserColumns } from '../user.entity.js';
import { CredentialColumns } from '../credentials/credential.entity.js';

/**
 * A user, or some keys of one, deleted by an account on a page: it can be undone for a day. The rows
 * themselves are deleted; the copies that restore them are here and in `DeletedKey`, `DeletedHandle` and
 * `DeletedName`, and the groups in `DeletedGroup`.
 */
@Entity('deletions')
@Index('ix_deletions_name', ['relyingPartyId', 'foldedName'])
@Index('ix_deletions_user', ['userId'])
@Index('ix_deletions_occasion', ['occasion'])
@Index('ix_deletions_recent', ['relyingPartyId', 'whole', 'id'])
export class Deletion extends UserColumns {
  @PrimaryColumn(fixedBytes(16))
  id!: Buffer;

  @Column(fixedBytes(16))
  userId!: Buffer;

  /** The folded user name, kept whether or not the relying party folds names. */
  @Column(bytes(foldedBytes(MAX_NAME_BYTES)))
  foldedName!: Buffer;

  /** Whether the user was deleted too; otherwise only keys were. */
  @Column(FLAG)
  whole!: boolean;

  @Column(WHOLE)
  at!: number;

  @Column({ ...bytes(255), transformer: utf8Bytes })
  account!: Encoded;

  @Column({ ...words(200), nullable: true })
  reason!: string | null;

  /** ID of the request or the list that made this deletion, perhaps with others. */
  @Column(words(64))
  occasion!: string;
}

/** A key as it was when it was deleted, with its attestation if that was stored. */
@Entity('deleted_keys')
@Index('ix_deleted_keys_hash', ['relyingPartyId', 'credentialHash'])
@Index('ix_deleted_keys_user', ['userId'])
@Index('ix_deleted_keys_deletion', ['deletionId'])
@Index('ix_deleted_keys_of_model', ['relyingPartyId', 'aaguid', 'id'])
export class DeletedKey extends CredentialColumns {
  @Column(fixedBytes(16))
  deletionId!: Buffer;

  @ManyToOne(() => Deletion, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'deletion_id', foreignKeyConstraintName: 'fk_deleted_keys_deletion' })
  deletion?: Deletion;

  /** JSON text. This and the columns below are copied from `Attestation`; `null` if there was none. */
  @Column({ ...TEXT, nullable: true })
  evidence!: string | null;

  @Column({ ...LARGE_BYTES, nullable: true })
  certificates!: Buffer | null;

  @Column({ ...bytes(512), nullable: true })
  authorities!: Buffer | null;

  @Column({ ...LARGE_BYTES, nullable: true })
  proof!: Buffer | null;

  @Column({ ...words(128), nullable: true })
  uvm!: string | null;
}

@Entity('deleted_handles')
export class DeletedHandle extends ScopedColumns {
  @PrimaryColumn(fixedBytes(16))
  deletionId!: Buffer;

  @ManyToOne(() => Deletion, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'deletion_id', foreignKeyConstraintName: 'fk_deleted_handles_deletion' })
  deletion?: Deletion;

  @PrimaryColumn(bytes(64))
  handle!: Buffer;
}

@Entity('deleted_names')
export class DeletedName extends ScopedColumns {
  @PrimaryColumn(fixedBytes(16))
  deletionId!: Buffer;

  @ManyToOne(() => Deletion, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'deletion_id', foreignKeyConstraintName: 'fk_deleted_names_deletion' })
  deletion?: Deletion;

  @PrimaryColumn({ ...bytes(255), transformer: utf8Bytes })
  username!: Encoded;

  @PrimaryColumn(WHOLE)
  until!: number;
}
