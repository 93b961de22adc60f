import { RoundRobin } from './round-robin.js';

describe('RoundRobin', () => {
  it('RoundRobin takes one item of each group in turn, the oldest first', () => {
    const line = new RoundRobin<string>();
    for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) line.add(item.charAt(0), item);
    expect(line.of('a')).toEqual(['a1', 'a2', 'a3']);
    const taken = Array.from({ length: 7 }, () => line.take());
    expect(taken).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', undefined]);
    expect(line.of('a')).toEqual([]);
  });
});
