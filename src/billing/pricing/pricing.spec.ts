import fc from 'fast-check';
import { NO_BOOKING } from './booking.js';
import type { PlanLine, Prices } from './price-list.js';
import {
  moneyText,
  planLines,
  planOf,
  priceListOn,
  totalOf,
  withTax,
  type Quantities,
} from './pricing.js';

const NOTHING: Quantities = {
  base: 1,
  relyingParties: 0,
  users: 0,
  credentials: 0,
  activeUsers: 0,
  registrations: 0,
  authentications: 0,
};
const tiered: PlanLine = {
  item: 'activeUsers',
  per: 1,
  tiers: [
    { upTo: 100, price: 0 },
    { upTo: 1000, price: 10 },
    { upTo: undefined, price: 6 },
  ],
};

describe('the lines of a plan', () => {
  it('the lines of a plan charge each tier for the units in it', () => {
    expect(planLines([tiered], { ...NOTHING, activeUsers: 1500 })).toEqual([
      { item: 'activeUsers (1 to 100)', quantity: 100, unitPrice: 0, amount: 0 },
      { item: 'activeUsers (101 to 1000)', quantity: 900, unitPrice: 10, amount: 9000 },
      { item: 'activeUsers (from 1001)', quantity: 500, unitPrice: 6, amount: 3000 },
    ]);
  });

  it('the lines of a plan omit unreached tiers, but never the item', () => {
    for (const activeUsers of [0, 100]) {
      expect(planLines([tiered], { ...NOTHING, activeUsers })).toMatchObject([
        { item: 'activeUsers (1 to 100)', quantity: activeUsers },
      ]);
    }
  });

  it('the lines of a plan charge a started unit in full', () => {
    const line: PlanLine = {
      item: 'authentications',
      per: 1000,
      tiers: [{ upTo: undefined, price: 150 }],
    };
    const unitsOf = (authentications: number) =>
      planLines([line], { ...NOTHING, authentications })[0]?.quantity;
    expect([0, 1, 1000, 1001].map(unitsOf)).toEqual([0, 1, 1, 2]);
    expect(planLines([line], NOTHING)[0]?.item).toBe('authentications per 1000');
  });

  it('the lines of a plan charge every unit exactly once for any tiers', () => {
    const tiers = fc
      .uniqueArray(fc.integer({ min: 1, max: 1000 }), { maxLength: 6 })
      .map((ends) => [...ends.sort((a, b) => a - b), undefined]);
    fc.assert(
      fc.property(tiers, fc.nat(2000), (ends, activeUsers) => {
        const plan: PlanLine = { ...tiered, tiers: ends.map((upTo, price) => ({ upTo, price })) };
        const lines = planLines([plan], { ...NOTHING, activeUsers });
        expect(lines.reduce((sum, { quantity }) => sum + quantity, 0)).toBe(activeUsers);
        let byHand = 0;
        for (let unit = 1; unit <= activeUsers; unit += 1) {
          byHand += ends.findIndex((end) => end === undefined || unit <= end);
        }
        expect(totalOf(lines.map(({ amount }) => amount))).toBe(byHand);
      }),
    );
  });

  it('throws a RangeError if an amount is too large to be exact, and never rounds it', () => {
    expect(totalOf([2 ** 53 - 2, 1])).toBe(2 ** 53 - 1);
    expect(() => totalOf([2 ** 53 - 1, 1])).toThrow(RangeError);
    const dear = { ...tiered, tiers: [{ upTo: undefined, price: 1e8 }] };
    expect(() => planLines([dear], { ...NOTHING, activeUsers: 1e9 })).toThrow(RangeError);
  });
});

describe('the plan of a tenant', () => {
  const list = (from: string, price: number) => ({
    from,
    defaultPlan: 'a',
    plans: new Map([
      ['a', [{ ...tiered, tiers: [{ upTo: undefined, price }] }]],
      ['b', []],
    ]),
    tenants: new Map([['acme', 'b']]),
    vat: undefined,
  });
  const prices: Prices = {
    currency: 'EUR',
    lists: [list('2026-01-01', 1), list('2026-07-01', 2)],
    booking: NO_BOOKING,
  };
  const priceOn = (date: string) => planOf(priceListOn(prices, date), 'other')[0]?.tiers[0]?.price;

  it('a plan comes from the price list that was valid on the date', () => {
    expect(priceOn('2025-12-31')).toBeUndefined();
    expect(priceOn('2026-01-01')).toBe(1);
    expect(priceOn('2026-06-30')).toBe(1);
    expect(priceOn('2026-07-01')).toBe(2);
  });

  it('a tenant’s own plan replaces the default plan', () => {
    expect(planOf(priceListOn(prices, '2026-07-01'), 'acme')).toEqual([]);
  });
});

describe('a formatted amount', () => {
  it.each([
    [0, 'EUR', '€0.00'],
    [5, 'EUR', '€0.05'],
    [123450, 'EUR', '€1,234.50'],
    [123450, 'JPY', '¥123,450'],
    [123450, 'KWD', 'KWD\u00a0123.450'],
    [-4900, 'EUR', '-€49.00'],
    [2 ** 53 - 1, 'EUR', '€90,071,992,547,409.91'],
  ])('writes the amount %d in %s as %s', (amount, currency, text) => {
    expect(moneyText(amount, currency)).toBe(text);
  });
});

describe('VAT on a net amount', () => {
  it.each([
    [4905, 770, '7.7', 378],
    [50, 100, '1', 1],
    [49, 100, '1', 0],
    [0, 1900, '19', 0],
    [10_000, 1900, '19', 1900],
    [2 ** 52, 1, '0.01', 450_359_962_737],
  ])(
    'computes the tax on %d at a rate of %d hundredths of a percent',
    (net, hundredths, rate, amount) => {
      expect(withTax(net, { rate: hundredths })).toEqual({
        vat: { rate, amount },
        gross: net + amount,
      });
    },
  );

  it('rounds VAT to the nearest minor unit, halves upwards, in 1,000 random cases', () => {
    const nets = fc.integer({ min: 0, max: 2 ** 45 });
    const rates = fc.integer({ min: 0, max: 10_000 });
    fc.assert(
      fc.property(nets, rates, (net, rate) => {
        const { vat, gross } = withTax(net, { rate });
        const above = BigInt(vat?.amount ?? 0) * 10_000n - BigInt(net) * BigInt(rate);
        expect(above > -5_000n && above <= 5_000n).toBe(true);
        expect(gross).toBe(net + (vat?.amount ?? 0));
      }),
      { numRuns: 1000 },
    );
  });

  it('charges no VAT with an exemption note or without a rate', () => {
    const note = 'Reverse charge';
    expect(withTax(100, { note })).toEqual({ vat: { note, amount: 0 }, gross: 100 });
    expect(withTax(100, undefined)).toEqual({ gross: 100 });
  });
});
