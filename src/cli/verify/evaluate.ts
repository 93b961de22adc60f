import { REGISTRATION_CODES, AUTHENTICATION_CODES } from '../../fido/refusals/failure-codes.js';
import { CeremonyError, ensure } from '../../webauthn/failure.js';
import { RegistrationResultDto } from '../../fido/registration/registration.dto.js';
import { RS1, supportedAlgorithms } from '../../webauthn/keys/algorithms.js';
import {
  isBrokenPath,
  evaluateTrust,
  statusSubjectOf,
} from '../../webauthn/attestation/attestation-trust.js';
import { statusAgainst } from '../../webauthn/metadata/status.js';
import {
  parseRegistration,
  type ParsedRegistration,
  type VerifiedRegistration,
  verifyRegistration,
} from '../../webauthn/registration.js';
import { attestationResponse, assertionResponse } from '../../webauthn/response-json.js';
import { AuthenticationResultDto } from '../../fido/authentication/authentication.dto.js';
import {
  counterIncreased,
  parseAuthentication,
  type ParsedAuthentication,
  verifyAuthentication,
} from '../../webauthn/authentication.js';
import { checkClientData } from '../../webauthn/client-data.js';
import { importCoseKey } from '../../webauthn/keys/cose-key.js';
import { transactionIn } from '../../fido/ceremonies/challenges.js';
import { sha256 } from '../../platform/common/sha256.js';
import { RecordedCeremony } from './recorded-ceremony.js';
import {
  CeremonyRefusal,
  type Findings,
  type TrustedSources,
  type Verdict,
  checkBody,
} from './verdict.js';

/** Evaluates one recorded ceremony as the server would have at its time. Never throws. */
export function evaluateCeremony(value: unknown, trust: TrustedSources): Verdict {
  const ceremony = new RecordedCeremony(value);
  const findings: Findings = { format: null, trusted: null, detail: null };
  const { id, kind } = ceremony;
  try {
    if (kind === undefined)
      throw new CeremonyRefusal('no-ceremony', null, 'neither kind of ceremony');
    if (kind === 'registration') evaluateRegistration(ceremony, trust, findings);
    else evaluateAuthentication(ceremony, findings);
    const { notProven } = ceremony;
    return { id, ok: true, failure: null, code: null, ...findings, notProven };
  } catch (error) {
    const { failure, code, detail } = refusalOf(error, kind);
    return { id, ok: false, failure, code, ...findings, detail };
  }
}

function refusalOf(
  error: unknown,
  kind: RecordedCeremony['kind'],
): Pick<Verdict, 'failure' | 'code' | 'detail'> {
  if (error instanceof CeremonyError) {
    const { failure, detail = null } = error;
    const codes = kind === 'registration' ? REGISTRATION_CODES : AUTHENTICATION_CODES;
    return { failure, code: codes[failure], detail };
  }
  if (error instanceof CeremonyRefusal) {
    return { failure: error.failure, code: error.code, detail: error.message };
  }
  return { failure: 'internal', code: 'E0050R', detail: String(error) };
}

/** Algorithms that count as offered without a begin call: all that can be verified, and RS1 of old TPMs. */
export const ALL_ALGORITHMS = [...supportedAlgorithms(), RS1.id];

/** Evaluates a registration; fills in the findings, and fails as the server would. */
function evaluateRegistration(
  ceremony: RecordedCeremony,
  trust: TrustedSources,
  findings: Findings,
): void {
  const body = registrationBody(ceremony);
  if (body !== undefined) checkBody(RegistrationResultDto, body);
  const { clientDataJSON, attestationObject } = ceremony.response;
  const parsed = parseRegistration(attestationResponse({ clientDataJSON, attestationObject }));
  findings.format = parsed.format;
  const verified = verifyRegistration(parsed, expectationOf(ceremony, parsed, body?.['id']));
  checkTrust(ceremony, verified, { trust, findings });
}

/** The body as it was sent, or as a browser would have sent it; `undefined` if its ID was not recorded. */
function registrationBody(
  ceremony: RecordedCeremony,
): Readonly<Record<string, unknown>> | undefined {
  if (ceremony.credential !== undefined) return ceremony.credential;
  const id = ceremony.text('credentialId');
  if (id === undefined) return undefined;
  return { type: 'public-key', id, rawId: id, response: { ...ceremony.response } };
}

