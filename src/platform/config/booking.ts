import { YamlReader } from './yaml-reader.js';

/** Somebody whom an invoice names. */
interface Party {
  readonly name: string;
  /** Postal address, one item per line. */
  readonly address: readonly string[];
  readonly vatId?: string;
}

interface Issuer extends Party {
  /** Bank account to pay to. */
  readonly bank?: string;
}

interface Recipient extends Party {
  /** A text that the recipient wants on invoices, such as a purchase order number. */
  readonly reference?: string;
}

/** A rate in hundredths of a percent, or a note that says why there is none. */
export type Vat = { readonly rate: number } | { readonly note: string };

/** What an invoice needs besides prices so that it can be booked. */
export interface Booking {
  readonly issuer?: Issuer;
  readonly terms?: string;
  /** Days from the issue of an invoice to when it is due. */
  readonly dueDays?: number;
  /** Recipients of invoices by the tenant's name. */
  readonly recipients: ReadonlyMap<string, Recipient>;
  /** VAT by the tenant's name, for tenants with another VAT than the price list's. */
  readonly vat: ReadonlyMap<string, Vat>;
}

export const NO_BOOKING: Booking = { recipients: new Map(), vat: new Map() };

/** The members of the billing file that `BookingReader` reads. */
export const BOOKING_FIELDS = ['issuer', 'terms', 'dueDays', 'recipients'];

const PARTY = ['name', 'address', 'vatId'];
const MAX_RATE = 100;
const MAX_DUE_DAYS = 365;

/** Reads who issues invoices, who gets them, and on which terms. */
export class BookingReader extends YamlReader {
  booking(content: unknown): Booking {
    const { issuer, terms, dueDays, recipients = {} } = this.fields('the file', content);
    const parties = Object.entries(this.fields('recipients', recipients));
    const named = <T>(read: (at: string, value: unknown) => T | undefined) =>
      new Map(
        parties.flatMap(([tenant, value]) => {
          const found = read(`recipients.${tenant}`, value);
          return found === undefined ? [] : [[tenant, found] as const];
        }),
      );
    return {
      ...(issuer !== undefined && { issuer: this.issuer(issuer) }),
      ...(terms !== undefined && { terms: this.text('terms', terms) }),
      ...(dueDays !== undefined && { dueDays: this.whole('dueDays', dueDays, 0, MAX_DUE_DAYS) }),
      recipients: named((at, value) => this.recipient(at, value)),
      vat: named((at, value) => this.vat(`${at}.vat`, this.fields(at, value)['vat'])),
    };
  }

  /** @returns `undefined` where the file does not mention it */
  vat(at: string, value: unknown): Vat | undefined {
    if (value === undefined) return undefined;
    const { rate, note } = this.fields(at, value, ['rate', 'note']);
    this.check((rate === undefined) !== (note === undefined), at, 'needs "rate" or "note"');
    return rate === undefined
      ? { note: this.text(`${at}.note`, note) }
      : { rate: this.rate(at, rate) };
  }

  private issuer(value: unknown): Issuer {
    const { bank } = this.fields('issuer', value, [...PARTY, 'bank']);
    const told = this.optionalText('issuer.bank', bank);
    return { ...this.party('issuer', value), ...(told !== undefined && { bank: told }) };
  }

  private recipient(at: string, value: unknown): Recipient {
    const { reference } = this.fields(at, value, [...PARTY, 'reference', 'vat']);
    const told = this.optionalText(`${at}.reference`, reference);
    return { ...this.party(at, value), ...(told !== undefined && { reference: told }) };
  }

  private party(at: string, value: unknown): Party {
    const { name, address, vatId } = this.fields(at, value);
    const lines: readonly unknown[] = Array.isArray(address) ? address : [];
    this.check(lines.length > 0, `${at}.address`, 'must be a list of lines');
    const told = this.optionalText(`${at}.vatId`, vatId);
    return {
      name: this.text(`${at}.name`, name),
      address: lines.map((line, n) => this.text(`${at}.address[${n}]`, line)),
      ...(told !== undefined && { vatId: told }),
    };
  }

  /** Reads a percentage with at most two decimals, such as 7.7, as hundredths of a percent. */
  private rate(at: string, value: unknown): number {
    const hundredths = typeof value === 'number' ? Math.round(value * 100) : Number.NaN;
    const right = hundredths / 100 === value && hundredths >= 0 && hundredths <= MAX_RATE * 100;
    this.check(right, `${at}.rate`, 'must be a percentage with at most two decimals');
    return right ? hundredths : 0;
  }
}
