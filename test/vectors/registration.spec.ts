import { createHash, X509Certificate } from 'node:crypto';
import { judgeCertificatePath } from '../../src/webauthn/attestation/certificate-path.js';
import { supportedFormats } from '../../src/webauthn/attestation/registry.js';
import { supportedAlgorithms } from '../../src/webauthn/algorithms.js';
import { CeremonyError, type Failure } from '../../src/webauthn/failure.js';
import {
  parseRegistration,
  type VerifiedRegistration,
  verifyRegistration,
} from '../../src/webauthn/registration.js';
import {
  bytes,
  type Ceremony,
  ceremonies,
  readAnchor,
  reportMissing,
  vectorsAvailable,
  verdictOf,
} from './vectors.js';

/** Entries whose verdict is a matter of reading or of this runtime, and what we make of them. */
const READINGS: Readonly<Record<string, Failure | 'valid'>> = {
  // Its leaf writes CA false out, which DER forbids (30 03 01 01 00): we read it as what it says.
  'swa-packed-full-es256-verifyattestationpacked-test-22': 'valid',
  // A registration without a touch is for conditional creation, which no begin call asks for.
  'tweag-none-es256-conditional-create-7': 'user-not-present',
  // Token binding is refused in any form, also this one, a string.
  'py-fido-u2f-es256-test-verify-registration-response-fido-u2f-102': 'token-binding-present',
  // Our interface demands that the embedding page is named and listed; this one is not named.
  'w3c-none-es256-crossOrigin-reg': 'cross-origin-not-allowed',
  // RS1 is for statements only: a credential whose every signature hashes with SHA-1 is not offered.
  'swa-tpm-rs1-verifyattestationtpm-test-60': 'algorithm-not-offered',
  'swa-tpm-rs1-verifyregistrationresponse-test-664': 'algorithm-not-offered',
  // ML-DSA is no algorithm of Node 20, so no server of ours offers it.
  'py-none-ml-dsa-44-test-verify-registration-response-342': 'algorithm-not-offered',
  'py-none-ml-dsa-65-test-verify-registration-response-370': 'algorithm-not-offered',
  'py-none-ml-dsa-87-test-verify-registration-response-398': 'algorithm-not-offered',
};

/** Entries of other formats that fall to a check before the format's. */
const REFUSED_EARLIER: Readonly<Record<string, Failure>> = {
  'fxamacker-mock-rs1-attestation-test-68': 'algorithm-not-offered',
};

/** Paths to an anchor that began later than the time of the ceremony: we judge the anchor's time too. */
const ANCHOR_TOO_YOUNG = [
  'swa-tpm-rs256-verifyattestationtpm-test-20',
  'swa-tpm-rs256-verifyregistrationresponse-test-613',
];

const ENTRIES = ceremonies('registration');
const OURS = ENTRIES.filter((entry) => supportedFormats().includes(entry.format ?? ''));
const OTHERS = ENTRIES.filter((entry) => !OURS.includes(entry));

function run(entry: Ceremony): VerifiedRegistration {
  const parsed = parseRegistration({
    clientDataJSON: bytes(entry.clientDataJSON),
    attestationObject: bytes(entry.attestationObject),
  });
  return verifyRegistration(parsed, {
    challenge: entry.challenge,
    origins: [entry.origin],
    topOrigins: entry.topOrigin === undefined ? [] : [entry.topOrigin],
    rpIdHash: createHash('sha256').update(entry.rpId).digest(),
    userVerificationRequired: entry.requireUserVerification ?? false,
    algorithms: entry.allowedAlgs ?? supportedAlgorithms(),
    credentialId: bytes(entry.credentialId),
    at: new Date(entry.evaluateAt ?? 0),
  });
}

function outcome(entry: Ceremony): string {
  try {
    run(entry);
    return 'valid';
  } catch (error) {
    if (error instanceof CeremonyError) return error.failure;
    throw error;
  }
}

describe('collected registrations', () => {
  if (!vectorsAvailable()) {
    it('says that the collection is missing', () => {
      reportMissing('collected registrations');
      expect(ENTRIES).toEqual([]);
    });
    return;
  }

  const undisputed = OURS.filter((entry) => READINGS[entry.id] === undefined);
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
    expect(OURS.filter((entry) => entry.id === id).map(outcome)).toEqual([reading]);
  });

  it.each(
    OURS.filter((entry) => outcome(entry) === 'valid').map((entry) => [entry.id, entry] as const),
  )('%s: reads what a correct parser finds', (_id, entry) => {
    expect(run(entry)).toMatchObject({
      credentialId: bytes(entry.credentialId),
      publicKey: bytes(entry.publicKeyCose),
      algorithm: entry.alg,
      aaguid: entry.aaguid,
      signCount: entry.signCount,
      userVerified: entry.flags.uv,
      backupEligible: entry.flags.be,
      backedUp: entry.flags.bs,
    });
  });

  it('§7.1 step 22: refuses formats that are not registered', () => {
    const expected = ({ id }: Ceremony) => REFUSED_EARLIER[id] ?? 'attestation-format-unknown';
    const outcomes = OTHERS.map((entry) => [entry.id, outcome(entry)]);
    expect(outcomes).toEqual(OTHERS.map((entry) => [entry.id, expected(entry)]));
  });
});

describe('collected certificate paths', () => {
  const judged = OURS.filter(
    (entry) => entry.trustPath !== undefined && outcome(entry) === 'valid',
  );
  const anchored = judged.flatMap((entry) => {
    const pem = readAnchor(entry.trustAnchor ?? '');
    return pem === undefined ? [] : [{ entry, anchor: new X509Certificate(pem).raw }];
  });

  function judge(entry: Ceremony, anchors: readonly Buffer[]): boolean {
    const at = new Date(entry.evaluateAt ?? 0);
    return judgeCertificatePath(run(entry).attestation.trustPath, { anchors, at }).trusted;
  }

  it('§7.1 step 25: trusts every path that leads to its anchor, and no broken one', () => {
    const verdicts = anchored.map(({ entry, anchor }) => [entry.id, judge(entry, [anchor])]);
    const expected = anchored.map(({ entry: { id, trustPath } }) => [
      id,
      trustPath === 'anchored' && !ANCHOR_TOO_YOUNG.includes(id),
    ]);
    expect(verdicts).toEqual(expected);
  });

  it('CT06: trusts no path when there are no anchors', () => {
    expect(judged.filter((entry) => judge(entry, []))).toEqual([]);
  });
});
