import { pauseBeforeStep } from './pace.js';

describe('pauseBeforeStep', () => {
  const half = { done: 0.5, withinMs: 40_000 };

  it.each([
    [
      'a job waits until its steps take three hundredths of the time',
      { elapsedMs: 100, stepMs: 3 },
      97,
    ],
    ['a job waits no longer than its remaining time allows', { elapsedMs: 19_950, stepMs: 3 }, 50],
    ['a late job does not wait', { elapsedMs: 30_000, stepMs: 3 }, 0],
    [
      'a job waits at most a second, since it may have to stop',
      { elapsedMs: 100, stepMs: 300 },
      1_000,
    ],
  ])('%s', (_, spent, wait) => {
    expect(pauseBeforeStep(half, spent)).toBeCloseTo(wait);
  });
});
