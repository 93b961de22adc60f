import { tableOf } from '../../platform/database/entities/table.js';
import { Receipt } from './receipt.entity.js';

const receipt = tableOf(Receipt);

const COLUMNS = [
  'id',
  'at',
  'relyingPartyId',
  'tenantId',
  'username',
  'credentialHash',
  'publicKey',
  'clientData',
  'authenticatorData',
  'signature',
] as const satisfies readonly (keyof Receipt)[];

/** Parameters: a receipt's values, in the order of `COLUMNS`. */
export const KEEP_RECEIPT = `INSERT INTO ${receipt.from} (${receipt.list(...COLUMNS)})
  VALUES (${COLUMNS.map(() => '?').join(', ')})`;

/** Parameters: to, as an ID. Receipts are deleted together with the events of their sign-ins. */
export const DELETE_RECEIPTS = `DELETE FROM ${receipt.from} WHERE ${receipt.id} < ?`;
