import { parseXml } from '@rgrove/parse-xml';
import fc from 'fast-check';
import {
  CII,
  UBL,
  readXml,
  schemaFlaws,
  textsAt,
} from '../../../test/support/billing/xml-schema.js';
import type { Vat } from '../pricing/booking.js';
import { creditNoteOf } from '../invoices/drafts.js';
import type { Invoice } from '../invoices/invoice.answer.js';
import { decimalText, planLines, totalOf, withTax } from '../pricing/pricing.js';
import { BUSINESS_RULES, brokenRules, electronicXml } from './electronic.js';
import { electronicOf, type ElectronicInvoice } from './electronic-invoice.js';

const POSTAL = { street: 'Hauptstraße 1', postcode: '10115', city: 'Berlin', country: 'DE' };
const ISSUER = {
  name: 'Example GmbH',
  address: ['Hauptstraße 1', '10115 Berlin'],
  vatId: 'DE123456789',
  iban: 'DE02120300000000202051',
  postal: POSTAL,
  electronicAddress: 'EM:billing@example.com',
  contact: { name: 'Accounts', phone: '+49 30 1234567', email: 'billing@example.com' },
};
const RECIPIENT = {
  name: 'Nordbank AG',
  address: ['Platz 2', '20095 Hamburg'],
  vatId: 'DE987654321',
  reference: '04011000-1234512345-06',
  postal: { ...POSTAL, city: 'Hamburg', postcode: '20095' },
  electronicAddress: '0204:04011000-1234512345-06',
};

const ORDERS = { ubl: UBL, cii: CII };

const SUMS = {
  ubl: [
    'LegalMonetaryTotal/TaxExclusiveAmount',
    'TaxTotal/TaxAmount',
    'LegalMonetaryTotal/PayableAmount',
  ],
  cii: ['TaxBasisTotalAmount', 'TaxTotalAmount', 'DuePayableAmount'].map(
    (name) =>
      'SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement/' +
      `SpecifiedTradeSettlementHeaderMonetarySummation/${name}`,
  ),
};

describe('an electronic invoice', () => {
  it.each(['ubl', 'cii'] as const)(
    'an electronic invoice in %s conforms to the schema and all rules in 1,000 random cases',
    (syntax) => {
      const vats = fc.oneof(
        fc.record({ rate: fc.integer({ min: 50, max: 10_000 }) }),
        fc.constant<Vat>({ rate: 0 }),
        fc.constantFrom<Vat>(
          { note: 'Kleinunternehmer, § 19 UStG', category: 'E' },
          { note: 'Reverse charge', category: 'AE' },
        ),
      );
      const cases = fc.record({
        name: fc
          .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
          .map((text) => `A ${text}`),
        users: fc.integer({ min: 0, max: 10_000_000 }),
        price: fc.integer({ min: 0, max: 100_000 }),
        vat: vats,
        currency: fc.constantFrom('EUR', 'CHF', 'JPY'),
      });
      fc.assert(
        fc.property(cases, fc.boolean(), (one, isCredited) => {
          const issued = invoiceOf({ ...one, syntax });
          const invoice = isCredited ? creditOf(issued) : issued;
          expect(brokenRules(electronicOf(invoice)).map(([id]) => id)).toEqual([]);
          const root = rootOf(invoice);
          expect(schemaFlaws(root, ORDERS[syntax])).toEqual([]);
          const { total, gross = total } = issued;
          const amounts = [total, gross - total, gross];
          expect(SUMS[syntax].flatMap((path) => textsAt(root, path))).toEqual(
            amounts.map((amount) => decimalText(amount, one.currency)),
          );
        }),
        { numRuns: 1000 },
      );
    },
  );

  it('an electronic invoice is written only for charges and if the recipient wants it', () => {
    const invoice = invoiceOf();
    expect(electronicXml({ ...invoice, kind: 'statement' })).toBeUndefined();
    expect(electronicXml({ ...invoice, recipient: RECIPIENT })).toBeUndefined();
    const [tenant] = invoice.tenants;
    const tenants = tenant ? [{ ...tenant, lines: [], total: 0, gross: 0 }] : [];
    expect(electronicXml({ ...invoice, tenants, total: 0, gross: 0 })).toBeUndefined();
  });

  it('a credit note escapes names and refers to the cancelled invoice', () => {
    const note = creditOf(invoiceOf({ name: 'Müller & <Söhne>' }));
    const xml = electronicXml(note)?.toString('utf8');
    expect(xml).toContain('Müller &amp; &lt;Söhne&gt;');
    expect(xml).toContain('<cbc:CreditNoteTypeCode>381</cbc:CreditNoteTypeCode>');
    const root = rootOf(note);
    expect(textsAt(root, 'BillingReference/InvoiceDocumentReference/ID')).toEqual(['12']);
    expect(textsAt(root, 'LegalMonetaryTotal/PayableAmount')).toEqual(['76.16']);
  });

  it.each(['ubl', 'cii'] as const)(
    'replaces characters that XML forbids in a text of an earlier version, in %s',
    (syntax) => {
      const name = `Müller${String.fromCharCode(0xffff)}, ${String.fromCharCode(1)}Köln`;
      const xml = electronicXml(creditOf(invoiceOf({ syntax, name })))?.toString('utf8') ?? '';
      expect(xml).toContain('Müller\ufffd, \ufffdKöln');
      expect(() => parseXml(xml)).not.toThrow();
    },
  );

  it('refuses an invoice with tax at a rate below 0.5 %, which validators read as none (BR-CO-17)', () => {
    for (const rate of [1, 25, 49]) {
      const small = invoiceOf({ vat: { rate }, price: 0 });
      expect(brokenRules(electronicOf(small))).toEqual([]);
      const large = invoiceOf({ vat: { rate }, users: 10_000_000 });
      expect(() => electronicXml(large)).toThrow(/vat\.rate \(0, or at least 0\.5\) \(BR-CO-17\)/);
    }
    expect(electronicXml(invoiceOf({ vat: { rate: 50 }, users: 10_000_000 }))).toBeDefined();
  });

  it('an electronic invoice may contain a cash discount in its terms', () => {
    const terms = 'Payable at once.\n#SKONTO#TAGE=14#PROZENT=2.00#';
    expect(brokenRules(electronicOf({ ...invoiceOf(), terms }))).toEqual([]);
  });

  it('an error lists the missing keys of the billing file and the rules that need them', () => {
    const { recipient, ...invoice } = invoiceOf();
    const { reference, postal, ...lacking } = recipient ?? RECIPIENT;
    expect([reference, postal?.city]).toEqual([RECIPIENT.reference, 'Hamburg']);
    expect(() => electronicXml({ ...invoice, recipient: lacking })).toThrow(
      /lacks data .* for "nordbank": recipients\.nordbank\.postal \(BR-10\).*recipients\.nordbank\.reference \(BR-DE-15\)/,
    );
  });
});

