import {
  changedModels,
  EVERY_KEY,
  readTodo,
  whileUnderWay,
  writeBasis,
  writeTodo,
} from './evaluation-place.js';
import type { EvaluationDigests } from './evaluation-place.js';

const aaguid = (n: number) => Buffer.alloc(16, n);
const [ANNA, BEN, CARL] = [aaguid(1), aaguid(2), aaguid(3)];

/** A basis from numbers: one for what is known of each model, one for what concerns all keys. */
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

describe('which keys a change concerns', () => {
  it('all where none was ever looked at', () => {
    expect(changedModels(null, now)).toEqual([EVERY_KEY]);
  });

  it('none where nothing has changed', () => {
    expect(changedModels(writeBasis(now), now)).toEqual([]);
  });

  it.each([
    ['of which something else is known', next, [ANNA]],
    ['that is no longer known', basis([[BEN, 0]]), [ANNA]],
    [
      'that has become known',
      basis([...[ANNA, BEN, CARL].map((one) => [one, 0] as const)]),
      [CARL],
    ],
  ] as const)('those of a model %s', (_, changed, expected) => {
    expect(changedModels(writeBasis(now), changed)).toEqual(expected);
  });

  it('all where the policy has changed, those of changed models first', () => {
    const changed = { ...next, all: Buffer.alloc(32, 9) };
    expect(changedModels(writeBasis(now), changed)).toEqual([ANNA, EVERY_KEY]);
  });

  it('is stored and read as it is', () => {
    expect(readTodo(writeTodo([ANNA, EVERY_KEY]))).toEqual([ANNA, EVERY_KEY]);
    expect(readTodo(writeTodo([]))).toEqual([]);
  });
});

describe('an evaluation that is given up for a newer one', () => {
  it('leaves the models that it was at for the newer one, though what is known is as before', () => {
    const held = whileUnderWay(writeBasis(now), [ANNA], next);
    expect(changedModels(held, now)).toEqual([ANNA]);
    expect(changedModels(held, next)).toEqual([ANNA]);
  });

  it('leaves all keys where it was at all, those of models that change meanwhile first', () => {
    expect(changedModels(whileUnderWay(null, [EVERY_KEY], now), now)).toEqual([EVERY_KEY]);
    expect(changedModels(whileUnderWay(null, [EVERY_KEY], now), next)).toEqual([ANNA, EVERY_KEY]);
    const policy = whileUnderWay(writeBasis(now), [EVERY_KEY], basis([], 5));
    expect(changedModels(policy, now)).toEqual([EVERY_KEY]);
  });

  it('keeps what was unsure already', () => {
    const held = whileUnderWay(writeBasis(now), [ANNA], next);
    const again = whileUnderWay(held, [ANNA, CARL], next);
    expect(changedModels(again, now)).toEqual([ANNA, CARL]);
  });
});
