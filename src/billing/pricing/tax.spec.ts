import fc from 'fast-check';
import { withTax } from './tax.js';

describe('VAT on a net amount', () => {
  it.each([
    [4905, 770, '7.7', 378],
    [50, 100, '1', 1],
    [49, 100, '1', 0],
    [0, 1900, '19', 0],
    [10_000, 1900, '19', 1900],
    [2 ** 52, 1, '0.01', 450_359_962_737],
  ])('of %d at %d hundredths of a percent', (net, hundredths, rate, amount) => {
    expect(withTax(net, { rate: hundredths })).toEqual({
      vat: { rate, amount },
      gross: net + amount,
    });
  });

  it('is the exact product to the nearest minor unit, halves upwards, in 1,000 random cases', () => {
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

  it('is zero with an exemption note or without a rate', () => {
    const note = 'Reverse charge';
    expect(withTax(100, { note })).toEqual({ vat: { note, amount: 0 }, gross: 100 });
    expect(withTax(100, undefined)).toEqual({ gross: 100 });
  });
});
