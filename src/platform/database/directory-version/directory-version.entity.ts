import { Column, Entity, PrimaryColumn } from 'typeorm';
import { SMALL, WHOLE } from '../entities/column-types.js';

/**
 * One row, which a migration made: raised by each change of tenants, relying parties, application keys, the
 * whitelist and signing keys.
 */
@Entity('directory_version')
export class DirectoryVersionEntity {
  @PrimaryColumn(SMALL)
  id!: number;

  @Column(WHOLE)
  version!: number;
}