/** Members that replace those of a correct document. */
type Members = {
  readonly [Name in keyof ElectronicInvoice]?: ElectronicInvoice[Name] | undefined;
};
type Change = Members | ((good: ElectronicInvoice) => Members);

const EXEMPT = { note: 'Exempt', category: 'E' } as const;
const REVERSE = { note: 'Reverse charge', category: 'AE' } as const;
const VATS: Readonly<Record<string, Vat>> = { Z: { rate: 0 }, E: EXEMPT, AE: REVERSE };

const seller =
  (change: Partial<ElectronicInvoice['seller']>): Change =>
  (good) => ({ seller: { ...good.seller, ...change } });
const buyer =
  (change: Partial<ElectronicInvoice['buyer']>): Change =>
  (good) => ({ buyer: { ...good.buyer, ...change } });
const vat =
  (change: Partial<ElectronicInvoice['vat']>): Change =>
  (good) => ({ vat: { ...good.vat, ...change } });
const line =
  (change: Partial<ElectronicInvoice['lines'][number]>): Change =>
  (good) => ({ lines: good.lines.map((one) => ({ ...one, ...change })) });
const contact =
  (change: Partial<NonNullable<ElectronicInvoice['contact']>>): Change =>
  (good) => ({ contact: good.contact && { ...good.contact, ...change } });

