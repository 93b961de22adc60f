import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import {
  WHOLE,
  bytes,
  fixedBytes,
  words,
  SMALL,
} from '../../platform/database/entities/column-types.js';
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

/** A line of an uploaded list; a list has each name once. */
@Entity('upload_lines')
@Unique('uq_upload_lines_username', ['uploadId', 'username'])
export class UploadLine {
  @PrimaryColumn(fixedBytes(16))
  uploadId!: Buffer;

  @PrimaryColumn(SMALL)
  line!: number;

  /** `null` where the line cannot be a user name: then `shown` is its beginning. */
  @Column({ ...bytes(255), nullable: true })
  username!: Buffer | null;

  @Column({ ...bytes(255), nullable: true })
  shown!: Buffer | null;

  /**
   * The user whom the name meant when the line was stored, at the old domain of a move only where there was none
   * at the new one; zeros where nobody had the name. `null` where an instance of the version before wrote the row.
   */
  @Column({ ...fixedBytes(16), nullable: true })
  userId!: Buffer | null;

  /** `deleted` or `missing`; `null` as long as no deletion has reached the line. */
  @Column({ ...words(8), nullable: true })
  outcome!: string | null;

  @Column({ ...SMALL, default: 0 })
  credentials!: number;
}
