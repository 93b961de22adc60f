import { Column, Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import {
  FLAG,
  LARGE_BYTES,
  TEXT,
  bytes,
  fixedBytes,
  words,
} from '../../platform/database/entities/column-types.js';
import { CredentialColumns } from '../credentials/credential.entity.js';
import { Deletion } from './deletion.entity.js';

/** A key as it was when it was deleted, with what its registration proved where that was kept. */
@Entity('deleted_keys')
@Index('ix_deleted_keys_hash', ['relyingPartyId', 'credentialHash'])
@Index('ix_deleted_keys_user', ['userId'])
@Index('ix_deleted_keys_deletion', ['deletionId'])
export class DeletedKey extends CredentialColumns {
  @Column(fixedBytes(16))
  deletionId!: Buffer;

  @ManyToOne(() => Deletion, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'deletion_id', foreignKeyConstraintName: 'fk_deleted_keys_deletion' })
  deletion?: Deletion;

  /** JSON text. This and the columns below are those of `Attestation`; `null` where it had none. */
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

  /** This and the next are those of `Credential`. */
  @Column({ ...FLAG, nullable: true })
  uvInitialized!: boolean | null;

  @Column({ ...FLAG, nullable: true })
  madeUnderAuthority!: boolean | null;
}
