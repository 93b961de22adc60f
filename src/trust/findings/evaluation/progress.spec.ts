import { EVERY_KEY, FIRST_POSITION, progressOf } from './evaluation-place.js';

const MODEL = Buffer.alloc(16, 1);
const OTHER = Buffer.alloc(16, 2);
/** A hash that is greater than a quarter of all hashes. */
const QUARTER = Buffer.alloc(32);
QUARTER[0] = 0x40;

describe('the progress of an evaluation', () => {
  const begun = { todo: [MODEL, OTHER, EVERY_KEY], position: FIRST_POSITION };

  it.each([
    ['begins', begun, 0],
    ['is within the keys of a model', { ...begun, position: QUARTER }, 0.125],
    ['has one model behind it', { todo: [OTHER, EVERY_KEY], position: FIRST_POSITION }, 0.5],
    ['is within the keys of the last', { todo: [OTHER, EVERY_KEY], position: QUARTER }, 0.625],
    ['begins with all keys', { todo: [EVERY_KEY], position: FIRST_POSITION }, 0],
    ['is within all keys', { todo: [EVERY_KEY], position: QUARTER }, 0.25],
  ])('%s', (_, place, done) => {
    expect(progressOf(begun, place).done).toBe(done);
  });

  it('gives single models less time than all keys', () => {
    const all = progressOf(begun, { todo: [EVERY_KEY], position: FIRST_POSITION });
    expect(progressOf(begun, begun).withinMs).toBeLessThan(all.withinMs);
  });
});