function expectationOf(ceremony: RecordedCeremony, parsed: ParsedRegistration, id: unknown) {
  return {
    ...ceremony.expectationOf(parsed.clientData),
    rpIdHash: ceremony.rpIdHash(parsed.clientData),
    userVerificationRequired: ceremony.requiresUserVerification,
    algorithms: ceremony.allowedAlgorithms ?? ALL_ALGORITHMS,
    credentialId:
      typeof id === 'string'
        ? Buffer.from(id, 'base64url')
        : parsed.authenticatorData.credential.credentialId,
    at: ceremony.at,
    acceptsEndedFormats: true,
  };
}

/** Checks trust: it is required if the ceremony says that metadata decide, otherwise only reported. */
function checkTrust(
  ceremony: RecordedCeremony,
  verified: VerifiedRegistration,
  { trust, findings }: { readonly trust: TrustedSources; readonly findings: Findings },
): void {
  const { at } = ceremony;
  const verdict = evaluateTrust(verified, { ...trust, at });
  findings.trusted = verdict.trusted;
  findings.detail = verdict.reason ?? null;
  if (!ceremony.flag('requiresMetadata')) return;
  const refusal = isBrokenPath(verdict) ? 'certificate-path' : 'attestation-not-trusted';
  ensure(verdict.trusted, refusal, verdict.reason);
  const { trustPath } = verified.attestation;
  const entry = trust.metadata.entryFor({ aaguid: verified.aaguid, trustPath });
  ensure(entry !== undefined, 'attestation-not-trusted', 'model is unknown');
  const subject = statusSubjectOf(verified.attestation, verdict, entry);
  const against = statusAgainst(entry.statusReports, at, subject);
  ensure(against === undefined, 'attestation-not-trusted', against);
}

/** Replaces a missing credential ID: no signature covers the ID of an assertion. */
const SOME_ID = 'AA';

/** Evaluates an assertion, and fails as the server would. The digest of its transaction is added to the findings. */
function evaluateAuthentication(ceremony: RecordedCeremony, findings: Findings): void {
  checkBody(AuthenticationResultDto, ceremony.credential ?? authenticationBody(ceremony));
  const { clientDataJSON, authenticatorData, signature } = ceremony.response;
  const parsed = parseAuthentication(
    assertionResponse({ clientDataJSON, authenticatorData, signature }),
  );
  checkClientData(parsed.clientData, {
    ...ceremony.expectationOf(parsed.clientData),
    type: 'webauthn.get',
  });
  const { signCount } = verifyAuthentication(parsed, credentialOf(ceremony), {
    rpIdHash: rpIdHashOf(ceremony, parsed),
    userVerificationRequired: ceremony.requiresUserVerification,
  });
  ensure(counterIncreased(ceremony.storedCounter, signCount), 'counter-not-increased');
  const agreed = transactionIn(parsed.clientData.challenge);
  if (ceremony.transaction && !agreed?.equals(ceremony.transaction)) {
    throw new CeremonyRefusal(
      'transaction',
      null,
      'the signed challenge confirms another transaction',
    );
  }
  if (agreed) findings.transaction = agreed.toString('base64url');
}

/** The body of the call, as a browser would have sent it. */
function authenticationBody(ceremony: RecordedCeremony) {
  const id = ceremony.text('credentialId') ?? SOME_ID;
  const { clientDataJSON, authenticatorData, signature, userHandle } = ceremony.response;
  const response = { clientDataJSON, authenticatorData, signature, userHandle };
  return { type: 'public-key', id, rawId: id, response };
}

/** The recorded credential. If its backup eligibility was not recorded, any flag of the assertion fits. */
function credentialOf(ceremony: RecordedCeremony) {
  const publicKey = ceremony.bytes('publicKeyCose');
  if (publicKey === undefined) {
    throw new CeremonyRefusal('unknown-credential', 'E0033R', 'no public key was recorded');
  }
  const allowed = ceremony.allowedAlgorithms;
  const key = importCoseKey(publicKey, { rs1: allowed?.includes(RS1.id) ?? true });
  ensure(allowed?.includes(key.alg) ?? true, 'algorithm-not-offered');
  return { key, backupEligible: ceremony.backupEligible };
}

/**
 * The expected RP ID hash: that of the AppID, if the key of a U2F registration answers for it (the `appid`
 * extension, WebAuthn L3 §10.1.1).
 */
function rpIdHashOf(
  ceremony: RecordedCeremony,
  { authenticatorData, clientData }: ParsedAuthentication,
): Buffer {
  const appId = ceremony.text('appId');
  const ofAppId = appId === undefined ? undefined : sha256(appId);
  const isOfAppId = ofAppId?.equals(authenticatorData.rpIdHash) === true;
  return isOfAppId ? ofAppId : ceremony.rpIdHash(clientData);
}
