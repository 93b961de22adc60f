import type { CredentialFacts } from '../../users/credentials/credential-reader.js';
import { ApiError } from '../../platform/errors/api-error.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { parseAuthentication, verifyAuthentication } from '../../webauthn/authentication.js';
import type {
  ParsedAuthentication,
  VerifiedAuthentication,
} from '../../webauthn/authentication.js';
import { checkClientData } from '../../webauthn/client-data.js';
import { assertionResponse } from '../../webauthn/response-json.js';
import type { PendingAuthentication } from '../ceremonies/ceremony.js';
import { AUTHENTICATION_CODES, withCodes } from '../refusals/failure-codes.js';
import type { AuthenticationResultDto } from './authentication.dto.js';
import type { ReadyCredential } from './ready-credentials.js';

/** The body of a result call, as sent and parsed, and the ceremony that it is to complete. */
export interface Assertion {
  readonly pending: PendingAuthentication;
  readonly dto: AuthenticationResultDto;
  readonly parsed: ParsedAuthentication;
}

export interface Verified {
  readonly credential: ReadyCredential;
  readonly verified: VerifiedAuthentication;
}

/** Reads an assertion and checks its client data against the ceremony (§7.2 steps 7–14). */
export function readAssertion(
  rp: RelyingParty,
  pending: PendingAuthentication,
  dto: AuthenticationResultDto,
): Assertion {
  const nameless = pending.user === undefined;
  if (nameless && !dto.response.userHandle) throw new ApiError('E0010R', 'userHandle.missing');
  const parsed = withCodes(AUTHENTICATION_CODES, () => {
    const response = parseAuthentication(assertionResponse(dto.response));
    checkClientData(response.clientData, {
      type: 'webauthn.get',
      challenge: pending.challenge,
      origins: rp.origins,
      topOrigins: rp.policy.topOrigins,
    });
    return response;
  });
  return { pending, dto, parsed };
}

/**
 * Whether the credential is the right user's (§7.2 step 6): the one who began or, in a sign-in without a
 * name, the one whom the user handle names.
 */
export const belongs = (credential: CredentialFacts, { pending, dto }: Assertion): boolean =>
  pending.user === undefined
    ? isHandleOf(credential, dto)
    : credential.userId.toString('base64url') === pending.user;

const isHandleOf = ({ userHandle }: CredentialFacts, { response }: AuthenticationResultDto) =>
  userHandle.equals(Buffer.from(response.userHandle ?? '', 'base64url'));

const wasOffered = ({ id }: CredentialFacts, pending: PendingAuthentication): boolean =>
  pending.user === undefined || pending.offered.includes(id.toString('base64url'));

/**
 * Checks §7.2 steps 5–6 (the credential was offered and is the right user's, as is its handle), then 15–21.
 */
export function verify(
  rp: RelyingParty,
  credential: ReadyCredential,
  assertion: Assertion,
): Verified {
  const { pending, dto, parsed } = assertion;
  if (!belongs(credential, assertion) || !wasOffered(credential, pending)) {
    throw new ApiError('E0033R');
  }
  if (dto.response.userHandle && !isHandleOf(credential, dto)) {
    throw new ApiError('E0010R', 'userHandle.otherUser');
  }
  const verified = withCodes(AUTHENTICATION_CODES, () =>
    verifyAuthentication(parsed, credential, {
      rpIdHash: rp.rpIdHash,
      userVerificationRequired: pending.userVerificationRequired,
    }),
  );
  return { credential, verified };
}
