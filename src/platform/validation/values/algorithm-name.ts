import { signatureAlgorithm, supportedAlgorithms } from '../../../webauthn/keys/algorithms.js';

const NUMBERS: ReadonlyMap<string, number> = new Map(
  supportedAlgorithms().map((id) => [signatureAlgorithm(id)?.name.toLowerCase() ?? '', id]),
);

/** Names without hyphens, as some people type them: `mldsa44`. */
const WITHOUT_HYPHENS: ReadonlyMap<string, number> = new Map(
  [...NUMBERS].map(([name, id]) => [name.replaceAll('-', ''), id]),
);

/**
 * The COSE identifier of an algorithm by its name, in upper or lower case; `undefined` where the runtime
 * lacks it.
 */
export function algorithmNumber(name: string): number | undefined {
  const known = name.toLowerCase();
  return NUMBERS.get(known) ?? WITHOUT_HYPHENS.get(known);
}

/** Names of the algorithms that this runtime verifies, in lower case. */
export const algorithmNames = (): readonly string[] => [...NUMBERS.keys()];
