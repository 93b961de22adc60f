import { FIRST_OF_CALLER, FIRST_OF_REASON, RefusalSample } from './refusal-sample.js';

const KIND = { relyingParty: 'acme', reason: 'E0024R', caller: '192.0.2.1' };
const NOON = Date.UTC(2026, 0, 1, 12);

/** Results of `take` for n equal refusals. */
const takeMany = (sample: RefusalSample, times: number, kind = KIND) =>
  Array.from({ length: times }, () => sample.take(kind, NOON));

const recorded = (taken: readonly number[]) => taken.filter((n) => n > 0);

describe('the sample of refusals', () => {
  it('records the first refusals of a caller and reason, then each one that doubles the count', () => {
    const taken = takeMany(new RefusalSample(), 300);
    expect(recorded(taken.slice(0, FIRST_OF_CALLER))).toHaveLength(FIRST_OF_CALLER);
    const later = taken.flatMap((n, i) => (i < FIRST_OF_CALLER || n === 0 ? [] : [[i + 1, n]]));
    expect(later).toEqual([
      [32, 2],
      [64, 32],
      [128, 64],
      [256, 128],
    ]);
  });

  it.each([
    ['another reason', { reason: 'E0032R' }],
    ['another caller', { caller: '192.0.2.2' }],
    ['another relying party', { relyingParty: 'globex' }],
  ])('counts refusals of %s separately', (_, other) => {
    const sample = new RefusalSample();
    takeMany(sample, 640);
    expect(sample.take({ ...KIND, ...other }, NOON)).toBe(1);
  });

  it('limits the records of each reason over all callers, independently of other reasons', () => {
    const sample = new RefusalSample();
    const taken = Array.from({ length: 5000 }, (_, n) =>
      sample.take({ ...KIND, caller: `caller ${n}` }, NOON),
    );
    expect(recorded(taken.slice(0, FIRST_OF_REASON))).toHaveLength(FIRST_OF_REASON);
    // The 512th, the 1024th, the 2048th and the 4096th.
    expect(recorded(taken)).toHaveLength(FIRST_OF_REASON + 4);
    expect(sample.take({ ...KIND, reason: 'E0032R' }, NOON)).toBe(1);
  });

  it('starts the sample of refusals again each minute', () => {
    const sample = new RefusalSample();
    takeMany(sample, 640);
    expect(sample.take(KIND, NOON)).toBe(0);
    expect(sample.take(KIND, NOON + 60_000)).toBe(1);
  });

  it('forgets the callers who were refused longest ago and records them again as new', () => {
    const sample = new RefusalSample();
    takeMany(sample, 33);
    expect(sample.take(KIND, NOON)).toBe(0);
    for (let n = 0; n < 25_000; n += 1) {
      sample.take({ ...KIND, reason: 'E0001R', caller: `caller ${n}` }, NOON);
    }
    expect(sample.take(KIND, NOON)).toBe(1);
  });
});
