import { createHash } from 'node:crypto';
import type { Booking } from '../config/booking.js';
import { DAY_MS, dateOf, dayOf, monthOf } from './calendar.js';
import type { Kind } from './invoice.entity.js';
import type { Invoice, InvoiceLine, InvoicedTenant } from './invoice.schema.js';
import { GRACE_MS } from './roll-up.js';

/** What is to be stored for a tenant, and gets its number then. */
export interface Draft {
  readonly tenantId: Buffer;
  readonly kind: Kind;
  /** Digest of what there may be only one of for a date: whoever stores it again finds the first. */
  readonly once: Buffer;
  readonly invoice: Invoice;
}

/** What of a stored paper is said by when it was stored, and not by what it is about. */
type Dated = 'issuedOn' | 'dueOn';

export interface Occasion {
  readonly day: number;
  readonly tenantId: Buffer;
  readonly booking: Booking;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** How often the tenant's invoice of the month was cancelled. */
  readonly cancelled: number;
}

/** The month is over, and the day is its last: what it came to changes no more, and can be charged. */
export const closesMonth = (day: number, now: number): boolean =>
  monthOf(day + 1) !== monthOf(day) && now >= (day + 1) * DAY_MS + GRACE_MS;

/**
 * The invoice of one tenant; on a day that does not close its month a statement, which charges nothing.
 *
 * @param invoice as it was computed, with that tenant alone
 */
export function draftOf(invoice: Invoice, occasion: Occasion): Draft {
  const { day, tenantId, now, cancelled } = occasion;
  const isFinal = closesMonth(day, now);
  const kind = isFinal ? 'invoice' : 'statement';
  const booked = { ...invoice, kind, ...partiesOf(invoice, occasion.booking) } as const;
  const about = isFinal ? cancelled : booked;
  return {
    tenantId,
    kind,
    once: digestOf(JSON.stringify([kind, tenantId.toString('hex'), about])),
    invoice: { ...booked, ...datesOf(kind, occasion) },
  };
}

function partiesOf({ tenants: [tenant] }: Invoice, { issuer, recipients }: Booking) {
  const recipient = recipients.get(tenant?.tenant ?? '');
  return { ...(issuer && { issuer }), ...(recipient && { recipient }) };
}

function datesOf(kind: Kind, { now, booking }: Occasion): Pick<Invoice, Dated | 'terms'> {
  const today = dayOf(now);
  const { terms, dueDays } = booking;
  if (kind === 'statement') return { issuedOn: dateOf(today) };
  return {
    issuedOn: dateOf(today),
    ...(dueDays !== undefined && { dueOn: dateOf(today + dueDays) }),
    ...(terms !== undefined && { terms }),
  };
}

/** Takes a stored invoice back: the same lines, with the opposite amounts. */
export function creditNoteOf(
  invoice: Invoice & { readonly number: number },
  { tenantId, reason, now }: { tenantId: Buffer; reason: string; now: number },
): Draft {
  const { number: cancels, date, period, currency, issuer, recipient } = invoice;
  const { tenants, total, gross } = invoice;
  return {
    tenantId,
    kind: 'credit-note',
    once: digestOf(JSON.stringify(['credit-note', cancels])),
    invoice: {
      ...{ kind: 'credit-note', cancels, reason, date, period, currency },
      issuedOn: dateOf(dayOf(now)),
      ...(issuer && { issuer }),
      ...(recipient && { recipient }),
      tenants: tenants.map(credited),
      total: opposite(total),
      ...(gross !== undefined && { gross: opposite(gross) }),
    },
  };
}

/** The figures stay in the invoice: what a credit note is about is money. */
const credited = ({ lines, total, vat, gross, ...tenant }: InvoicedTenant): InvoicedTenant => ({
  ...tenant,
  relyingParties: [],
  lines: lines.map((line): InvoiceLine => ({ ...line, amount: opposite(line.amount) })),
  total: opposite(total),
  ...(vat && { vat: { ...vat, amount: opposite(vat.amount) } }),
  ...(gross !== undefined && { gross: opposite(gross) }),
});

/** Not -0, which JSON and people do not know. */
const opposite = (amount: number): number => (amount === 0 ? 0 : -amount);

export const digestOf = (bytes: Buffer | string): Buffer =>
  createHash('sha256').update(bytes).digest();
