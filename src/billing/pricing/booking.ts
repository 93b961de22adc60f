import { YamlReader } from '../../platform/config/yaml-reader.js';

/** A party of an invoice. */
interface BillingParty {
  readonly name: string;
  /** Postal address as it is printed, one item per line. */
  readonly address: readonly string[];
  readonly vatId?: string;
  /** The same address for electronic invoices. */
  readonly postal?: PostalAddress;
  /** Address for sending and receiving electronic invoices: `EM:billing@example.com`, `0204:991-01234-44`. */
  readonly electronicAddress?: string;
}

interface PostalAddress {
  readonly street?: string;
  readonly postcode: string;
  readonly city: string;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
}

interface Contact {
  readonly name: string;
  readonly phone: string;
  readonly email: string;
}

interface Issuer extends BillingParty {
  /** Bank account to pay to, as it is printed. */
  readonly bank?: string;
  /** The same account for electronic invoices, without spaces. */
  readonly iban?: string;
  readonly contact?: Contact;
}

export const SYNTAXES = ['ubl', 'cii'] as const;
export type Syntax = (typeof SYNTAXES)[number];

interface Recipient extends BillingParty {
  /** A text that the recipient requires on invoices, for example a purchase order number or a Leitweg-ID. */
  readonly reference?: string;
  /** The syntax of its electronic invoices; absent if it receives none. */
  readonly electronic?: Syntax;
}

/** Why there is no VAT: `E`, it is exempt, or `AE`, the recipient owes it (reverse charge). */
export const EXEMPTIONS = ['E', 'AE'] as const;
export type Exemption = (typeof EXEMPTIONS)[number];

/** A rate in hundredths of a percent, or a note that says why there is none. */
export type Vat =
  { readonly rate: number } | { readonly note: string; readonly category?: Exemption };

/** The data besides prices that an invoice needs for bookkeeping. */
export interface Booking {
  readonly issuer?: Issuer;
  /** On printed documents: a `data:` URL. It is no part of a stored document. */
  readonly logo?: string;
  readonly terms?: string;
  /** Days from the issue of an invoice to when it is due. */
  readonly dueDays?: number;
  readonly recipients: ReadonlyMap<string, Recipient>;
  /** VAT by the tenant's name, for tenants whose VAT differs from the price list's. */
  readonly vat: ReadonlyMap<string, Vat>;
}

export const NO_BOOKING: Booking = { recipients: new Map(), vat: new Map() };

/** The members of the billing file that `BookingReader` reads. */
export const BOOKING_FIELDS = ['issuer', 'logo', 'terms', 'dueDays', 'recipients'];

const PARTY = ['name', 'address', 'vatId', 'postal', 'electronicAddress'];
/** A code of the list of electronic address schemes (EAS), and the address. */
const ELECTRONIC_ADDRESS = /^(?:EM|A[NQSU]|\d{4}):\S+$/;
const COUNTRY = /^[A-Z]{2}$/;
const MAX_RATE = 100;
const MAX_DUE_DAYS = 365;

