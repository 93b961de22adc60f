import { firmwareVersionOf } from '../../webauthn/attestation/leaf-extensions.js';
import { RegistrationResultDto } from '../../fido/registration/registration.dto.js';
import { RS1, supportedAlgorithms } from '../../webauthn/keys/algorithms.js';
import { isBrokenPath, evaluateTrust } from '../../webauthn/attestation/attestation-trust.js';
import { ensure } from '../../webauthn/failure.js';
import type { MetadataEntry } from '../../webauthn/metadata/metadata-statement.js';
import { evaluateStatus, reportsOnFirmware } from '../../webauthn/metadata/status.js';
import {
  parseRegistration,
  type ParsedRegistration,
  type VerifiedRegistration,
  verifyRegistration,
} from '../../webauthn/registration.js';
import { attestationResponse } from '../../webauthn/response-json.js';
import type { RecordedCeremony } from './recorded-ceremony.js';
import { checkBody, type Findings, type Trust } from './verdict.js';

/** Algorithms that count as offered without a begin call: all that can be verified, and RS1 of old TPMs. */
export const ALL_ALGORITHMS = [...supportedAlgorithms(), RS1.id];

/** Evaluates a registration; fills in the findings, and fails as the server would. */
export function evaluateRegistration(
  ceremony: RecordedCeremony,
  trust: Trust,
  findings: Findings,
): void {
  const body = bodyOf(ceremony);
  if (body !== undefined) checkBody(RegistrationResultDto, body);
  const { clientDataJSON, attestationObject } = ceremony.response;
  const parsed = parseRegistration(attestationResponse({ clientDataJSON, attestationObject }));
  findings.format = parsed.format;
  const verified = verifyRegistration(parsed, expectationOf(ceremony, parsed, body?.['id']));
  checkTrust(ceremony, verified, { trust, findings });
}

/** The body as it was sent, or as a browser would have sent it; `undefined` if its ID was not recorded. */
function bodyOf(ceremony: RecordedCeremony): Readonly<Record<string, unknown>> | undefined {
  if (ceremony.credential !== undefined) return ceremony.credential;
  const id = ceremony.text('credentialId');
  if (id === undefined) return undefined;
  return { type: 'public-key', id, rawId: id, response: { ...ceremony.response } };
}

function expectationOf(ceremony: RecordedCeremony, parsed: ParsedRegistration, id: unknown) {
  return {
    ...ceremony.expectationOf(parsed.clientData),
    rpIdHash: ceremony.rpIdHash(parsed.clientData),
    userVerificationRequired: ceremony.flag('requireUserVerification'),
    algorithms: ceremony.allowedAlgorithms ?? ALL_ALGORITHMS,
    credentialId:
      typeof id === 'string'
        ? Buffer.from(id, 'base64url')
        : parsed.authenticatorData.credential.credentialId,
    at: ceremony.at,
    endedFormats: true,
  };
}

/** Checks trust: it is required if the ceremony says that metadata decide, otherwise only reported. */
function checkTrust(
  ceremony: RecordedCeremony,
  verified: VerifiedRegistration,
  { trust, findings }: { readonly trust: Trust; readonly findings: Findings },
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
  const isProved = verdict.proves === 'model';
  checkModel(entry, isProved ? firmwareVersionOf(verified.attestation) : undefined, at);
}

function checkModel(
  entry: MetadataEntry | undefined,
  firmware: number | undefined,
  at: Date,
): void {
  ensure(entry !== undefined, 'attestation-not-trusted', 'model is unknown');
  const reports = reportsOnFirmware(entry.statusReports, firmware);
  const { verdict, status } = evaluateStatus(reports, at);
  ensure(verdict !== 'refuse', 'attestation-not-trusted', status);
}
