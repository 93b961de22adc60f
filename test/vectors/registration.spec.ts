import { createHash, X509Certificate } from 'node:crypto';
import { validateCertificatePath } from '../../src/webauthn/certificates/certificate-path.js';
import { UNKNOWN_PAGE } from '../../src/webauthn/client-data.js';
import { ATTESTATION_FORMATS } from '../../src/webauthn/attestation/format.js';
import { RS1, supportedAlgorithms } from '../../src/webauthn/keys/algorithms.js';
import {
  parseRegistration,
  type VerifiedRegistration,
  verifyRegistration,
} from '../../src/webauthn/registration.js';
import { bytes, type Ceremony, ceremonies, readAnchor } from './vectors.js';
import { describeCollected, outcomeOf, testVerdicts } from './verdicts.js';

/** Paths to an anchor that began later than the time of the ceremony: we check the anchor's time too. */
const ANCHOR_TOO_YOUNG = [
  'swa-tpm-rs256-verifyattestationtpm-test-20',
  'swa-tpm-rs256-verifyregistrationresponse-test-613',
  'swa-tpm-rs1-verifyregistrationresponse-test-664',
];

const ENTRIES = ceremonies('registration');
const OURS = ENTRIES.filter(({ format }) => ATTESTATION_FORMATS.some((name) => name === format));
const OTHERS = ENTRIES.filter((entry) => !OURS.includes(entry));

function run(entry: Ceremony): VerifiedRegistration {
  const parsed = parseRegistration({
    clientDataJSON: bytes(entry.clientDataJSON),
    attestationObject: bytes(entry.attestationObject),
  });
  return verifyRegistration(parsed, {
    challenge: entry.challenge,
    origins: [entry.origin],
    topOrigins: [entry.topOrigin ?? (entry.crossOrigin === true ? UNKNOWN_PAGE : [])].flat(),
    rpIdHash: createHash('sha256').update(entry.rpId).digest(),
    userVerificationRequired: entry.requireUserVerification ?? false,
    // RS1 is offered in conformance tests only, and two of these are of such.
    algorithms: entry.allowedAlgs ?? [...supportedAlgorithms(), RS1.id],
    credentialId: bytes(entry.credentialId),
    at: new Date(entry.evaluateAt ?? 0),
    acceptsEndedFormats: true,
  });
}

const outcome = (entry: Ceremony) => outcomeOf(() => run(entry));

describeCollected('collected registrations', ENTRIES, () => {
  testVerdicts(OURS, outcome);

  it.each(
    OURS.filter((entry) => outcome(entry) === 'valid').map((entry) => [entry.id, entry] as const),
  )('reads the same values from the registration %s as the collection states', (_id, entry) => {
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

  it('refuses the collected registrations of unregistered formats', () => {
    const accepted = OTHERS.filter((entry) => outcome(entry) !== 'attestation-format-unknown');
    expect(accepted).toEqual([]);
  });
});

describe('the collected certificate paths', () => {
  const evaluated = OURS.filter(
    (entry) => entry.trustPath !== undefined && outcome(entry) === 'valid',
  );
  const anchored = evaluated.flatMap((entry) => {
    const pem = readAnchor(entry.trustAnchor ?? '');
    return pem === undefined ? [] : [{ entry, anchor: new X509Certificate(pem).raw }];
  });

  function evaluate(entry: Ceremony, anchors: readonly Buffer[]): boolean {
    const at = new Date(entry.evaluateAt ?? 0);
    return validateCertificatePath(run(entry).attestation.trustPath, {
      anchors,
      // Each is a root that the model's own maker named.
      sha1Anchors: anchors,
      at,
    }).trusted;
  }

  it('trusts a collected certificate path only if it leads to its anchor', () => {
    const verdicts = anchored.map(({ entry, anchor }) => [entry.id, evaluate(entry, [anchor])]);
    const expected = anchored.map(({ entry: { id, trustPath } }) => [
      id,
      trustPath === 'anchored' && !ANCHOR_TOO_YOUNG.includes(id),
    ]);
    expect(verdicts).toEqual(expected);
  });

  it('trusts no collected certificate path without anchors', () => {
    expect(evaluated.filter((entry) => evaluate(entry, []))).toEqual([]);
  });
});
