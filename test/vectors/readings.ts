import { supportedAlgorithms } from '../../src/webauthn/keys/algorithms.js';
import type { Failure } from '../../src/webauthn/failure.js';

/**
 * Entries of the collection whose verdict differs from ours, and our reading of them. Each is a matter of reading, or
 * of what this runtime can verify.
 */
const READINGS: Readonly<Record<string, Failure>> = {
  // §6.3.3 step 9: assertions carry no attested credential data; this one of a 2019 device does.
  'go-auth-es256-assertion-test-26': 'authenticator-data-malformed',
  // §8.4: both authorization lists are empty, so neither origin nor purpose is stated. A mistake of the first vectors.
  'w3c-android-key-es256-reg': 'attestation-certificate',
};

/** ML-DSA is no algorithm of Node before 24, so no server of ours offers it there. */
const ML_DSA: Readonly<Record<string, Failure>> = {
  'py-none-ml-dsa-44-test-verify-registration-response-342': 'algorithm-not-offered',
  'py-none-ml-dsa-65-test-verify-registration-response-370': 'algorithm-not-offered',
  'py-none-ml-dsa-87-test-verify-registration-response-398': 'algorithm-not-offered',
  'py-auth-ml-dsa-44-test-verify-authentication-response-304': 'key-not-acceptable',
  'py-auth-ml-dsa-65-test-verify-authentication-response-338': 'key-not-acceptable',
  'py-auth-ml-dsa-87-test-verify-authentication-response-373': 'key-not-acceptable',
};
const ML_DSA_44 = -48;

/**
 * Entries whose verdict the collection itself calls a matter of reading (`ambiguous`), where our
 * reading is the collection's:
 *
 * - `swa-packed-full-es256-verifyattestationpacked-test-22`, valid: its leaf writes CA false out,
 *   which DER forbids (30 03 01 01 00); we read it as what it says.
 * - `compound-packed-self-and-none`, valid: a statement that claims nothing is no lie.
 * - `compound-one-tampered`, invalid: a statement that does not verify is one.
 * - `py-fido-u2f-es256-test-verify-registration-response-fido-u2f-102`, invalid: token binding is
 *   refused in any form, also this one, a string.
 */
export const AMBIGUOUS: readonly string[] = [
  'swa-packed-full-es256-verifyattestationpacked-test-22',
  'compound-packed-self-and-none',
  'compound-one-tampered',
  'py-fido-u2f-es256-test-verify-registration-response-fido-u2f-102',
];

/** What we refuse against the collection's verdict, by the entry's name. */
export const REFUSED_BY_READING: ReadonlyMap<string, Failure> = new Map([
  ...Object.entries(READINGS),
  ...(supportedAlgorithms().includes(ML_DSA_44) ? [] : Object.entries(ML_DSA)),
]);
