import { sql } from '../../platform/database/statement.js';
import { tableOf } from '../../platform/database/entities/table.js';
import { MetadataChunk, MetadataSourceEntity } from './metadata-source.entity.js';

const chunk = tableOf(MetadataChunk);
const source = tableOf(MetadataSourceEntity);

/** Deletes old chunks that belong to no source's last good BLOB. */
export const FORGET_ORPHANS = sql<{ before: number }>(`DELETE FROM ${chunk.from}
  WHERE ${chunk.storedAt} < :before
    AND ${chunk.digest} NOT IN (SELECT ${source.digest} FROM ${source.from})`);
