import { jest } from '@jest/globals';
import { afterAttempt, isDue } from './fetched-source.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = Date.UTC(2026, 10, 21);
const ANNOUNCED = NOW + 48 * HOUR;

const afterSuccess = (kind: 'url' | 'file', nextUpdate: number, now = NOW) =>
  afterAttempt(kind, { now, isGood: true, failures: 3, nextUpdate }).dueAt;
/** @param failures including the last attempt */
const afterFailure = (failures: number, now = NOW) =>
  afterAttempt('url', { now, isGood: false, failures: failures - 1, nextUpdate: 0 }).dueAt;

describe('the schedule of a fetched source', () => {
  const random = jest.spyOn(Math, 'random');
  afterAll(() => random.mockRestore());

  it('fetches an address again on the announced day, spread over an hour', () => {
    random.mockReturnValueOnce(0).mockReturnValueOnce(0.5);
    expect(afterSuccess('url', ANNOUNCED)).toBe(ANNOUNCED);
    expect(afterSuccess('url', ANNOUNCED)).toBe(ANNOUNCED + HOUR / 2);
  });

  it('fetches an address every six hours once the announced day has passed', () => {
    random.mockReturnValueOnce(0);
    expect(afterSuccess('url', NOW - HOUR)).toBe(NOW + 6 * HOUR);
  });

  it('checks a source file every minute', () => {
    expect(afterSuccess('file', ANNOUNCED)).toBe(NOW + MINUTE);
  });

  it('counts consecutive failures of a fetch', () => {
    const attempt = { now: NOW, failures: 3, nextUpdate: 0 };
    expect(afterAttempt('file', { ...attempt, isGood: false }).failures).toBe(4);
    expect(afterAttempt('url', { ...attempt, isGood: true }).failures).toBe(0);
  });

  it.each([
    [1, 1],
    [2, 2],
    [5, 16],
    [9, 256],
    [10, 360],
    [500, 360],
  ])(
    'the schedule of a fetched source waits after %i failed fetches for %i minutes, less a random quarter',
    (failures, minutes) => {
      random.mockReturnValueOnce(0.5).mockReturnValueOnce(0);
      expect(afterFailure(failures)).toBe(NOW + minutes * MINUTE);
      expect(afterFailure(failures)).toBe(NOW + minutes * MINUTE * 0.75);
    },
  );

  it('checks a source file again soon after a clock that was a little ahead is set back', () => {
    const isFileDue = (dueAt: number) => isDue('file', { dueAt, nextUpdate: ANNOUNCED }, NOW);
    expect(isFileDue(afterSuccess('file', ANNOUNCED))).toBe(false);
    expect(isFileDue(NOW)).toBe(true);
    expect(isFileDue(afterSuccess('file', ANNOUNCED, NOW + HOUR))).toBe(true);
  });

  it('the schedule recovers from a clock that was ahead for a while', () => {
    const ahead = NOW + 365 * 24 * HOUR;
    for (const dueAt of [afterSuccess('url', ANNOUNCED, ahead), afterFailure(1, ahead)]) {
      expect(isDue('url', { dueAt, nextUpdate: ANNOUNCED }, NOW)).toBe(true);
    }
    for (const one of [0, 0.999]) {
      random.mockReturnValueOnce(one).mockReturnValueOnce(one);
      const again = afterSuccess('url', ANNOUNCED);
      expect(isDue('url', { dueAt: again, nextUpdate: ANNOUNCED }, NOW)).toBe(false);
      expect(isDue('url', { dueAt: again, nextUpdate: ANNOUNCED }, again)).toBe(true);
      expect(isDue('url', { dueAt: afterFailure(500), nextUpdate: 0 }, NOW)).toBe(false);
    }
  });
});
