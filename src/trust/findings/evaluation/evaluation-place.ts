import type { JobProgress } from '../../../platform/common/pace.js';
import { bytesOfMapKey, mapKey } from '../../../platform/database/row-ids.js';

/** Digests of everything that the evaluation of stored keys depends on. */
export interface EvaluationDigests {
  /** SHA-256 of everything. */
  readonly digest: Buffer;
  /** SHA-256 of the data that concerns every key: policy, options, revocations. */
  readonly all: Buffer;
  /** Digests of the data about each model, eight bytes, by AAGUID (its bytes as `latin1`). */
  readonly models: ReadonlyMap<string, Buffer>;
}

/** The progress of an evaluation. */
export interface EvaluationPlace {
  /** AAGUIDs of the models whose keys are still to be evaluated, the current one first; or `EVERY_KEY`. */
  readonly todo: readonly Buffer[];
  /** SHA-256 of the credential ID that was evaluated last. */
  readonly position: Buffer;
}

/** Used in place of an AAGUID for all keys, of whatever model. */
export const EVERY_KEY = Buffer.alloc(16, 0xff);
export const FIRST_POSITION = Buffer.alloc(32);

const AAGUID_BYTES = 16;
const ALL_BYTES = 32;
const DIGEST_BYTES = 8;
/** Digest of a model in progress; equals no real digest. */
const UNKNOWN = Buffer.alloc(DIGEST_BYTES);
const UNKNOWN_TO_ALL = Buffer.alloc(ALL_BYTES);

/** The stored form of a basis: the digest for every key, then each AAGUID with its digest. */
export const writeBasis = ({ all, models }: Pick<EvaluationDigests, 'all' | 'models'>): Buffer =>
  Buffer.concat([
    all,
    ...[...models].flatMap(([aaguid, digest]) => [bytesOfMapKey(aaguid), digest]),
  ]);

function readBasis(bytes: Buffer): Pick<EvaluationDigests, 'all' | 'models'> {
  const models = parts(bytes.subarray(ALL_BYTES), AAGUID_BYTES + DIGEST_BYTES).map(
    (part) => [mapKey(part.subarray(0, AAGUID_BYTES)), part.subarray(AAGUID_BYTES)] as const,
  );
  return { all: bytes.subarray(0, ALL_BYTES), models: new Map(models) };
}

/**
 * The models whose keys must be evaluated again: first the models whose data has changed, then `EVERY_KEY` if
 * something changed that concerns all keys.
 *
 * @param completed written by `writeBasis` or `basisDuringEvaluation`; `null` if no key was ever evaluated
 */
export function changedModels(completed: Buffer | null, now: EvaluationDigests): readonly Buffer[] {
  if (completed === null) return [EVERY_KEY];
  const before = readBasis(completed);
  const named = new Set([...before.models.keys(), ...now.models.keys()]);
  const changed = [...named].filter((aaguid) => {
    const one = before.models.get(aaguid);
    const other = now.models.get(aaguid);
    return one === undefined || other === undefined || !one.equals(other);
  });
  const models = changed.map(bytesOfMapKey);
  return before.all.equals(now.all) ? models : [...models, EVERY_KEY];
}

/**
 * The basis against which all keys have certainly been evaluated, while some of them are evaluated again. If a
 * newer evaluation replaces this one, it must evaluate all of these keys again, whatever its own basis is, since
 * some of them have changed.
 */
export function basisDuringEvaluation(
  completed: Buffer | null,
  todo: readonly Buffer[],
  now: EvaluationDigests,
): Buffer {
  const { all, models } = completed === null ? now : readBasis(completed);
  const isUnsure = todo.some((aaguid) => aaguid.equals(EVERY_KEY));
  const unsure = todo.map((aaguid) => [mapKey(aaguid), UNKNOWN] as const);
  const known = new Map(completed === null ? models : [...models, ...unsure]);
  known.delete(mapKey(EVERY_KEY));
  return writeBasis({ all: isUnsure ? UNKNOWN_TO_ALL : all, models: known });
}

export const writeTodo = (todo: readonly Buffer[]): Buffer => Buffer.concat(todo);
export const readTodo = (bytes: Buffer): readonly Buffer[] => parts(bytes, AAGUID_BYTES);

const parts = (bytes: Buffer, size: number): readonly Buffer[] =>
  Array.from({ length: bytes.length / size }, (_, n) => bytes.subarray(n * size, (n + 1) * size));

/** Time for the keys of models with new data, so that findings take effect within a minute. */
const MODELS_MS = 40_000;
/** Time for evaluating all keys. */
const ALL_MS = 420_000;

/**
 * The finished share of the current part of an evaluation (first the keys of single models, then all keys), and how
 * long this part may take.
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

/** The share of keys up to a position: hashes are distributed evenly. */
const shareBehind = (position: Buffer): number => position.readUInt32BE() / 2 ** 32;
