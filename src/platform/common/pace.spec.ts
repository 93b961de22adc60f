import { pauseBeforeStep } from './pace.js';

describe('the pace of a long job', () => {
  const half = { done: 0.5, withinMs: 40_000 };

  it.each([
    ['waits until its steps take three hundredths of the time', { elapsedMs: 100, stepMs: 3 }, 97],
    ['waits no longer than it has time for', { elapsedMs: 19_950, stepMs: 3 }, 50],
    ['does not wait if it is late', { elapsedMs: 30_000, stepMs: 3 }, 0],
    ['waits at most a second, since it may have to stop', { elapsedMs: 100, stepMs: 300 }, 1_000],
  ])('%s', (_, spent, wait) => {
    expect(pauseBeforeStep(half, spent)).toBeCloseTo(wait);
  });
});
