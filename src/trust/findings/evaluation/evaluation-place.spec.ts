import {
  changedModels,
  EVERY_KEY,
  FIRST_POSITION,
  progressOf,
  readTodo,
  basisDuringEvaluation,
  writeBasis,
  writeTodo,
  type EvaluationDigests,
} from './evaluation-place.js';

const aaguid = (n: number) => Buffer.alloc(16, n);
const ANNA = aaguid(1);
const BEN = aaguid(2);
const CARL = aaguid(3);

/** A basis from numbers: one for each model, and one for all keys. */
const basis = (models: readonly (readonly [Buffer, number])[], all = 0): EvaluationDigests => ({
  digest: Buffer.alloc(32),
  all: Buffer.alloc(32, all + 1),
  models: new Map(models.map(([model, n]) => [model.toString('latin1'), Buffer.alloc(8, n + 1)])),
});
const now = basis([
  [ANNA, 0],
  [BEN, 0],
]);
const next = basis([
  [ANNA, 1],
  [BEN, 0],
]);

describe('the keys that a change affects', () => {
  it('the first evaluation affects all keys', () => {
    expect(changedModels(null, now)).toEqual([EVERY_KEY]);
  });

  it('an unchanged basis affects no key', () => {
    expect(changedModels(writeBasis(now), now)).toEqual([]);
  });

  it.each([
    ['whose metadata is different', next, [ANNA]],
    ['that is no longer in the metadata', basis([[BEN, 0]]), [ANNA]],
    [
      'that is new in the metadata',
      basis([...[ANNA, BEN, CARL].map((one) => [one, 0] as const)]),
      [CARL],
    ],
  ] as const)('a change affects the keys of a model %s', (_, changed, expected) => {
    expect(changedModels(writeBasis(now), changed)).toEqual(expected);
  });

  it('a policy change affects all keys, starting with the keys of changed models', () => {
    const changed = { ...next, all: Buffer.alloc(32, 9) };
    expect(changedModels(writeBasis(now), changed)).toEqual([ANNA, EVERY_KEY]);
  });

  it('stores and reads the affected keys unchanged', () => {
    expect(readTodo(writeTodo([ANNA, EVERY_KEY]))).toEqual([ANNA, EVERY_KEY]);
    expect(readTodo(writeTodo([]))).toEqual([]);
  });
});

describe('an evaluation that a newer one replaces', () => {
  it('an evaluation leaves its unfinished models to the next, even if their metadata is unchanged', () => {
    const held = basisDuringEvaluation(writeBasis(now), [ANNA], next);
    expect(changedModels(held, now)).toEqual([ANNA]);
    expect(changedModels(held, next)).toEqual([ANNA]);
  });

  it('an evaluation of all keys leaves them to the next, which starts with changed models', () => {
    expect(changedModels(basisDuringEvaluation(null, [EVERY_KEY], now), now)).toEqual([EVERY_KEY]);
    expect(changedModels(basisDuringEvaluation(null, [EVERY_KEY], now), next)).toEqual([
      ANNA,
      EVERY_KEY,
    ]);
    const policy = basisDuringEvaluation(writeBasis(now), [EVERY_KEY], basis([], 5));
    expect(changedModels(policy, now)).toEqual([EVERY_KEY]);
  });

  it('keeps keys that were already pending when another evaluation replaces this one', () => {
    const held = basisDuringEvaluation(writeBasis(now), [ANNA], next);
    const again = basisDuringEvaluation(held, [ANNA, CARL], next);
    expect(changedModels(again, now)).toEqual([ANNA, CARL]);
  });
});

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
    ['has finished one model', { todo: [OTHER, EVERY_KEY], position: FIRST_POSITION }, 0.5],
    [
      'is within the keys of the last model',
      { todo: [OTHER, EVERY_KEY], position: QUARTER },
      0.625,
    ],
    ['begins the keys of all models', { todo: [EVERY_KEY], position: FIRST_POSITION }, 0],
    ['is within the keys of all models', { todo: [EVERY_KEY], position: QUARTER }, 0.25],
  ])('the progress is correct when the evaluation %s', (_, place, done) => {
    expect(progressOf(begun, place).done).toBe(done);
  });

  it('plans less time for the keys of one model than for all keys', () => {
    const all = progressOf(begun, { todo: [EVERY_KEY], position: FIRST_POSITION });
    expect(progressOf(begun, begun).withinMs).toBeLessThan(all.withinMs);
  });
});
