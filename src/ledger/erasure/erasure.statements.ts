import { marksOf } from '../../database/padded.js';
import { tableOf } from '../../database/entities/table.js';
import { EventEntity } from '../event.entity.js';
import { Receipt } from '../receipts/receipt.entity.js';

const event = tableOf(EventEntity);
const receipt = tableOf(Receipt);

/** rp, username, until, limit: events of a name up to a moment. */
export const EVENTS_OF_NAME = `SELECT ${event.id} FROM ${event.from}
  WHERE ${event.scope} AND ${event.username} = ? AND ${event.at} <= ? LIMIT ?`;

/** username, rp, ids: where the person was goes with the name. */
export const renameEvents = (ids: readonly unknown[]) => `UPDATE ${event.from}
  SET ${event.username} = ?, ${event.address} = NULL, ${event.browser} = NULL
  WHERE ${event.scopeOfIds} AND ${event.id} IN (${marksOf(ids)})`;

/** rp, username, until, limit: receipts have no index of names, and are few. */
export const RECEIPTS_OF_NAME = `SELECT ${receipt.id} FROM ${receipt.from}
  WHERE ${receipt.scope} AND ${receipt.username} = ? AND ${receipt.at} <= ? LIMIT ?`;

/** username, rp, ids. */
export const renameReceipts = (ids: readonly unknown[]) => `UPDATE ${receipt.from}
  SET ${receipt.username} = ? WHERE ${receipt.scopeOfIds} AND ${receipt.id} IN (${marksOf(ids)})`;
