import { sha256 } from '../../platform/common/sha256.js';
import type { Booking } from '../pricing/booking.js';
import { negatedAmount } from '../pricing/pricing.js';
import { dateOf, dayOf, monthOf } from '../usage/calendar.js';
import { COUNTING_DELAY_MS } from '../usage/roll-up.js';
import { DAY_MS } from '../../platform/common/durations.js';
import type { DocumentKind } from './invoice.entity.js';
import type { Invoice, InvoiceLine, InvoicedTenant } from './invoice.answer.js';

/** An invoice, statement or credit note of one tenant, which is numbered when it is stored. */
export interface Draft {
  readonly tenantId: Buffer;
  readonly kind: DocumentKind;
  /** A digest that is unique for a date: storing another draft with the same digest returns the first. */
  readonly uniqueDigest: Buffer;
  readonly invoice: Invoice;
}

interface DraftContext {
  readonly day: number;
  readonly tenantId: Buffer;
  readonly booking: Booking;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** How often the tenant's invoice of the month was cancelled. */
  readonly cancelled: number;
}

/** Whether a day is the last of its month and the month is over: its figures are final and can be charged. */
const closesMonth = (day: number, now: number): boolean =>
  monthOf(day + 1) !== monthOf(day) && now >= (day + 1) * DAY_MS + COUNTING_DELAY_MS;

/**
 * Returns the draft of one tenant's invoice or, for a day that does not close its month, of a statement,
 * which charges nothing.
 *
 * @param invoice the computed invoice, with that tenant alone
 */
export function draftOf(invoice: Invoice, context: DraftContext): Draft {
  const { day, tenantId, now, cancelled } = context;
  const isFinal = closesMonth(day, now);
  const kind = isFinal ? 'invoice' : 'statement';
  const booked = { ...invoice, kind, ...partiesOf(invoice, context.booking) } as const;
  return {
    tenantId,
    kind,
    uniqueDigest: isFinal
      ? uniqueInvoiceDigest(tenantId, cancelled)
      : sha256(JSON.stringify([kind, tenantId.toString('hex'), booked])),
    invoice: { ...booked, ...datesOf(kind, context) },
  };
}

function partiesOf({ tenants: [tenant] }: Invoice, { issuer, recipients }: Booking) {
  const recipient = recipients.get(tenant?.tenant ?? '');
  return { ...(issuer && { issuer }), ...(recipient && { recipient }) };
}

/** Members that depend on when a document is stored, not on its content. */
function datesOf(kind: DocumentKind, { now, booking }: DraftContext) {
  const today = dayOf(now);
  const { terms, dueDays } = booking;
  if (kind === 'statement') return { issuedOn: dateOf(today) };
  return {
    issuedOn: dateOf(today),
    ...(dueDays !== undefined && { dueOn: dateOf(today + dueDays) }),
    ...(terms !== undefined && { terms }),
  };
}

/** Returns the draft of a credit note, which cancels a stored invoice: the same lines with the opposite amounts. */
export function creditNoteOf(
  invoice: Invoice & { readonly number: number | string },
  { tenantId, reason, now }: { tenantId: Buffer; reason: string; now: number },
): Draft {
  const { number: cancels, date, period, currency, issuer, recipient } = invoice;
  const { tenants, total, gross } = invoice;
  return {
    tenantId,
    kind: 'credit-note',
    uniqueDigest: uniqueCreditNoteDigest(cancels),
    invoice: {
      kind: 'credit-note',
      cancels,
      reason,
      date,
      period,
      currency,
      issuedOn: dateOf(dayOf(now)),
      ...(issuer && { issuer }),
      ...(recipient && { recipient }),
      tenants: tenants.map(credited),
      total: negatedAmount(total),
      ...(gross !== undefined && { gross: negatedAmount(gross) }),
    },
  };
}

/** `Draft.uniqueDigest` of the invoice of a tenant's month after this number of cancellations. */
export const uniqueInvoiceDigest = (tenantId: Buffer, cancelled: number): Buffer =>
  sha256(JSON.stringify(['invoice', tenantId.toString('hex'), cancelled]));

/** `Draft.uniqueDigest` of the credit note of an invoice. */
export const uniqueCreditNoteDigest = (cancels: number | string): Buffer =>
  sha256(JSON.stringify(['credit-note', cancels]));

/** The data of a tenant in a credit note. It omits the usage figures, because it is only about money. */
const credited = ({ lines, total, vat, gross, ...tenant }: InvoicedTenant): InvoicedTenant => ({
  ...tenant,
  relyingParties: [],
  lines: lines.map((line): InvoiceLine => ({ ...line, amount: negatedAmount(line.amount) })),
  total: negatedAmount(total),
  ...(vat && { vat: { ...vat, amount: negatedAmount(vat.amount) } }),
  ...(gross !== undefined && { gross: negatedAmount(gross) }),
});
