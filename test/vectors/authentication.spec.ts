import { createHash } from 'node:crypto';
import {
  counterIncreased,
  parseAuthentication,
  verifyAuthentication,
} from '../../src/webauthn/authentication.js';
import { checkClientData, UNKNOWN_PAGE } from '../../src/webauthn/client-data.js';
import { importCoseKey } from '../../src/webauthn/keys/cose-key.js';
import { CeremonyError } from '../../src/webauthn/failure.js';
import { bytes, type Ceremony, ceremonies } from './vectors.js';
import { describeCollected, outcomeOf, testVerdicts } from './verdicts.js';

const ENTRIES = ceremonies('authentication');

const outcome = (entry: Ceremony) => outcomeOf(() => verify(entry));

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
    topOrigins: [entry.topOrigin ?? (entry.crossOrigin === true ? UNKNOWN_PAGE : [])].flat(),
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

describeCollected('collected assertions', ENTRIES, () => {
  testVerdicts(ENTRIES, outcome);
});
