import { PATIENCE_MS, pauseMs } from './retry.js';

const pauses = (random: number) =>
  Array.from({ length: 12 }, (_, n) => Math.round(pauseMs(n + 1, random) / 1000));

describe('the delays between attempts', () => {
  it('grow to at most four hours', () => {
    expect(pauses(0)).toEqual([5, 15, 45, 135, 405, 1215, 3645, 10_935, ...Array(4).fill(14_400)]);
  });

  it('are spread out, so that messages that failed together return apart', () => {
    expect(pauses(1).slice(0, 3)).toEqual([4, 12, 36]);
  });

  it('allow about twenty attempts in three days', () => {
    let attempts = 0;
    for (let passed = 0; passed < PATIENCE_MS; attempts += 1) passed += pauseMs(attempts + 1, 0.5);
    expect(attempts).toBeGreaterThan(20);
    expect(attempts).toBeLessThan(40);
  });
});
