import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import {
  bytes,
  fixedBytes,
  utf8Bytes,
  type Encoded,
} from '../../platform/database/entities/column-types.js';
import { KeyedByRelyingParty, ScopedColumns } from '../../platform/database/scope.js';
import { MAX_NAME_BYTES } from '../../platform/validation/values/names.js';
import { Deletion } from '../deletions/deletion.entity.js';
import { User } from '../user.entity.js';

/**
 * The membership of a user in a group. A group is its name, in NFC; it exists while it has members. The key finds the
 * members of a group slice by slice, and adds or removes one without reading the others.
 */
@Entity('user_groups', { withoutRowid: true })
@Index('ix_user_groups_user', ['userId'])
export class UserGroup extends KeyedByRelyingParty {
  @PrimaryColumn({ ...bytes(MAX_NAME_BYTES), transformer: utf8Bytes })
  name!: Encoded;

  @PrimaryColumn(fixedBytes(16))
  userId!: Buffer;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'fk_user_groups_user' })
  user?: User;
}

/** A group of a deleted user, whose deletion can be undone. */
@Entity('deleted_groups')
export class DeletedGroup extends ScopedColumns {
  @PrimaryColumn(fixedBytes(16))
  deletionId!: Buffer;

  @ManyToOne(() => Deletion, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'deletion_id', foreignKeyConstraintName: 'fk_deleted_groups_deletion' })
  deletion?: Deletion;

  @PrimaryColumn({ ...bytes(MAX_NAME_BYTES), transformer: utf8Bytes })
  name!: Encoded;

  /** The `DirectoryGroup` that had the name, if any: when it is restored, the group may have another name. */
  @Column({ ...fixedBytes(16), nullable: true })
  directoryGroupId!: Buffer | null;
}
