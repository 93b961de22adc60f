import { OverlappingReads } from './overlapping-reads.js';

describe('OverlappingReads', () => {
  it('keeps the results of reads that end in the order in which they began', () => {
    const reads = new OverlappingReads();
    const [first, second] = [reads.begin(), reads.begin()];
    expect([first(), second()]).toEqual([true, true]);
  });

  it('discards the result of a read if a later one is already kept', () => {
    const reads = new OverlappingReads();
    const [first, second, third] = [reads.begin(), reads.begin(), reads.begin()];
    expect([second(), first(), third()]).toEqual([true, false, true]);
  });

  it('keeps the result of a read if a later one did not end', () => {
    const reads = new OverlappingReads();
    const first = reads.begin();
    reads.begin();
    expect(first()).toBe(true);
  });
});