/** Reads the issuer and the recipients of invoices, and their terms. */
export class BookingReader extends YamlReader {
  booking(content: unknown): Booking {
    const { issuer, logo, terms, dueDays, recipients = {} } = this.fields('the file', content);
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
      ...(logo !== undefined && { logo: this.text('logo', logo) }),
      ...(terms !== undefined && { terms: this.text('terms', terms) }),
      ...(dueDays !== undefined && { dueDays: this.whole('dueDays', dueDays, 0, MAX_DUE_DAYS) }),
      recipients: named((at, value) => this.recipient(at, value)),
      vat: named((at, value) => this.vat(`${at}.vat`, this.fields(at, value)['vat'])),
    };
  }

  /** @returns `undefined` if the file does not contain it */
  vat(at: string, value: unknown): Vat | undefined {
    if (value === undefined) return undefined;
    const { rate, note, category } = this.fields(at, value, ['rate', 'note', 'category']);
    this.check((rate === undefined) !== (note === undefined), at, 'needs "rate" or "note"');
    this.check(category === undefined || rate === undefined, at, 'has a "category" beside a rate');
    if (rate !== undefined) return { rate: this.rate(at, rate) };
    return {
      note: this.text(`${at}.note`, note),
      ...defined({ category: this.oneOf(`${at}.category`, category, EXEMPTIONS) }),
    };
  }

  private issuer(value: unknown): Issuer {
    const fields = this.fields('issuer', value, [...PARTY, 'bank', 'iban', 'contact']);
    const { bank, iban, contact } = fields;
    return {
      ...this.party('issuer', value),
      ...defined({
        bank: this.optionalText('issuer.bank', bank),
        iban: iban === undefined ? undefined : this.iban('issuer.iban', iban),
        contact: contact === undefined ? undefined : this.contact('issuer.contact', contact),
      }),
    };
  }

  private recipient(at: string, value: unknown): Recipient {
    const fields = this.fields(at, value, [...PARTY, 'reference', 'vat', 'electronic']);
    const { reference, electronic } = fields;
    const syntax = this.oneOf(`${at}.electronic`, electronic, [...SYNTAXES, 'off']);
    return {
      ...this.party(at, value),
      ...defined({
        reference: this.optionalText(`${at}.reference`, reference),
        electronic: syntax === 'off' ? undefined : syntax,
      }),
    };
  }

  private party(at: string, value: unknown): BillingParty {
    const { name, address, vatId, postal, electronicAddress } = this.fields(at, value);
    const lines: readonly unknown[] = Array.isArray(address) ? address : [];
    this.check(lines.length > 0, `${at}.address`, 'must be a list of lines');
    const endpoint = this.optionalText(`${at}.electronicAddress`, electronicAddress);
    this.check(
      endpoint === undefined || ELECTRONIC_ADDRESS.test(endpoint),
      `${at}.electronicAddress`,
      'must be a scheme and an address, such as EM:billing@example.com',
    );
    return {
      name: this.text(`${at}.name`, name),
      address: lines.map((line, n) => this.text(`${at}.address[${n}]`, line)),
      ...defined({
        vatId: this.optionalText(`${at}.vatId`, vatId),
        postal: postal === undefined ? undefined : this.postal(`${at}.postal`, postal),
        electronicAddress: endpoint,
      }),
    };
  }

  private postal(at: string, value: unknown): PostalAddress {
    const known = ['street', 'postcode', 'city', 'country'];
    const { street, postcode, city, country } = this.fields(at, value, known);
    const right = typeof country === 'string' && COUNTRY.test(country);
    this.check(right, `${at}.country`, 'must be two capital letters, such as DE');
    return {
      ...defined({ street: this.optionalText(`${at}.street`, street) }),
      postcode: this.text(`${at}.postcode`, postcode),
      city: this.text(`${at}.city`, city),
      country: right ? country : '',
    };
  }

  private contact(at: string, value: unknown): Contact {
    const { name, phone, email } = this.fields(at, value, ['name', 'phone', 'email']);
    return {
      name: this.text(`${at}.name`, name),
      phone: this.text(`${at}.phone`, phone),
      email: this.text(`${at}.email`, email),
    };
  }

  private iban(at: string, value: unknown): string {
    const iban = this.text(at, value).replaceAll(' ', '');
    this.check(isIban(iban), at, 'is no IBAN: its check digits are wrong');
    return iban;
  }

  /** Reads a percentage with at most two decimals, for example 7.7, as hundredths of a percent. */
  private rate(at: string, value: unknown): number {
    const hundredths = typeof value === 'number' ? Math.round(value * 100) : Number.NaN;
    const right = hundredths / 100 === value && hundredths >= 0 && hundredths <= MAX_RATE * 100;
    this.check(right, `${at}.rate`, 'must be a percentage with at most two decimals');
    return right ? hundredths : 0;
  }
}

/** Whether the check digits are correct (ISO 13616). */
function isIban(text: string): boolean {
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(text)) return false;
  const turned = text.slice(4) + text.slice(0, 4);
  const digits = turned.replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55));
  return BigInt(digits) % 97n === 1n;
}

type Defined<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

const defined = <T extends object>(members: T): Defined<T> =>
  Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined),
  ) as Defined<T>;
