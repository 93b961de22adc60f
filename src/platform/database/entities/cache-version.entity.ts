import { Column, Entity, PrimaryColumn } from 'typeorm';
import { SMALL, WHOLE } from './column-types.js';

/**
 * One row, created by a migration: increased by each change of tenants, relying parties, application keys, the
 * whitelist and signing keys.
 */
@Entity('directory_version')
export class CacheVersionEntity {
  @PrimaryColumn(SMALL)
  id!: number;

  @Column(WHOLE)
  version!: number;
}
