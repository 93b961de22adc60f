import { sql } from '../../platform/database/statement.js';
import { tableOf } from '../../platform/database/entities/table.js';
import { MetadataChunk, MetadataSourceEntity } from './metadata-source.entity.js';

const chunks = tableOf(MetadataChunk);
const sources = tableOf(MetadataSourceEntity);

/** Deletes old chunks that belong to no source's last good BLOB. */
export const FORGET_ORPHANS = sql<{ before: number }>(`DELETE FROM ${chunks.from}
  WHERE ${chunks.storedAt} < :before
    AND ${chunks.digest} NOT IN (SELECT ${sources.digest} FROM ${sources.from})`);
