import { startOfDay, startOfDayIn } from './moment.js';

describe('startOfDayIn', () => {
  it.each([
    ['2026-11-28', undefined, '2026-11-28T00:00:00.000Z'],
    ['2026-11-28', 'UTC', '2026-11-28T00:00:00.000Z'],
    ['2026-11-28', 'America/Los_Angeles', '2026-11-28T08:00:00.000Z'],
    ['2026-07-01', 'America/Los_Angeles', '2026-07-01T07:00:00.000Z'],
    ['2026-11-28', 'Europe/Berlin', '2026-11-27T23:00:00.000Z'],
    ['2026-11-28', 'Asia/Kathmandu', '2026-11-27T18:15:00.000Z'],
    ['2026-11-28', 'Pacific/Kiritimati', '2026-11-27T10:00:00.000Z'],
    // Days on which clocks change.
    ['2026-03-29', 'Europe/Berlin', '2026-03-28T23:00:00.000Z'],
    ['2026-03-30', 'Europe/Berlin', '2026-03-29T22:00:00.000Z'],
    ['2026-10-25', 'Europe/Berlin', '2026-10-24T22:00:00.000Z'],
    ['2026-10-26', 'Europe/Berlin', '2026-10-25T23:00:00.000Z'],
    ['2026-11-01', 'America/Los_Angeles', '2026-11-01T07:00:00.000Z'],
    ['2026-11-02', 'America/Los_Angeles', '2026-11-02T08:00:00.000Z'],
    // Days on which clocks go forward at midnight, so that they begin at 01:00; and back at midnight.
    ['2026-03-29', 'Atlantic/Azores', '2026-03-29T01:00:00.000Z'],
    ['2026-09-06', 'America/Santiago', '2026-09-06T04:00:00.000Z'],
    ['2026-03-08', 'America/Havana', '2026-03-08T05:00:00.000Z'],
    ['2026-03-29', 'Asia/Beirut', '2026-03-28T22:00:00.000Z'],
    ['2026-04-05', 'America/Santiago', '2026-04-05T04:00:00.000Z'],
  ])('finds the beginning of %s in the time zone %s', (day, zone, moment) => {
    const start = startOfDayIn(startOfDay(day) ?? 0, zone);
    expect(new Date(start).toISOString()).toBe(moment);
  });
});