/** For each rule, a change of a correct document that breaks it. */
const BREAKS: Readonly<Record<string, Change>> = {
  'BR-02': { number: '' },
  'BR-03': { issuedOn: undefined },
  'BR-05': { currency: 'Euro' },
  'BR-06': seller({ name: undefined }),
  'BR-07': buyer({ name: undefined }),
  'BR-08': seller({ postal: undefined }),
  'BR-09': seller({ postal: { ...POSTAL, country: '' } }),
  'BR-10': buyer({ postal: undefined }),
  'BR-11': buyer({ postal: { ...POSTAL, country: '' } }),
  'BR-16': { lines: [] },
  'BR-21': line({ id: '1' }),
  'BR-22': line({ quantity: Number.NaN }),
  'BR-24': line({ amount: 0.5 }),
  'BR-25': line({ name: '' }),
  'BR-27': line({ price: -1 }),
  'BR-29': { period: { from: '2026-03-01', to: '2026-02-28' } },
  'BR-47': vat({ category: undefined }),
  'BR-50': { iban: undefined },
  'BR-55': { typeCode: '381' },
  'BR-DEC-09': { currency: 'KWD' },
  'BR-CO-09': buyer({ vatId: '123456789' }),
  'BR-CO-10': ({ net }) => ({ net: net + 1 }),
  'BR-CO-13': ({ net }) => ({ net: net + 1 }),
  'BR-CO-15': ({ gross }) => ({ gross: gross - 1 }),
  'BR-CO-16': { gross: 0.5 },
  'BR-CO-17': (good) => vatOf(good, { amount: good.vat.amount + 1 }),
  'BR-CO-25': { dueOn: undefined, terms: undefined },
  'BR-CO-26': seller({ vatId: undefined }),
  'BR-S-02': seller({ vatId: undefined }),
  'BR-S-05': vat({ rate: '0' }),
  'BR-S-08': vat({ taxable: 1 }),
  'BR-S-09': vat({ amount: 1 }),
  'BR-S-10': vat({ reason: 'Why?' }),
  'BR-Z-02': seller({ vatId: undefined }),
  'BR-Z-05': vat({ rate: '19' }),
  'BR-Z-08': vat({ taxable: 1 }),
  'BR-Z-09': vat({ amount: 1 }),
  'BR-Z-10': vat({ reason: 'Why?' }),
  'BR-E-02': seller({ vatId: undefined }),
  'BR-E-05': vat({ rate: '19' }),
  'BR-E-08': vat({ taxable: 1 }),
  'BR-E-09': vat({ amount: 1 }),
  'BR-E-10': vat({ reason: undefined }),
  'BR-AE-02': buyer({ vatId: undefined }),
  'BR-AE-05': vat({ rate: '19' }),
  'BR-AE-08': vat({ taxable: 1 }),
  'BR-AE-09': vat({ amount: 1 }),
  'BR-AE-10': vat({ reason: undefined }),
  'BR-DE-2': { contact: undefined },
  'BR-DE-3': seller({ postal: { ...POSTAL, city: '' } }),
  'BR-DE-4': seller({ postal: { ...POSTAL, postcode: '' } }),
  'BR-DE-5': contact({ name: '' }),
  'BR-DE-8': buyer({ postal: { ...POSTAL, city: '' } }),
  'BR-DE-9': buyer({ postal: { ...POSTAL, postcode: '' } }),
  'BR-DE-15': { reference: undefined },
  'BR-DE-18': { terms: '#SKONTO#TAGE=14#PROZENT=2#' },
  'BR-DE-27': contact({ phone: 'none' }),
  'BR-DE-28': contact({ email: 'billing@example' }),
  'PEPPOL-EN16931-R010': buyer({ address: undefined }),
  'PEPPOL-EN16931-R020': seller({ address: undefined }),
  'PEPPOL-EN16931-R120': line({ amount: 1 }),
};

const vatOf = (good: ElectronicInvoice, change: Partial<ElectronicInvoice['vat']>) => ({
  vat: { ...good.vat, ...change },
});

describe('the business rules of electronic invoices', () => {
  it('each business rule has a test', () => {
    expect(Object.keys(BREAKS)).toEqual(BUSINESS_RULES.map(([id]) => id));
  });

  it.each(Object.entries(BREAKS))(
    'reports a document that breaks the business rule %s',
    (id, change) => {
      const [, category = ''] = /^BR-(Z|E|AE)-/.exec(id) ?? [];
      const own = VATS[category];
      const good = electronicOf(invoiceOf(own && { vat: own }));
      expect(brokenRules(good)).toEqual([]);
      const bad = { ...good, ...(typeof change === 'function' ? change(good) : change) };
      expect(brokenRules(bad as ElectronicInvoice).map(([broken]) => broken)).toContain(id);
    },
  );
});

/** An invoice as it is stored. */
function invoiceOf({
  syntax = 'ubl',
  name = 'Nordbank AG',
  users = 250,
  price = 10,
  vat = { rate: 1900 },
  currency = 'EUR',
}: Case = {}): Invoice & { number: number } {
  const lines = planLines(
    [
      { item: 'base', per: 1, tiers: [{ upTo: undefined, price: 4900 }] },
      {
        item: 'activeUsers',
        per: 1,
        tiers: [
          { upTo: 100, price: 0 },
          { upTo: undefined, price },
        ],
      },
    ],
    {
      base: 1,
      relyingParties: 1,
      users,
      credentials: users,
      activeUsers: users,
      registrations: 0,
      authentications: 0,
    },
  );
  const total = totalOf(lines.map(({ amount }) => amount));
  const tenant = { tenant: 'nordbank', relyingParties: [], lines, total, ...withTax(total, vat) };
  return {
    number: 12,
    kind: 'invoice',
    date: '2026-02-28',
    period: { from: '2026-02-01', to: '2026-02-28' },
    currency,
    issuedOn: '2026-03-01',
    dueOn: '2026-03-31',
    issuer: ISSUER,
    recipient: { ...RECIPIENT, name, electronic: syntax },
    tenants: [tenant],
    total,
    gross: tenant.gross,
  };
}

function creditOf(invoice: Invoice & { number: number }): Invoice {
  return {
    ...creditNoteOf(invoice, { tenantId: Buffer.alloc(16), reason: 'Wrong <price>', now: 1.8e12 })
      .invoice,
    number: 13,
  };
}

function rootOf(invoice: Invoice) {
  return readXml(electronicXml(invoice) ?? Buffer.alloc(0));
}

interface Case {
  readonly syntax?: 'ubl' | 'cii';
  readonly name?: string;
  readonly users?: number;
  readonly price?: number;
  readonly vat?: Vat;
  readonly currency?: string;
}
