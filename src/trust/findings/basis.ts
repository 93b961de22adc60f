/** What keys are held against, told by digests. */
export interface Basis {
  /** SHA-256 of all of it. */
  readonly digest: Buffer;
  /** SHA-256 of what concerns every key: the policy, the options, what is revoked. */
  readonly all: Buffer;
  /** What is known of models, by AAGUID (its bytes as `latin1`), eight bytes each. */
  readonly models: ReadonlyMap<string, Buffer>;
}

/** Where an evaluation has come to. */
export interface Place {
  /** AAGUIDs of the models whose keys are to be looked at, the one under way first; or `EVERY_KEY`. */
  readonly todo: readonly Buffer[];
  /** Hash of the last credential ID that was looked at. */
  readonly position: Buffer;
}

/** Stands where an AAGUID would: all keys, of whatever model. */
export const EVERY_KEY = Buffer.alloc(16, 0xff);
export const FIRST = Buffer.alloc(32);

const AAGUID_BYTES = 16;
const ALL_BYTES = 32;
const DIGEST_BYTES = 8;
/** Of a model under way: equal to nothing that is known. */
const UNKNOWN = Buffer.alloc(DIGEST_BYTES);
const UNKNOWN_TO_ALL = Buffer.alloc(ALL_BYTES);

/** As it is stored: what concerns every key, then each model and its digest. */
export const writeBasis = ({ all, models }: Pick<Basis, 'all' | 'models'>): Buffer =>
  Buffer.concat([
    all,
    ...[...models].flatMap(([aaguid, digest]) => [Buffer.from(aaguid, 'latin1'), digest]),
  ]);

function readBasis(bytes: Buffer): Pick<Basis, 'all' | 'models'> {
  const models = parts(bytes.subarray(ALL_BYTES), AAGUID_BYTES + DIGEST_BYTES).map(
    (part) => [part.toString('latin1', 0, AAGUID_BYTES), part.subarray(AAGUID_BYTES)] as const,
  );
  return { all: bytes.subarray(0, ALL_BYTES), models: new Map(models) };
}

/**
 * Which keys something has changed for since they were looked at: first those of models of which
 * something else is known now, then all where it concerns all.
 *
 * @param held as `writeBasis` and `whileUnderWay` wrote it; `null` where no key was ever looked at
 */
export function changedModels(held: Buffer | null, now: Basis): readonly Buffer[] {
  if (held === null) return [EVERY_KEY];
  const before = readBasis(held);
  const named = new Set([...before.models.keys(), ...now.models.keys()]);
  const changed = [...named].filter((aaguid) => {
    const [one, other] = [before.models.get(aaguid), now.models.get(aaguid)];
    return one === undefined || other === undefined || !one.equals(other);
  });
  const models = changed.map((aaguid) => Buffer.from(aaguid, 'latin1'));
  return before.all.equals(now.all) ? models : [...models, EVERY_KEY];
}

/**
 * What is sure of keys while some of them are looked at again: an evaluation that is given up for a newer
 * one has changed part of those, and they must be looked at again whatever the newer one says.
 */
export function whileUnderWay(held: Buffer | null, todo: readonly Buffer[], now: Basis): Buffer {
  const { all, models } = held === null ? now : readBasis(held);
  const isUnsure = todo.some((aaguid) => aaguid.equals(EVERY_KEY));
  const unsure = todo.map((aaguid) => [aaguid.toString('latin1'), UNKNOWN] as const);
  const known = new Map(held === null ? models : [...models, ...unsure]);
  known.delete(EVERY_KEY.toString('latin1'));
  return writeBasis({ all: isUnsure ? UNKNOWN_TO_ALL : all, models: known });
}

export const writeTodo = (todo: readonly Buffer[]): Buffer => Buffer.concat(todo);
export const readTodo = (bytes: Buffer): readonly Buffer[] => parts(bytes, AAGUID_BYTES);

const parts = (bytes: Buffer, size: number): readonly Buffer[] =>
  Array.from({ length: bytes.length / size }, (_, n) => bytes.subarray(n * size, (n + 1) * size));
