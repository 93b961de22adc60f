import { tableOf } from '../../platform/database/entities/table.js';
import { sql } from '../../platform/database/statement.js';
import { SigningKeyEntity } from './signing-key.entity.js';

const keys = tableOf(SigningKeyEntity);

/**
 * Deletes no row if there is no other key: of two calls that delete the last two keys, one waits for the other. MySQL
 * accepts the table that it deletes from only as a derived table.
 */
export const DELETE_KEY_BESIDE_OTHERS = sql<Pick<SigningKeyEntity, 'kid'>>(
  `DELETE FROM ${keys.from} WHERE ${keys.kid} = :kid
    AND EXISTS (SELECT 1 FROM (SELECT ${keys.kid} FROM ${keys.from}) others WHERE others.kid <> :kid)`,
);
