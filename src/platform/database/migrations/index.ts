import { Baseline1764300000000 } from './1764300000000-baseline.js';
import { ReceiptsByName1764300000100 } from './1764300000100-receipts-by-name.js';
import { LastInvoiceNumber1764300000101 } from './1764300000101-last-invoice-number.js';

/**
 * The schema's history, oldest first. MySQL commits each DDL statement by itself, so a migration after the
 * baseline has exactly one. Released migrations keep what they do.
 */
export const MIGRATIONS = [
  Baseline1764300000000,
  ReceiptsByName1764300000100,
  LastInvoiceNumber1764300000101,
];
