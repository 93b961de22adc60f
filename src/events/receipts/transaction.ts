const OWN_BYTES = 32;
const HASH_BYTES = 32;

/**
 * Returns the SHA-256 of a transaction in a challenge, where it follows the server's random bytes.
 *
 * @param challenge Base64URL
 * @returns `undefined` for an ordinary challenge
 */
export function transactionIn(challenge: string): Buffer | undefined {
  const bytes = Buffer.from(challenge, 'base64url');
  return bytes.length === OWN_BYTES + HASH_BYTES ? bytes.subarray(OWN_BYTES) : undefined;
}
