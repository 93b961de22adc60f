import type { JobProgress } from '../../../platform/common/pace.js';
import { EVERY_KEY } from './basis.js';
import type { EvaluationPlace } from './basis.js';

/** Time for the keys of models of which something new is known, so that findings act within a minute. */
const MODELS_MS = 40_000;
/** Time for evaluating all keys. */
const ALL_MS = 420_000;

/**
 * The share that an evaluation has done of the keys of single models, which come first, or of all keys, and
 * how long that part may take.
 *
 * @param begun where it began
 */
export function progressOf(
  begun: EvaluationPlace,
  { todo, position }: EvaluationPlace,
): JobProgress {
  if (todo[0]?.equals(EVERY_KEY)) return { done: shareBehind(position), withinMs: ALL_MS };
  const left = modelsOf(todo) - shareBehind(position);
  return { done: 1 - left / modelsOf(begun.todo), withinMs: MODELS_MS };
}

const modelsOf = (todo: readonly Buffer[]): number =>
  todo.filter((model) => !model.equals(EVERY_KEY)).length;

/** The share of keys before a position: hashes are spread evenly. */
const shareBehind = (position: Buffer): number => position.readUInt32BE() / 2 ** 32;
