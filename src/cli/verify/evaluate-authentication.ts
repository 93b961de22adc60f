import { AuthenticationResultDto } from '../../fido/authentication/authentication.dto.js';
import { RS1 } from '../../webauthn/keys/algorithms.js';
import {
  counterIncreased,
  parseAuthentication,
  type ParsedAuthentication,
  verifyAuthentication,
} from '../../webauthn/authentication.js';
import { AUTHENTICATOR_FLAG, hasFlag } from '../../webauthn/authenticator-data.js';
import { checkClientData } from '../../webauthn/client-data.js';
import { importCoseKey } from '../../webauthn/keys/cose-key.js';
import { ensure } from '../../webauthn/failure.js';
import { assertionResponse } from '../../webauthn/response-json.js';
import { transactionIn } from '../../events/receipts/transaction.js';
import { sha256 } from '../../platform/common/sha256.js';
import type { RecordedCeremony } from './recorded-ceremony.js';
import { checkBody, CeremonyRefusal, type Findings } from './verdict.js';

/** Replaces a missing credential ID: no signature covers the ID of an assertion. */
const SOME_ID = 'AA';

/** Evaluates an assertion, and fails as the server would. The digest of its transaction is added to the findings. */
export function evaluateAuthentication(ceremony: RecordedCeremony, findings: Findings): void {
  checkBody(AuthenticationResultDto, ceremony.credential ?? bodyOf(ceremony));
  const { clientDataJSON, authenticatorData, signature } = ceremony.response;
  const parsed = parseAuthentication(
    assertionResponse({ clientDataJSON, authenticatorData, signature }),
  );
  checkClientData(parsed.clientData, {
    type: 'webauthn.get',
    ...ceremony.expectationOf(parsed.clientData),
  });
  const { signCount } = verifyAuthentication(parsed, credentialOf(ceremony, parsed), {
    rpIdHash: rpIdHashOf(ceremony, parsed),
    userVerificationRequired: ceremony.flag('requireUserVerification'),
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
function bodyOf(ceremony: RecordedCeremony) {
  const id = ceremony.text('credentialId') ?? SOME_ID;
  const { clientDataJSON, authenticatorData, signature, userHandle } = ceremony.response;
  const response = { clientDataJSON, authenticatorData, signature, userHandle };
  return { type: 'public-key', id, rawId: id, response };
}

/** The recorded credential. Its backup eligibility is not recorded, so the flag of the assertion is used. */
function credentialOf(ceremony: RecordedCeremony, { authenticatorData }: ParsedAuthentication) {
  const publicKey = ceremony.bytes('publicKeyCose');
  if (publicKey === undefined) {
    throw new CeremonyRefusal('unknown-credential', 'E0033R', 'no public key was recorded');
  }
  const allowed = ceremony.allowedAlgorithms;
  const key = importCoseKey(publicKey, { rs1: allowed?.includes(RS1.id) ?? true });
  ensure(allowed?.includes(key.alg) ?? true, 'algorithm-not-offered');
  return {
    key,
    backupEligible: hasFlag(authenticatorData.flags, AUTHENTICATOR_FLAG.backupEligible),
  };
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
