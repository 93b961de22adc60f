import type { MigrationInterface, QueryRunner } from 'typeorm';
import { words } from '../entities/column-types.js';
import { changeText, column } from './table-parts.js';

/** Unknown transports need more space. */
export class WidenTransports1764300002410 implements MigrationInterface {
  up(queryRunner: QueryRunner): Promise<void> {
    return changeText(queryRunner, 'credentials', column('transports', words(527)));
  }

  down(queryRunner: QueryRunner): Promise<void> {
    return changeText(queryRunner, 'credentials', column('transports', words(255)));
  }
}
