import type { MigrationInterface, QueryRunner } from 'typeorm';
import { words } from '../entities/column-types.js';
import { changeText, column } from './table-parts.js';

/** Unknown transports of deleted keys need more space. */
export class WidenDeletedTransports1764300002420 implements MigrationInterface {
  up(queryRunner: QueryRunner): Promise<void> {
    return changeText(queryRunner, 'deleted_keys', column('transports', words(527)));
  }

  down(queryRunner: QueryRunner): Promise<void> {
    return changeText(queryRunner, 'deleted_keys', column('transports', words(255)));
  }
}
