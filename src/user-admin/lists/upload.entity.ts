import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { WHOLE, bytes, fixedBytes, words } from '../../platform/database/entities/column-types.js';
import { utf8Bytes } from '../../platform/database/columns.js';

/**
 * `receiving` until the whole list is stored; then `ready`, `deleting` while its users are deleted,
 * `stopped` on the way or `done`.
 */
export type UploadState = 'receiving' | 'ready' | 'deleting' | 'stopped' | 'done';

/** A list of user names that was uploaded, for one relying party and an hour. */
@Entity('uploads')
@Index('ix_uploads_expiry', ['expiresAt'])
export class UploadEntity {
  @PrimaryColumn(fixedBytes(16))
  id!: Buffer;

  @Column({ ...bytes(255), transformer: utf8Bytes })
  account!: string;

  @Column(fixedBytes(16))
  relyingPartyId!: Buffer;

  @Column(words(10))
  state!: UploadState;

  @Column(WHOLE)
  expiresAt!: number;

  /** `null` where an instance of the version before wrote the row. */
  @Column({ ...fixedBytes(16), nullable: true })
  tenantId!: Buffer | null;
}
