import type { CeremonySum } from './ceremony-reader.js';
import { browsersOf, funnelOf, givenUpOf, signInsByModel } from './adoption-reader.js';

const sum = (
  [kind, step, browser, detail = '']: readonly [
    CeremonySum['kind'],
    CeremonySum['step'],
    CeremonySum['browser'],
    string?,
  ],
  n: number,
): CeremonySum => ({ week: 20_780, kind, step, browser, detail, n });

const SUMS = [
  sum(['registration', 'begun', 'chrome'], 6),
  sum(['registration', 'finished', 'chrome', 'model'], 3),
  sum(['registration', 'given-up', 'chrome', 'NotAllowedError'], 2),
  sum(['registration', 'refused', 'chrome', 'E0029R'], 1),
  sum(['authentication', 'begun', 'safari'], 9),
  sum(['authentication', 'finished', 'safari', 'model'], 8),
  sum(['authentication', 'given-up', 'safari', 'TimeoutError'], 1),
  sum(['autofill', 'begun', 'firefox'], 100),
  sum(['autofill', 'finished', 'firefox', 'model'], 4),
  sum(['autofill', 'given-up', 'firefox', 'UnknownError'], 7),
];

describe('the figures of adoption', () => {
  it('counts the steps of each kind of ceremony separately', () => {
    expect(funnelOf(SUMS, 'registration')).toEqual({
      begun: 6,
      finished: 3,
      givenUp: 2,
      refused: 1,
    });
    expect(funnelOf(SUMS, 'upgrade')).toEqual({
      begun: 0,
      finished: 0,
      givenUp: 0,
      refused: 0,
    });
  });

  it('lists the browsers of ceremonies with a prompt, the busiest first', () => {
    expect(browsersOf(SUMS).map(({ browser }) => browser)).toEqual(['safari', 'chrome']);
  });

  it('counts the errors of ceremonies with a prompt, not those of autofill', () => {
    expect(givenUpOf(SUMS)).toEqual([
      { error: 'NotAllowedError', registrations: 2, authentications: 0 },
      { error: 'TimeoutError', registrations: 0, authentications: 1 },
    ]);
  });

  it('adds the sign-ins by a model with and without a user name', () => {
    expect(signInsByModel(SUMS)).toEqual(new Map([['model', 12]]));
  });
});
