import { phrase } from '../../platform/pages/languages/phrase.js';
import { ageOfBackup, usualDay } from './figures.view.js';

describe('the usual day', () => {
  it('is the median of the days since the first sign-in', () => {
    expect(usualDay([0, 0, 10, 0, 90, 20, 30])).toBe(20);
  });

  it('the usual day is unknown before the first sign-in', () => {
    expect(usualDay([0, 0])).toBeUndefined();
    expect(usualDay([])).toBeUndefined();
  });
});

describe('the age of the last backup', () => {
  const HOUR_MS = 3_600_000;

  it.each([0, 23.9])('is under a day after %d hours, whatever the calendar says', (hours) => {
    expect(ageOfBackup(hours * HOUR_MS)).toEqual(phrase('dashboard:figures.underADay'));
  });

  it('the age of the last backup is in whole days', () => {
    expect(ageOfBackup(47 * HOUR_MS)).toEqual(phrase('dashboard:figures.days', { count: 1 }));
  });
});
