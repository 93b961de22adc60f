import {
  checkFlags,
  AUTHENTICATOR_FLAG,
  hasFlag,
  parseAuthenticatorData,
  type AuthenticatorData,
} from './authenticator-data.js';
import { type ClientData, parseClientData } from './client-data.js';
import type { VerificationKey } from './keys/cose-key.js';
import { ensure } from './failure.js';

/** The browser's response, decoded from Base64URL. */
export interface AuthenticationResponse {
  readonly clientDataJSON: Buffer;
  readonly authenticatorData: Buffer;
  readonly signature: Buffer;
}

/** An assertion whose formats have been checked, and nothing else. */
export interface ParsedAuthentication {
  readonly clientData: ClientData;
  readonly authenticatorData: AuthenticatorData;
  readonly signedBytes: Buffer;
  readonly signature: Buffer;
}

interface KnownCredential {
  readonly key: VerificationKey;
  /** `undefined` if the server that registered the credential did not store it. */
  readonly backupEligible: boolean | undefined;
}

interface AuthenticationExpectation {
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
 * Checks formats only: client data, authenticator data, signature. The members are read in this order, so
 * the first of several faults is reported.
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
 * Verifies an assertion whose client data has passed `checkClientData` (WebAuthn L3 §7.2 steps 15–21). The
 * counter is checked separately, by {@link counterIncreased}: the policy decides about clones.
 */
export function verifyAuthentication(
  parsed: ParsedAuthentication,
  credential: KnownCredential,
  expected: AuthenticationExpectation,
): VerifiedAuthentication {
  const { rpIdHash, flags, signCount } = parsed.authenticatorData;
  const backupEligible = hasFlag(flags, AUTHENTICATOR_FLAG.backupEligible);
  ensure(expected.rpIdHash.equals(rpIdHash), 'rp-id-hash-mismatch');
  checkFlags(flags, expected);
  const known = credential.backupEligible ?? backupEligible;
  ensure(backupEligible === known, 'backup-eligibility-changed');
  const genuine = credential.key.verify(parsed.signedBytes, parsed.signature);
  ensure(genuine, 'signature-invalid');
  return {
    signCount,
    userVerified: hasFlag(flags, AUTHENTICATOR_FLAG.userVerified),
    backupEligible,
    backedUp: hasFlag(flags, AUTHENTICATOR_FLAG.backedUp),
  };
}

/**
 * WebAuthn L3 §7.2 step 22: the counter must rise; with a stored 0, the authenticator may not have a counter. The
 * statement `RECORD_RISING_USE` has the same rule in SQL, and `SignInRecorder` raises the alarm about clones.
 */
export function counterIncreased(stored: number, next: number): boolean {
  return next > stored || stored === 0;
}
