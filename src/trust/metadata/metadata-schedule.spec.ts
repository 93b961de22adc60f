import { dueAfterFailure, dueAfterSuccess } from './metadata-schedule.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = Date.UTC(2026, 10, 21);

describe('the schedule of metadata', () => {
  it('asks an address again on the announced day, spread over an hour', () => {
    const nextUpdate = NOW + 48 * HOUR;
    expect(dueAfterSuccess('url', { now: NOW, nextUpdate }, 0)).toBe(nextUpdate);
    expect(dueAfterSuccess('url', { now: NOW, nextUpdate }, 0.5)).toBe(nextUpdate + HOUR / 2);
  });

  it('asks every six hours when the announced day is over', () => {
    expect(dueAfterSuccess('url', { now: NOW, nextUpdate: NOW - HOUR }, 0)).toBe(NOW + 6 * HOUR);
  });

  it('looks at a file every minute', () => {
    expect(dueAfterSuccess('file', { now: NOW, nextUpdate: NOW + 48 * HOUR })).toBe(NOW + MINUTE);
  });

  it.each([
    [1, 1],
    [2, 2],
    [5, 16],
    [9, 256],
    [10, 360],
    [500, 360],
  ])('after %i failures waits %i minutes, a quarter more or less', (failures, minutes) => {
    expect(dueAfterFailure('url', { now: NOW, failures }, 0.5)).toBe(NOW + minutes * MINUTE);
    expect(dueAfterFailure('url', { now: NOW, failures }, 0)).toBe(NOW + minutes * MINUTE * 0.75);
  });
});
