import { createHash } from 'node:crypto';
import {
  counterIncreased,
  parseAuthentication,
  verifyAuthentication,
} from '../../src/webauthn/authentication.js';
import { checkClientData } from '../../src/webauthn/client-data.js';
import { importCoseKey } from '../../src/webauthn/cose-key.js';
import { CeremonyError, type Failure } from '../../src/webauthn/failure.js';
import {
  bytes,
  type Ceremony,
  ceremonies,
  reportMissing,
  vectorsAvailable,
  verdictOf,
} from './vectors.js';

/** Entries whose verdict is a matter of reading or of this runtime, and what we make of them. */
const READINGS: Readonly<Record<string, Failure | 'valid'>> = {
  // Our interface demands that the embedding page is named and listed; this one is not named.
  'w3c-none-es256-crossOrigin-auth': 'cross-origin-not-allowed',
  // §6.3.3 step 9: assertions carry no attested credential data; this one of a 2019 device does.
  'go-auth-es256-assertion-test-26': 'authenticator-data-malformed',
  // ML-DSA is no algorithm of Node 20, so such a key was never registered.
  'py-auth-ml-dsa-44-test-verify-authentication-response-304': 'key-not-acceptable',
  'py-auth-ml-dsa-65-test-verify-authentication-response-338': 'key-not-acceptable',
  'py-auth-ml-dsa-87-test-verify-authentication-response-373': 'key-not-acceptable',
};

const ENTRIES = ceremonies('authentication');

function outcome(entry: Ceremony): string {
  try {
    verify(entry);
    return 'valid';
  } catch (error) {
    if (error instanceof CeremonyError) return error.failure;
    throw error;
  }
}

function verify(entry: Ceremony): void {
  const parsed = parseAuthentication({
    clientDataJSON: bytes(entry.clientDataJSON),
    authenticatorData: bytes(entry.authenticatorData),
    signature: bytes(entry.signature),
  });
  checkClientData(parsed.clientData, {
    type: 'webauthn.get',
    challenge: entry.challenge,
    origins: [entry.origin],
    topOrigins: entry.topOrigin === undefined ? [] : [entry.topOrigin],
  });
  const key = importCoseKey(bytes(entry.publicKeyCose));
  const credential = { key, backupEligible: entry.flags.be };
  const { signCount } = verifyAuthentication(parsed, credential, {
    rpIdHash: createHash('sha256').update(entry.rpId).digest(),
    userVerificationRequired: entry.requireUserVerification ?? false,
  });
  expect(signCount).toBe(entry.signCount);
  const increased = counterIncreased(entry.storedCounter ?? 0, signCount);
  if (!increased) throw new CeremonyError('counter-not-increased');
}

describe('collected assertions', () => {
  if (!vectorsAvailable()) {
    it('says that the collection is missing', () => {
      reportMissing('collected assertions');
      expect(ENTRIES).toEqual([]);
    });
    return;
  }

  const undisputed = ENTRIES.filter((entry) => READINGS[entry.id] === undefined);
  it.each(undisputed.map((entry) => [entry.id, verdictOf(entry), entry] as const))(
    '%s is %s',
    (_id, verdict, entry) => {
      const result = outcome(entry);
      expect(result === 'valid' ? 'valid' : `invalid: ${result}`).toMatch(
        new RegExp(`^${verdict}`),
      );
    },
  );

  it.each(Object.entries(READINGS))('%s: our reading is %s', (id, reading) => {
    expect(ENTRIES.filter((entry) => entry.id === id).map(outcome)).toEqual([reading]);
  });
});
