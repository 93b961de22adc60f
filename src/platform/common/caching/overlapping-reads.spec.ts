import { OverlappingReads } from './overlapping-reads.js';

describe('overlapping reads', () => {
  it('are kept if they end in the order in which they began', () => {
    const reads = new OverlappingReads();
    const [first, second] = [reads.begin(), reads.begin()];
    expect([first(), second()]).toEqual([true, true]);
  });

  it('are discarded if a later one is already kept', () => {
    const reads = new OverlappingReads();
    const [first, second, third] = [reads.begin(), reads.begin(), reads.begin()];
    expect([second(), first(), third()]).toEqual([true, false, true]);
  });

  it('are kept if a later one failed', () => {
    const reads = new OverlappingReads();
    const first = reads.begin();
    reads.begin();
    expect(first()).toBe(true);
  });
});
