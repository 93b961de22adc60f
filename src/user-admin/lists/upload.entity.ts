import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import {
  WHOLE,
  bytes,
  fixedBytes,
  words,
  SMALL,
  utf8Bytes,
  type Encoded,
} from '../../platform/database/entities/column-types.js';

export type LineOutcome = 'deleted' | 'missing';

/**
 * `receiving` until the whole list is stored; then `ready`, `deleting` while its users are deleted, and `stopped`
 * or `done`.
 */
export type UploadState = 'receiving' | 'ready' | 'deleting' | 'stopped' | 'done';

/** An uploaded list of user names for one relying party, which expires after an hour. */
@Entity('uploads')
@Index('ix_uploads_expiry', ['expiresAt'])
export class UploadEntity {
  @PrimaryColumn(fixedBytes(16))
  id!: Buffer;

  @Column({ ...bytes(255), transformer: utf8Bytes })
  account!: Encoded;

  @Column(fixedBytes(16))
  relyingPartyId!: Buffer;

  @Column(words(10))
  state!: UploadState;

  @Column(WHOLE)
  expiresAt!: number;

  /** `null` if an instance of the previous version wrote the row. */
  @Column({ ...fixedBytes(16), nullable: true })
  tenantId!: Buffer | null;
}

/** A stored list of user names. It belongs to one account and one relying party, and expires after an hour. */
export type Upload = Readonly<Omit<UploadEntity, 'tenantId'>>;

/** A list's ID as text: `uploadId` of the API, `list` of audit rows, and the occasion of its deletions. */
export const uploadIdOf = ({ id }: Pick<Upload, 'id'>): string => id.toString('base64url');

/** A line of an uploaded list, which contains each name once. */
@Entity('upload_lines')
@Unique('uq_upload_lines_username', ['uploadId', 'username'])
export class UploadLine {
  @PrimaryColumn(fixedBytes(16))
  uploadId!: Buffer;

  @PrimaryColumn(SMALL)
  line!: number;

  /** `null` if the line cannot be a user name: then `shown` is its beginning. */
  @Column({ ...bytes(255), nullable: true })
  username!: Buffer | null;

  @Column({ ...bytes(255), nullable: true })
  shown!: Buffer | null;

  /**
   * The user whom the name meant when the line was stored; a user at the predecessor only if there was none at the
   * successor; zeros if no user had the name. `null` if an instance of the previous version wrote the row.
   */
  @Column({ ...fixedBytes(16), nullable: true })
  userId!: Buffer | null;

  /** `deleted` or `missing`; `null` until a deletion has reached the line. */
  @Column({ ...words(8), nullable: true })
  outcome!: LineOutcome | null;

  @Column({ ...SMALL, default: 0 })
  credentials!: number;
}
