import { OverlappingReads } from './overlapping-reads.js';

describe('readings that overlap', () => {
  it('are kept where they end in the order in which they began', () => {
    const reads = new OverlappingReads();
    const [first, second] = [reads.begin(), reads.begin()];
    expect([first(), second()]).toEqual([true, true]);
  });

  it('are not kept where one that began later is kept already', () => {
    const reads = new OverlappingReads();
    const [first, second, third] = [reads.begin(), reads.begin(), reads.begin()];
    expect([second(), first(), third()]).toEqual([true, false, true]);
  });

  it('are kept where one that began later has failed', () => {
    const reads = new OverlappingReads();
    const first = reads.begin();
    reads.begin();
    expect(first()).toBe(true);
  });
});
