import { tableOf } from '../../platform/database/entities/table.js';
import { MetadataChunk } from './metadata-chunk.entity.js';
import { MetadataSourceEntity } from './metadata-source.entity.js';

const chunk = tableOf(MetadataChunk);
const source = tableOf(MetadataSourceEntity);

/** Parameters: stored at. Deletes older chunks that belong to no source's last good BLOB. */
export const FORGET_ORPHANS = `DELETE FROM ${chunk.from} WHERE ${chunk.storedAt} < ?
  AND ${chunk.digest} NOT IN (SELECT ${source.digest} FROM ${source.from})`;
