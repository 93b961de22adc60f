import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';
import { SMALL, bytes, fixedBytes, words } from '../../platform/database/entities/column-types.js';

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

  /** `deleted` or `missing`; `null` as long as no deletion has reached the line. */
  @Column({ ...words(8), nullable: true })
  outcome!: string | null;

  @Column({ ...SMALL, default: 0 })
  credentials!: number;
}
