import { compareDocumentNumbers, parseNumber, numberText } from './document-series.js';

describe('numbers of invoices', () => {
  it('sorts document numbers in the order of their assignment, across restores', () => {
    const numbers = ['R10-1', '12', 'R2-3', '2', 'R2-1'].flatMap((text) => parseNumber(text) ?? []);
    expect(numbers.toSorted(compareDocumentNumbers).map(numberText)).toEqual([
      2,
      12,
      'R2-1',
      'R2-3',
      'R10-1',
    ]);
  });
});
