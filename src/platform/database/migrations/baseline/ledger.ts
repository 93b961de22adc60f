import type { TableOptions } from 'typeorm';
import {
  LARGE_BYTES,
  SMALL,
  TEXT,
  WHOLE,
  bytes,
  fixedBytes,
  words,
} from '../../entities/column-types.js';
import { column, index, unique, uniqueIndex } from '../table-parts.js';

export const ledgerTables = (isMysql: boolean): TableOptions[] => [
  /** The ledger of events: rows are only ever added, and they outlive their users and credentials. */
  {
    name: 'events',
    columns: [
      column('id', fixedBytes(16), { isPrimary: true }),
      column('at', WHOLE),
      column('tenant_id', fixedBytes(16)),
      column('relying_party_id', fixedBytes(16)),
      column('user_id', fixedBytes(16)),
      column('username', bytes(255)),
      column('credential', fixedBytes(8)),
      // SQLite accepts texts of any length; 16 is the length in its databases from before the baseline.
      column('kind', words(isMysql ? 32 : 16)),
      column('code', words(8), { isNullable: true }),
      column('detail', words(100), { isNullable: true }),
      column('request_id', words(32), { isNullable: true }),
      column('address', words(45), { isNullable: true }),
      column('browser', words(32), { isNullable: true }),
      column('ceremony', fixedBytes(16), { isNullable: true }),
    ],
    indices: [
      index('ix_events_relying_party', 'relying_party_id', 'at'),
      index('ix_events_user', 'relying_party_id', 'username', 'at'),
      index('ix_events_request', 'request_id'),
      // No ceremony is completed twice.
      uniqueIndex('uq_events_ceremony', 'ceremony'),
    ],
  },
  /** Numbers of events, in whose order they are read: one row numbers many events. */
  {
    name: 'event_batches',
    columns: [
      column('last', WHOLE, { isPrimary: true }),
      column('tenant_id', fixedBytes(16)),
      column('relying_party_id', fixedBytes(16)),
      column('slice', WHOLE),
      column('size', SMALL),
      column('ids', bytes(4096)),
    ],
    indices: [
      index('ix_event_batches_relying_party', 'relying_party_id', 'last'),
      index('ix_event_batches_tenant', 'tenant_id', 'last'),
      index('ix_event_batches_slice', 'slice', 'size'),
    ],
  },
  /** One row: how far events are numbered. */
  {
    name: 'event_numbering',
    columns: [
      column('id', SMALL, { isPrimary: true }),
      column('last', WHOLE),
      column('upto', WHOLE),
    ],
  },
  /** Receipts, which prove that a user confirmed a transaction. */
  {
    name: 'receipts',
    columns: [
      column('id', fixedBytes(16), { isPrimary: true }),
      column('at', WHOLE),
      column('tenant_id', fixedBytes(16)),
      column('relying_party_id', fixedBytes(16)),
      column('username', bytes(255)),
      column('credential_hash', fixedBytes(32)),
      column('public_key', bytes(4096)),
      column('client_data', LARGE_BYTES),
      column('authenticator_data', LARGE_BYTES),
      column('signature', LARGE_BYTES),
    ],
    indices: [index('ix_receipts_user', 'relying_party_id', 'username', 'at')],
  },
  /** Counts of ceremonies that leave no event, by week, kind, browser and outcome. */
  {
    name: 'ceremony_counts',
    withoutRowid: true,
    columns: [
      column('relying_party_id', fixedBytes(16), { isPrimary: true }),
      column('week', SMALL, { isPrimary: true }),
      column('kind', words(16), { isPrimary: true }),
      column('step', words(16), { isPrimary: true }),
      column('browser', words(16), { isPrimary: true }),
      column('detail', words(36), { isPrimary: true }),
      column('tenant_id', fixedBytes(16)),
      column('n', WHOLE),
    ],
    indices: [index('ix_ceremony_counts_week', 'week')],
  },
  /** One row: how far events are counted. It is advanced by compare-and-set, in the same unit as the counts. */
  {
    name: 'usage_progress',
    columns: [column('id', SMALL, { isPrimary: true }), column('upto', WHOLE)],
  },
  /**
   * A relying party's usage of a day (days since 1970, UTC) and its totals at the day's end; days without
   * events have no row. `active_users` counts from the month's first day up to this one.
   */
  {
    name: 'usage_days',
    columns: [
      column('relying_party_id', fixedBytes(16), { isPrimary: true }),
      column('day', SMALL, { isPrimary: true }),
      column('month', SMALL),
      column('registrations', WHOLE),
      column('authentications', WHOLE),
      column('users', WHOLE),
      column('enabled', WHOLE),
      column('disabled', WHOLE),
      column('active_users', WHOLE),
      column('events', WHOLE),
      column('tenant_id', fixedBytes(16), { isNullable: true }),
    ],
    indices: [index('ix_usage_days_day', 'day')],
  },
  /**
   * Users who registered or signed in during a month (yyyymm, UTC), so that each counts once; `since` is how far
   * events had been counted then. Rows of past months are deleted.
   */
  {
    name: 'usage_active',
    columns: [
      column('month', SMALL, { isPrimary: true }),
      column('relying_party_id', fixedBytes(16), { isPrimary: true }),
      column('user_id', fixedBytes(16), { isPrimary: true }),
      column('since', WHOLE),
      column('tenant_id', fixedBytes(16), { isNullable: true }),
    ],
  },
  /**
   * Numbered invoices, byte for byte as they were sent; rows are only ever added. `figures` is the
   * SHA-256 of an invoice without its number: the same figures for the same date keep their number.
   */
  {
    name: 'invoices',
    columns: [
      column('number', WHOLE, { isPrimary: true }),
      column('date', words(10)),
      column('figures', fixedBytes(32)),
      column('digest', fixedBytes(32)),
      column('body', LARGE_BYTES),
      column('tenants', TEXT),
      column('currency', words(3)),
      column('total', WHOLE),
      column('issued_at', WHOLE),
      column('issued_by', bytes(255)),
      column('series', words(10), { isPrimary: true, default: "'invoice'" }),
      column('kind', words(12), { default: "'invoice'" }),
      column('tenant_id', fixedBytes(16), { isNullable: true }),
      column('cancels', WHOLE, { isNullable: true }),
      // The series of the invoice that a credit note cancels; `null` for the first one, `invoice`.
      column('cancels_series', words(10), { isNullable: true }),
      // The electronic document, if there is one, and its SHA-256.
      column('xml', LARGE_BYTES, { isNullable: true }),
      column('xml_digest', fixedBytes(32), { isNullable: true }),
    ],
    uniques: [unique('uq_invoices_figures', 'date', 'figures')],
    indices: [
      index('ix_invoices_tenant', 'tenant_id', 'date'),
      index('ix_invoices_series', 'series', 'number'),
      index('ix_invoices_issued', 'issued_at', 'series', 'number'),
      index('ix_invoices_kind', 'kind', 'issued_at', 'series', 'number'),
    ],
  },
];
