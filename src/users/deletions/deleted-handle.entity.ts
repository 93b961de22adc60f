import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { bytes, fixedBytes } from '../../platform/database/entities/column-types.js';
import { Deletion } from './deletion.entity.js';

/** A further handle of a user who was deleted. */
@Entity('deleted_handles')
export class DeletedHandle {
  @PrimaryColumn(fixedBytes(16))
  deletionId!: Buffer;

  @ManyToOne(() => Deletion, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'deletion_id', foreignKeyConstraintName: 'fk_deleted_handles_deletion' })
  deletion?: Deletion;

  @PrimaryColumn(bytes(64))
  handle!: Buffer;

  @Column(fixedBytes(16))
  tenantId!: Buffer;

  @Column(fixedBytes(16))
  relyingPartyId!: Buffer;
}
