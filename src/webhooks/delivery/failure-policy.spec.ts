import { afterFailure, isRefusedForLong, maySetAside } from './failure-policy.js';

const NOW = Date.UTC(2026, 0, 1);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ARRIVED = { failures: 0, failingSince: null };
const ATTEMPT = { now: NOW, hasProgress: false, isGone: false, othersArrive: false };

/** The pauses after twelve failures in a row, in seconds. */
function pauses(random: number): number[] {
  return Array.from({ length: 12 }, (_, failures) => {
    const { dueAt } = afterFailure({ failures, failingSince: NOW }, ATTEMPT, random);
    return Math.round((dueAt - NOW) / 1000);
  });
}

describe('the decision after a failed message', () => {
  it('lets the pauses between the attempts of a webhook grow to at most four hours', () => {
    expect(pauses(0)).toEqual([5, 15, 45, 135, 405, 1215, 3645, 10_935, ...Array(4).fill(14_400)]);
  });

  it('spreads the next attempts of webhooks that failed at the same time', () => {
    expect(pauses(1).slice(0, 3)).toEqual([4, 12, 36]);
  });

  it('limits the pause of a webhook to a minute if other messages arrive', () => {
    const series = { failures: 6, failingSince: NOW };
    const { dueAt } = afterFailure(series, { ...ATTEMPT, othersArrive: true }, 0);
    expect(dueAt).toBe(NOW + 60_000);
  });

  it('begins a new series of failures after a message has arrived', () => {
    const series = { failures: 6, failingSince: NOW - DAY_MS };
    const first = { failures: 1, failingSince: NOW, dueAt: NOW + 5_000, isOff: false };
    expect(afterFailure(ARRIVED, ATTEMPT, 0)).toEqual(first);
    expect(afterFailure(series, { ...ATTEMPT, hasProgress: true }, 0)).toEqual(first);
    const next = { failures: 7, failingSince: NOW - DAY_MS };
    expect(afterFailure(series, ATTEMPT, 0)).toMatchObject(next);
  });

  it('switches a webhook off after about 25 failures in three days', () => {
    let attempts = 1;
    let last = afterFailure(ARRIVED, ATTEMPT, 0.5);
    for (; !last.isOff; attempts += 1) {
      last = afterFailure(last, { ...ATTEMPT, now: last.dueAt }, 0.5);
    }
    expect(attempts).toBeGreaterThan(20);
    expect(attempts).toBeLessThan(40);
  });

  it('begins the three days again if the clock was set back before their beginning', () => {
    const series = { failures: 30, failingSince: NOW + DAY_MS };
    expect(afterFailure(series, ATTEMPT, 0)).toMatchObject({ failures: 31, failingSince: NOW });
  });

  it('keeps a webhook on that failed a few times before a pause of three days', () => {
    const series = { failures: 10, failingSince: NOW - 4 * DAY_MS };
    expect(afterFailure(series, ATTEMPT, 0)).toMatchObject({ failures: 11, isOff: false });
  });

  it('switches a webhook off at once if its receiver no longer exists', () => {
    expect(afterFailure(ARRIVED, { ...ATTEMPT, isGone: true }, 0).isOff).toBe(true);
  });

  it('sets a message aside that was refused for an hour', () => {
    expect(isRefusedForLong(NOW, NOW + HOUR_MS - 1)).toBe(false);
    expect(isRefusedForLong(NOW, NOW + HOUR_MS)).toBe(true);
  });

  it('sets aside at most 1,000 messages of a webhook', () => {
    expect(maySetAside(2, 998)).toBe(true);
    expect(maySetAside(2, 999)).toBe(false);
  });
});
