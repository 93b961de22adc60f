import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { utf8Bytes } from '../../platform/database/columns.js';
import { WHOLE, bytes, fixedBytes } from '../../platform/database/entities/column-types.js';
import { Deletion } from './deletion.entity.js';

/** An earlier name of a user who was deleted. */
@Entity('deleted_names')
export class DeletedName {
  @PrimaryColumn(fixedBytes(16))
  deletionId!: Buffer;

  @ManyToOne(() => Deletion, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'deletion_id', foreignKeyConstraintName: 'fk_deleted_names_deletion' })
  deletion?: Deletion;

  @PrimaryColumn({ ...bytes(255), transformer: utf8Bytes })
  username!: string;

  @PrimaryColumn(WHOLE)
  until!: number;

  @Column(fixedBytes(16))
  tenantId!: Buffer;

  @Column(fixedBytes(16))
  relyingPartyId!: Buffer;
}
