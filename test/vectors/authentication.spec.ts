import { createHash } from 'node:crypto';
import {
  counterIncreased,
  parseAuthentication,
  verifyAuthentication,
} from '../../src/webauthn/authentication.js';
import { checkClientData } from '../../src/webauthn/client-data.js';
import { importCoseKey } from '../../src/webauthn/cose-key.js';
import { CeremonyError } from '../../src/webauthn/failure.js';
import { REFUSED_BY_READING } from './readings.js';
import {
  bytes,
  type Ceremony,
  ceremonies,
  reportMissing,
  vectorsAvailable,
  verdictOf,
} from './vectors.js';

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
    unnamedTopOrigin: entry.crossOrigin === true && entry.topOrigin === undefined,
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

  const undisputed = ENTRIES.filter((entry) => !REFUSED_BY_READING.has(entry.id));
  it.each(undisputed.map((entry) => [entry.id, verdictOf(entry), entry] as const))(
    '%s is %s',
    (_id, verdict, entry) => {
      const result = outcome(entry);
      expect(result === 'valid' ? 'valid' : `invalid: ${result}`).toMatch(
        new RegExp(`^${verdict}`),
      );
    },
  );

  it('refuses what our readings refuse, of what they name', () => {
    const disputed = ENTRIES.filter((entry) => REFUSED_BY_READING.has(entry.id));
    const readings = disputed.map(({ id }) => [id, REFUSED_BY_READING.get(id)]);
    expect(disputed.map((entry) => [entry.id, outcome(entry)])).toEqual(readings);
  });
});
