import type { TableOptions } from 'typeorm';
import type { Columns } from '../columns.js';
import { index, unique, uniqueIndex } from '../keys.js';

export const ledgerTables = ({
  bytes,
  fixedBytes,
  largeBytes,
  mysql,
  small,
  text,
  whole,
  words,
}: Columns): TableOptions[] => [
  /** The usage ledger: rows are only ever added, and they outlive their users and credentials. */
  {
    name: 'events',
    columns: [
      fixedBytes('id', 16, { isPrimary: true }),
      whole('at'),
      fixedBytes('tenant_id', 16),
      fixedBytes('relying_party_id', 16),
      fixedBytes('user_id', 16),
      bytes('username', 255),
      fixedBytes('credential', 8),
      // SQLite accepts texts of any length; 16 is the length in its databases from before the baseline.
      words('kind', mysql ? 32 : 16),
      words('code', 8, { isNullable: true }),
      words('detail', 100, { isNullable: true }),
      words('request_id', 32, { isNullable: true }),
      words('address', 45, { isNullable: true }),
      words('browser', 32, { isNullable: true }),
      fixedBytes('ceremony', 16, { isNullable: true }),
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
      whole('last', { isPrimary: true }),
      fixedBytes('tenant_id', 16),
      fixedBytes('relying_party_id', 16),
      whole('slice'),
      small('size'),
      bytes('ids', 4096),
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
    columns: [small('id', { isPrimary: true }), whole('last'), whole('upto')],
  },
  /** Receipts, which prove that a user confirmed a transaction. */
  {
    name: 'receipts',
    columns: [
      fixedBytes('id', 16, { isPrimary: true }),
      whole('at'),
      fixedBytes('tenant_id', 16),
      fixedBytes('relying_party_id', 16),
      bytes('username', 255),
      fixedBytes('credential_hash', 32),
      bytes('public_key', 4096),
      largeBytes('client_data'),
      largeBytes('authenticator_data'),
      largeBytes('signature'),
    ],
    indices: [index('ix_receipts_user', 'relying_party_id', 'username', 'at')],
  },
  /** Counts of ceremonies that leave no event, by week, kind, browser and outcome. */
  {
    name: 'ceremony_counts',
    withoutRowid: true,
    columns: [
      fixedBytes('relying_party_id', 16, { isPrimary: true }),
      small('week', { isPrimary: true }),
      words('kind', 16, { isPrimary: true }),
      words('step', 16, { isPrimary: true }),
      words('browser', 16, { isPrimary: true }),
      words('detail', 36, { isPrimary: true }),
      fixedBytes('tenant_id', 16),
      whole('n'),
    ],
    indices: [index('ix_ceremony_counts_week', 'week')],
  },
  /** One row: how far events are counted. It is advanced by compare-and-set, in the same unit as the counts. */
  {
    name: 'usage_progress',
    columns: [small('id', { isPrimary: true }), whole('upto')],
  },
  /**
   * A relying party's usage of a day (days since 1970, UTC) and its totals at the day's end; days without
   * events have no row. `active_users` counts from the month's first day up to this one.
   */
  {
    name: 'usage_days',
    columns: [
      fixedBytes('relying_party_id', 16, { isPrimary: true }),
      small('day', { isPrimary: true }),
      small('month'),
      whole('registrations'),
      whole('authentications'),
      whole('users'),
      whole('enabled'),
      whole('disabled'),
      whole('active_users'),
      whole('events'),
      fixedBytes('tenant_id', 16, { isNullable: true }),
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
      small('month', { isPrimary: true }),
      fixedBytes('relying_party_id', 16, { isPrimary: true }),
      fixedBytes('user_id', 16, { isPrimary: true }),
      whole('since'),
      fixedBytes('tenant_id', 16, { isNullable: true }),
    ],
  },
  /**
   * Numbered invoices, byte for byte as they were sent; rows are only ever added. `figures` is the
   * SHA-256 of an invoice without its number: the same figures for the same date keep their number.
   */
  {
    name: 'invoices',
    columns: [
      whole('number', { isPrimary: true }),
      words('date', 10),
      fixedBytes('figures', 32),
      fixedBytes('digest', 32),
      largeBytes('body'),
      text('tenants'),
      words('currency', 3),
      whole('total'),
      whole('issued_at'),
      bytes('issued_by', 255),
      words('series', 10, { isPrimary: true, default: "'invoice'" }),
      words('kind', 12, { default: "'invoice'" }),
      fixedBytes('tenant_id', 16, { isNullable: true }),
      whole('cancels', { isNullable: true }),
      // The series of the invoice that a credit note cancels; `null` for the first one, `invoice`.
      words('cancels_series', 10, { isNullable: true }),
      // The electronic document, if there is one, and its SHA-256.
      largeBytes('xml', { isNullable: true }),
      fixedBytes('xml_digest', 32, { isNullable: true }),
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
