import { sql } from '../../platform/database/statement.js';
import { tableOf } from '../../platform/database/entities/table.js';
import { Receipt } from './receipt.entity.js';

const receipt = tableOf(Receipt);

export const KEEP_RECEIPT = sql<Omit<Receipt, 'username'> & { readonly username: Buffer }>(
  `INSERT INTO ${receipt.row(...receipt.names)}`,
);

/** Deletes receipts before an ID, together with the events of their sign-ins. */
export const DELETE_RECEIPTS = sql<{ to: Buffer }>(
  `DELETE FROM ${receipt.from} WHERE ${receipt.id} < :to`,
);
