import { dueAfterFailure, dueAfterSuccess, isDue } from './fetch-schedule.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = Date.UTC(2026, 10, 21);

describe('the schedule of a fetched source', () => {
  it('fetches an address again on the announced day, spread over an hour', () => {
    const nextUpdate = NOW + 48 * HOUR;
    expect(dueAfterSuccess('url', { now: NOW, nextUpdate }, 0)).toBe(nextUpdate);
    expect(dueAfterSuccess('url', { now: NOW, nextUpdate }, 0.5)).toBe(nextUpdate + HOUR / 2);
  });

  it('fetches every six hours once the announced day has passed', () => {
    expect(dueAfterSuccess('url', { now: NOW, nextUpdate: NOW - HOUR }, 0)).toBe(NOW + 6 * HOUR);
  });

  it('checks a file every minute', () => {
    expect(dueAfterSuccess('file', { now: NOW, nextUpdate: NOW + 48 * HOUR })).toBe(NOW + MINUTE);
  });

  it.each([
    [1, 1],
    [2, 2],
    [5, 16],
    [9, 256],
    [10, 360],
    [500, 360],
  ])('waits after %i failures for %i minutes, give or take a quarter', (failures, minutes) => {
    expect(dueAfterFailure('url', { now: NOW, failures }, 0.5)).toBe(NOW + minutes * MINUTE);
    expect(dueAfterFailure('url', { now: NOW, failures }, 0)).toBe(NOW + minutes * MINUTE * 0.75);
  });

  it('recovers from a clock that was ahead for a while', () => {
    const nextUpdate = NOW + 48 * HOUR;
    const ahead = NOW + 365 * 24 * HOUR;
    for (const dueAt of [
      dueAfterSuccess('url', { now: ahead, nextUpdate }),
      dueAfterFailure('url', { now: ahead, failures: 1 }),
      dueAfterSuccess('file', { now: ahead, nextUpdate }),
    ]) {
      expect(isDue({ dueAt, nextUpdate }, NOW)).toBe(true);
    }
    for (const random of [0, 0.999]) {
      const again = dueAfterSuccess('url', { now: NOW, nextUpdate }, random);
      expect(isDue({ dueAt: again, nextUpdate }, NOW)).toBe(false);
      expect(isDue({ dueAt: again, nextUpdate }, again)).toBe(true);
      const retry = dueAfterFailure('url', { now: NOW, failures: 500 }, random);
      expect(isDue({ dueAt: retry, nextUpdate: 0 }, NOW)).toBe(false);
    }
  });
});
