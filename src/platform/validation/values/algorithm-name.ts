import { signatureAlgorithm, supportedAlgorithms } from '../../../webauthn/keys/algorithms.js';

const NUMBERS: ReadonlyMap<string, number> = new Map(
  supportedAlgorithms().map((id) => [signatureAlgorithm(id)?.name.toLowerCase() ?? '', id]),
);

/** Names without hyphens, a common spelling: `mldsa44`. */
const WITHOUT_HYPHENS: ReadonlyMap<string, number> = new Map(
  [...NUMBERS].map(([name, id]) => [name.replaceAll('-', ''), id]),
);

/**
 * The COSE identifier of an algorithm by its name, regardless of case; `undefined` if the runtime does not support it.
 */
export function algorithmNumber(name: string): number | undefined {
  const known = name.toLowerCase();
  return NUMBERS.get(known) ?? WITHOUT_HYPHENS.get(known);
}

/** Names of the algorithms that this runtime can verify, in lower case. */
export const algorithmNames = (): readonly string[] => [...NUMBERS.keys()];
