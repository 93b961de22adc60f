import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { OptionMistakes } from '../../platform/config/option-types.js';
import { projectPath } from '../../platform/project.js';
import { readPrices } from './price-list.js';

function fileOf(content: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'servicefido-')), 'billing.yaml');
  writeFileSync(path, content);
  return path;
}

function mistakesOf(content: string): string[] {
  const file = fileOf(content);
  try {
    readPrices({ billing: file });
  } catch (error) {
    if (!(error instanceof OptionMistakes)) throw error;
    return error.mistakes.map((mistake) => mistake.replace(`--billing: ${file}: `, ''));
  }
  return [];
}

const BOOKED = `
currency: EUR
issuer: { name: Example GmbH, address: [Hauptstrasse 1, 10115 Berlin] }
terms: Payable at once.
dueDays: 14
recipients:
  acme: { name: Acme AG, address: [Zürich], reference: PO-4711, vat: { note: Reverse charge } }
priceLists: [{ default: a, vat: { rate: 7.7 }, plans: { a: [] } }]
`;

describe('the price list', () => {
  it('finds no mistake in the shipped price list', () => {
    const { currency, lists } = readPrices({ billing: projectPath('config/billing.yaml') });
    expect(currency).toBe('EUR');
    expect(lists[0]?.plans.get(lists[0].defaultPlan)?.[0]).toEqual({
      item: 'base',
      per: 1,
      tiers: [{ upTo: undefined, price: 4900 }],
    });
  });

  it('reads the logo beside the price list, if it is a small image', () => {
    const withLogo = (name: string, bytes: Buffer) => {
      const file = fileOf(`${BOOKED}logo: ${name}\n`);
      writeFileSync(join(dirname(file), name), bytes);
      return () => readPrices({ billing: file }).booking.logo;
    };
    const image = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>');
    expect(withLogo('logo.svg', image)()).toBe(
      `data:image/svg+xml;base64,${image.toString('base64')}`,
    );
    expect(withLogo('logo.html', image)).toThrow(OptionMistakes);
    expect(withLogo('logo.png', Buffer.alloc(50_000))).toThrow(OptionMistakes);
    expect(() => readPrices({ billing: fileOf(`${BOOKED}logo: none.svg\n`) })).toThrow(
      OptionMistakes,
    );
  });

  it('reads issuer, recipients and VAT from a price list', () => {
    const { booking, lists } = readPrices({ billing: fileOf(BOOKED) });
    expect(booking).toMatchObject({
      issuer: { name: 'Example GmbH', address: ['Hauptstrasse 1', '10115 Berlin'] },
      terms: 'Payable at once.',
      dueDays: 14,
    });
    expect(booking.recipients.get('acme')).toEqual({
      name: 'Acme AG',
      address: ['Zürich'],
      reference: 'PO-4711',
    });
    expect([...booking.vat]).toEqual([['acme', { note: 'Reverse charge' }]]);
    expect(lists[0]?.vat).toEqual({ rate: 770 });
  });

  it('reports mistakes in the bookkeeping data of a price list', () => {
    const content = `
currency: EUR
issuer: { name: '', address: none, phone: 1 }
terms: 5
dueDays: -1
recipients: { acme: { name: A, address: [], vat: { rate: 19, note: both } } }
priceLists: [{ default: a, vat: { rate: 7.705 }, plans: { a: [] } }]
`;
    expect(mistakesOf(content)).toEqual([
      'priceLists[0].vat.rate must be a percentage with at most two decimals',
      'issuer has "phone", which means nothing',
      'issuer.address must be a list of lines',
      'issuer.name must be a text of at most 500 characters',
      'terms must be a text of at most 500 characters',
      'dueDays must be a whole number from 0 to 365',
      'recipients.acme.address must be a list of lines',
      'recipients.acme.vat needs "rate" or "note"',
    ]);
  });

  it('reads and checks the data of electronic invoices in a price list', () => {
    const postal = "{ street: Platz 2, postcode: '20095', city: Hamburg, country: DE }";
    const contact = '{ name: Accounts, phone: +49 30 1234567, email: a@example.com }';
    const iban = (text: string) => `
currency: EUR
issuer: { name: A, address: [B], postal: ${postal}, contact: ${contact}, iban: ${text} }
recipients:
  acme: { name: A, address: [B], electronic: cii, electronicAddress: 'EM:in@acme.test' }
  off: { name: A, address: [B], electronic: off, vat: { note: Exempt, category: E } }
priceLists: [{ default: a, plans: { a: [] } }]
`;
    const { booking } = readPrices({ billing: fileOf(iban('DE02 1203 0000 0000 2020 51')) });
    expect(booking.issuer).toMatchObject({
      iban: 'DE02120300000000202051',
      postal: { street: 'Platz 2', postcode: '20095', city: 'Hamburg', country: 'DE' },
    });
    expect(booking.recipients.get('acme')?.electronic).toBe('cii');
    expect(booking.recipients.get('off')).toEqual({ name: 'A', address: ['B'] });
    expect(booking.vat.get('off')).toEqual({ note: 'Exempt', category: 'E' });
    const wrong = iban('DE03 1203 0000 0000 2020 51')
      .replace('country: DE', 'country: Germany')
      .replace('EM:in', 'in')
      .replace('electronic: cii', 'electronic: xml')
      .replace('name: Accounts', 'name: "Acc\\tounts"')
      .replace('category: E', 'category: S');
    expect(mistakesOf(wrong)).toEqual([
      'issuer.postal.country must be two capital letters, such as DE',
      'issuer.iban is no IBAN: its check digits are wrong',
      'issuer.contact.name must be without control characters',
      'recipients.acme.electronic must be one of ubl, cii, off',
      'recipients.acme.electronicAddress must be a scheme and an address, such as EM:billing@example.com',
      'recipients.off.vat.category must be one of E, AE',
    ]);
  });

  it('reports all mistakes of a price list at once', () => {
    const content = `
currency: euro
vat: 19
priceLists:
  - from: 2026-1-1
    default: gold
    tenants: { acme: silver }
    plans:
      standard:
        - { item: logins, price: 1 }
        - { item: users, price: 0.5 }
        - { item: users, price: 1, tiers: [] }
        - { item: users }
        - item: users
          per: 0
          tiers: [{ upTo: 10, price: 1 }, { upTo: 10, price: 1 }, { upTo: 20, price: -1 }]
`;
    const plan = 'priceLists[0].plans.standard';
    expect(mistakesOf(content)).toEqual([
      'the file has "vat", which means nothing',
      'currency must be three capital letters, such as EUR',
      'priceLists[0].from must be a date, YYYY-MM-DD',
      `${plan}[0].item must be one of base, relyingParties, users, credentials, activeUsers, registrations, authentications`,
      `${plan}[1].price must be a whole number of cents from 0 to 100000000: 4900 for 49.00`,
      `${plan}[2] needs "price" or "tiers"`,
      `${plan}[2].tiers must be a list of tiers`,
      `${plan}[3] needs "price" or "tiers"`,
      `${plan}[4].per must be a whole number from 1 to 1000000000`,
      `${plan}[4].tiers[1].upTo must be a whole number from 11 to 1000000000000`,
      `${plan}[4].tiers[2] is the last tier: it has no "upTo"`,
      `${plan}[4].tiers[2].price must be a whole number of cents from 0 to 100000000: 4900 for 49.00`,
      'priceLists[0].default must be the name of one of the plans',
      'priceLists[0].tenants.acme must be the name of one of the plans',
    ]);
  });

  it.each(['49.00', '49.', '4_9.0', '+49.0'])(
    'refuses the price %s, which YAML would read as 49 cents',
    (price) => {
      const lines = `[{ item: base, price: ${price} }, { item: users, tiers: [{ price: ${price} }] }]`;
      const wrong = 'must be a whole number of cents from 0 to 100000000: 4900 for 49.00';
      expect(
        mistakesOf(`{ currency: EUR, priceLists: [{ default: a, plans: { a: ${lines} } }] }`),
      ).toEqual([
        `priceLists[0].plans.a[0].price ${wrong}`,
        `priceLists[0].plans.a[1].tiers[0].price ${wrong}`,
      ]);
    },
  );

  it.each([
    ['', 'the file must hold named values'],
    ['currency: EUR', 'priceLists must be a list'],
    ['- 1', 'the file must hold named values'],
    [
      `currency: EUR
priceLists:
  - { default: a, plans: { a: [] }, from: 2026-02-01 }
  - { default: a, plans: { a: [] }, from: 2026-01-01 }`,
      'priceLists must be in the order of "from", which only the first may lack',
    ],
  ])('refuses a price list with the content %j', (content, mistake) => {
    expect(mistakesOf(content)[0]).toBe(mistake);
  });

  it('refuses a price list that is missing or not YAML', () => {
    const absent = `${fileOf('{')}.absent`;
    expect(() => readPrices({ billing: absent })).toThrow(
      new OptionMistakes([`--billing: ${absent} cannot be read`]),
    );
    expect(() => readPrices({ billing: fileOf('{') })).toThrow(/is not YAML$/);
  });
});
