import {
  type AuthenticatorData,
  FLAG,
  hasFlag,
  parseAuthenticatorData,
} from './authenticator-data.js';
import { type ClientData, parseClientData } from './client-data.js';
import type { VerificationKey } from './cose-key.js';
import { ensure } from './failure.js';
import { checkFlags } from './flags.js';

/** What the browser sent, decoded from Base64URL. */
export interface AuthenticationResponse {
  readonly clientDataJSON: Buffer;
  readonly authenticatorData: Buffer;
  readonly signature: Buffer;
}

/** An assertion whose formats are right, and nothing else yet. */
export interface ParsedAuthentication {
  readonly clientData: ClientData;
  readonly authenticatorData: AuthenticatorData;
  readonly signedBytes: Buffer;
  readonly signature: Buffer;
}

/** What is kept of the credential. */
export interface KnownCredential {
  readonly key: VerificationKey;
  /** `undefined` where whoever registered it did not keep it. */
  readonly backupEligible: boolean | undefined;
}

export interface AuthenticationExpectation {
  readonly rpIdHash: Buffer;
  readonly userVerificationRequired: boolean;
}

export interface VerifiedAuthentication {
  readonly signCount: number;
  readonly userVerified: boolean;
  readonly backupEligible: boolean;
  readonly backedUp: boolean;
}

/**
 * Formats only: client data, authenticator data, signature. Each member is read when its turn
 * comes, so that of several faults the one that stands first is named.
 */
export function parseAuthentication(response: AuthenticationResponse): ParsedAuthentication {
  const clientData = parseClientData(response.clientDataJSON);
  const authenticatorDataBytes = response.authenticatorData;
  return {
    clientData,
    authenticatorData: parseAuthenticatorData(authenticatorDataBytes),
    signedBytes: Buffer.concat([authenticatorDataBytes, clientData.hash]),
    signature: response.signature,
  };
}

/**
 * Verifies an assertion whose client data `checkClientData` has passed (WebAuthn L3 §7.2 steps
 * 15–21). The counter is checked apart, by {@link counterIncreased}: policy decides about clones.
 */
export function verifyAuthentication(
  parsed: ParsedAuthentication,
  credential: KnownCredential,
  expected: AuthenticationExpectation,
): VerifiedAuthentication {
  const { rpIdHash, flags, signCount } = parsed.authenticatorData;
  const backupEligible = hasFlag(flags, FLAG.backupEligible);
  ensure(expected.rpIdHash.equals(rpIdHash), 'rp-id-hash-mismatch');
  checkFlags(flags, expected);
  const known = credential.backupEligible ?? backupEligible;
  ensure(backupEligible === known, 'backup-eligibility-changed');
  const genuine = credential.key.verify(parsed.signedBytes, parsed.signature);
  ensure(genuine, 'signature-invalid');
  return {
    signCount,
    userVerified: hasFlag(flags, FLAG.userVerified),
    backupEligible,
    backedUp: hasFlag(flags, FLAG.backedUp),
  };
}

/** WebAuthn L3 §7.2 step 22: a counter must rise; where 0 is stored, the authenticator may keep none. */
export function counterIncreased(stored: number, next: number): boolean {
  return next > stored || stored === 0;
}
