import {
  PartialUnit,
  Reading,
  RecordAdvance,
  Execution,
  type SharingUnit,
  type Unit,
} from './unit.js';

const RECORD = {
  lock: () => new Reading<{ value: string }>('lock', []),
  set: (value: string) => ({ sql: `set ${value}`, params: [] }),
};
const step = (sql: string, mustChange = false) => ({ sql, params: [], mustChange });
const advancing = (name: string) =>
  new RecordAdvance(RECORD, (value) => ({ steps: [step(`after ${value}`)], value: value + name }));

const APART = { interleaves: false };

/** Executes units against a database in which the named steps touch no row; returns the texts of each part. */
function sentBy(
  units: readonly Unit[],
  misses: readonly string[] = [],
  how: Omit<SharingUnit, 'unit'> = { interleaves: true },
) {
  const execution = new Execution(units.map((unit) => ({ unit, ...how })));
  const parts: string[][] = [];
  for (let trip = execution.nextRoundTrip(); trip; trip = execution.nextRoundTrip()) {
    const { steps, readings, final } = trip;
    const sent = [...steps, ...readings].map(({ sql }) => sql);
    parts.push(final ? [...sent, 'COMMIT'] : sent);
    for (const { sql, take } of readings) take(sql === 'lock' ? [{ value: 'x' }] : []);
    execution.accept(steps.map(({ sql }) => (misses.includes(sql) ? 0 : 1)));
  }
  return { parts, applied: execution.applied };
}

describe('a transaction of units that advance a record', () => {
  it('locks the record after all other steps, with the last ones, and commits in the next round trip', () => {
    const units = [
      [step('one', true), step('two'), advancing('a')],
      [advancing('b')],
      [step('three')],
    ];
    expect(sentBy(units)).toEqual({
      parts: [
        ['one', 'three'],
        ['two', 'lock'],
        ['after x', 'after xa', 'set xab', 'COMMIT'],
      ],
      applied: [true, true, true],
    });
  });

  it('locks the record in a round trip of its own after a condition, which may fail', () => {
    const unit = [step('one'), step('two', true), advancing('a')];
    const parts = [['one', 'two'], ['lock'], ['after x', 'set xa', 'COMMIT']];
    expect(sentBy([unit])).toEqual({ parts, applied: [true] });
  });

  it('does not lock the record with the last steps if no unit that advances it applies', () => {
    const units = [
      [step('one', true), advancing('a')],
      [step('two'), step('three', true), step('four')],
    ];
    const parts = [
      ['one', 'two', 'three'],
      ['four', 'COMMIT'],
    ];
    expect(sentBy(units, ['one'])).toEqual({ parts, applied: [false, true] });
  });

  it('rolls back if there is no record, and reports that to each unit that advances it', () => {
    let reports = 0;
    const none = { ...RECORD, lock: () => new Reading<{ value: string }>('no record', []) };
    const advance = new RecordAdvance(
      none,
      (value) => ({ steps: [], value }),
      () => (reports += 1),
    );
    expect(() => sentBy([[step('one'), advance], [advance]])).toThrow(PartialUnit);
    expect(reports).toBe(2);
  });

  it('skips the record of a unit that does not apply, without undoing other units', () => {
    const units = [
      [step('one', true), advancing('a')],
      [step('two', true), advancing('b')],
      [step('three', true), advancing('c')],
    ];
    const { parts, applied } = sentBy(units, ['two']);
    expect(parts.at(-1)).toEqual(['after x', 'after xa', 'set xac', 'COMMIT']);
    expect(applied).toEqual([true, false, true]);
  });

  it('does not touch the record if no unit applies', () => {
    const unit = [step('one', true), advancing('a')];
    expect(sentBy([unit], ['one'])).toEqual({ parts: [['one']], applied: [false] });
  });

  it('rolls back if a step that must change a row changes none after another step has written', () => {
    const unit = [step('one'), step('two', true), advancing('a')];
    expect(() => sentBy([unit], ['two'])).toThrow(PartialUnit);
  });
});

describe('a unit with several conditions', () => {
  const unit = [step('one', true), step('two', true), step('three'), advancing('a')];

  it('sends all steps after its first condition together, and locks the record with them', () => {
    expect(sentBy([unit])).toEqual({
      parts: [['one'], ['two', 'three', 'lock'], ['after x', 'set xa', 'COMMIT']],
      applied: [true],
    });
  });

  it('does not commit together with a condition', () => {
    const parts = [['one'], ['two', 'three']];
    expect(sentBy([unit.slice(0, 3)])).toEqual({ parts, applied: [true] });
  });

  it('rolls back if a later condition fails', () => {
    expect(() => sentBy([unit], ['two'])).toThrow(PartialUnit);
  });

  it('sends nothing after a condition before its result is known, if it is executed stepwise', () => {
    const stepwise = { interleaves: false, isStepwise: true };
    expect(sentBy([unit], [], stepwise).parts).toEqual([
      ['one'],
      ['two'],
      ['three', 'lock'],
      ['after x', 'set xa', 'COMMIT'],
    ]);
  });

  it('sends its rest together with the first condition of the next unit', () => {
    const next = [step('four', true), step('five', true)];
    expect(sentBy([unit.slice(0, 3), next], [], APART).parts).toEqual([
      ['one'],
      ['two', 'three', 'four'],
      ['five'],
    ]);
  });
});

describe('a transaction of units that do not interleave', () => {
  it('begins no unit before the previous unit’s steps after its condition', () => {
    const units = [[step('one')], [step('two', true), step('three')], [step('four', true)]];
    expect(sentBy(units, [], APART).parts).toEqual([
      ['one', 'two'],
      ['three', 'four'],
    ]);
  });

  it('sends the steps of units without a condition together', () => {
    const units = [[step('one'), step('two')], [step('three')]];
    expect(sentBy(units, [], APART).parts).toEqual([['one', 'two', 'three', 'COMMIT']]);
  });

  it('begins units that do not interleave after those that do', () => {
    const units = [
      { unit: [step('change', true), step('note')], interleaves: false },
      { unit: [step('sign-in', true), step('event')], interleaves: true },
    ];
    const execution = new Execution(units);
    const sent: string[][] = [];
    for (let trip = execution.nextRoundTrip(); trip; trip = execution.nextRoundTrip()) {
      sent.push(trip.steps.map(({ sql }) => sql));
      execution.accept(trip.steps.map(() => 1));
    }
    expect(sent).toEqual([['sign-in'], ['event', 'change'], ['note']]);
  });
});
