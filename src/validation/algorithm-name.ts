import { signatureAlgorithm, supportedAlgorithms } from '../webauthn/algorithms.js';

const NUMBERS: ReadonlyMap<string, number> = new Map(
  supportedAlgorithms().map((id) => [signatureAlgorithm(id)?.name.toLowerCase() ?? '', id]),
);

/** The COSE number of an algorithm's name, in any case; `undefined` where the runtime lacks it. */
export const algorithmNumber = (name: string): number | undefined =>
  NUMBERS.get(name.toLowerCase());

/** Names of the algorithms that this runtime verifies, in lower case. */
export const algorithmNames = (): readonly string[] => [...NUMBERS.keys()];
