import type { Progress } from '../../common/pace.js';
import { EVERY_KEY } from './basis.js';
import type { Place } from './basis.js';

/** In which the keys of models are evaluated of which something was learnt: what is found acts within a minute. */
const MODELS_MS = 40_000;
/** In which all keys are. */
const ALL_MS = 240_000;

/**
 * How far an evaluation has come with the keys of models, which come first, or with all keys.
 *
 * @param begun where it began
 */
export function progressOf(begun: Place, { todo, position }: Place): Progress {
  if (todo[0]?.equals(EVERY_KEY)) return { done: shareBehind(position), withinMs: ALL_MS };
  const left = modelsOf(todo) - shareBehind(position);
  return { done: 1 - left / modelsOf(begun.todo), withinMs: MODELS_MS };
}

const modelsOf = (todo: readonly Buffer[]): number =>
  todo.filter((model) => !model.equals(EVERY_KEY)).length;

/** Hashes are spread evenly: so far along them is so far along the keys. */
const shareBehind = (position: Buffer): number => position.readUInt32BE() / 2 ** 32;
