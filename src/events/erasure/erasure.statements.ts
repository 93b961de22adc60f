import { marksOf } from '../../platform/database/padded.js';
import { tableOf } from '../../platform/database/entities/table.js';
import { EventEntity } from '../event.entity.js';
import { Receipt } from '../receipts/receipt.entity.js';

const event = tableOf(EventEntity);
const receipt = tableOf(Receipt);

/** Parameters: rp, username, until, limit. Finds events of a name up to a time. */
export const EVENTS_OF_NAME = `SELECT ${event.id} FROM ${event.from}
  WHERE ${event.positionalScope} AND ${event.username} = ? AND ${event.at} <= ? LIMIT ?`;

/** Parameters: username, rp, ids. Removes address and browser together with the name. */
export const renameEvents = (ids: readonly unknown[]) => `UPDATE ${event.from}
  SET ${event.username} = ?, ${event.address} = NULL, ${event.browser} = NULL
  WHERE ${event.positionalScopeOfIds} AND ${event.id} IN (${marksOf(ids)})`;

/** Parameters: rp, username, until, limit. Finds receipts of a name up to a time. */
export const RECEIPTS_OF_NAME = `SELECT ${receipt.id} FROM ${receipt.from}
  WHERE ${receipt.positionalScope} AND ${receipt.username} = ? AND ${receipt.at} <= ? LIMIT ?`;

/** Parameters: username, rp, ids. */
export const renameReceipts = (ids: readonly unknown[]) => `UPDATE ${receipt.from}
  SET ${receipt.username} = ? WHERE ${receipt.positionalScopeOfIds} AND ${receipt.id} IN (${marksOf(ids)})`;
