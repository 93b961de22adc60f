import { problem, type Problem } from '../../platform/errors/reasons.js';
import { isListOf } from '../../platform/validation/decorators.js';
import { FieldValidator } from '../../platform/validation/field-validator.js';
import { keypairJson } from '../../platform/validation/values/keypair.js';
import { algorithmNumber } from '../../platform/validation/values/algorithm-name.js';
import { RS1, signatureAlgorithm } from '../../webauthn/keys/algorithms.js';

const MAX_ALGORITHMS = 20;
const MAX_TRANSPORTS = 64;
export const CALLER_CONVEYANCES = ['none', 'direct', 'indirect'] as const;

export const algorithmsProblem = (field: string): Problem =>
  problem('field.algorithms', { field, most: MAX_ALGORITHMS });

/** The COSE number of a name or number in a request, RS1 included; `undefined` if it is not supported. */
export function algorithmOf(value: unknown): number | undefined {
  if (value === RS1.id || isRs1Name(value)) return RS1.id;
  const number = typeof value === 'string' ? algorithmNumber(value) : value;
  return typeof number === 'number' && signatureAlgorithm(number) ? number : undefined;
}

const isRs1Name = (value: unknown): boolean =>
  typeof value === 'string' && value.toUpperCase() === RS1.name;

/** Names or COSE numbers. RS1 passes here: the policy, unknown to this validator, decides about it. */
export const areAlgorithms = (value: unknown): boolean =>
  isListOf(value, (item) => algorithmOf(item) !== undefined, { min: 1, max: MAX_ALGORITHMS });

/** Device metadata: a JSON object of at most 4 KiB and 8 levels, or a string that contains one. */
export const IsKeypair = FieldValidator('isKeypair', (value) => keypairJson(value) !== undefined);

/** An array of strings; those that cannot be transports are not stored. */
export const areTransports = (value: unknown): boolean =>
  isListOf(value, (item) => typeof item === 'string', { min: 0, max: MAX_TRANSPORTS });

export const transportsProblem = (field: string): Problem => ({
  ...problem('registration.malformed'),
  advice: problem('field.strings', { field, most: MAX_TRANSPORTS }),
});
