import { generateKeyPairSync, verify as verifySignature } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  credentialHashOf,
  type CredentialFacts,
} from '../../users/credentials/credential-reader.js';
import { DELETED_KEY } from '../../users/deletions/deletion.statements.js';
import { Database } from '../../platform/database/database.js';
import { scope } from '../../platform/database/scope.js';
import { ApiError } from '../../platform/errors/api-error.js';
import type { KeyDomain } from '../../tenancy/relying-party.js';
import {
  parseAuthentication,
  verifyAuthentication,
  type ParsedAuthentication,
  type VerifiedAuthentication,
} from '../../webauthn/authentication.js';
import { checkClientData } from '../../webauthn/client-data.js';
import { assertionResponse } from '../../webauthn/response-json.js';
import { isMadeUp, type PendingAuthentication } from '../ceremonies/ceremony.js';
import { AUTHENTICATION_CODES, rethrowWithCodes, disabledKey } from '../refusals/failure-codes.js';
import { quantizeDuration } from '../quantize-duration.js';
import type { AuthenticationResultDto } from './authentication.dto.js';
import { ReadyCredentials, type ReadyCredential } from './ready-credentials.js';
import { NamedUsers } from './named-users.js';

/** The body of a result call, as sent and parsed, and the ceremony that it completes. */
export interface Assertion {
  readonly pending: PendingAuthentication;
  readonly dto: AuthenticationResultDto;
  readonly parsed: ParsedAuthentication;
}

export interface VerifiedAssertion {
  readonly credential: ReadyCredential;
  readonly verified: VerifiedAuthentication;
}

/** Reads an assertion and checks its client data against the ceremony (§7.2 steps 7–14). */
export function readAssertion(
  rp: KeyDomain,
  pending: PendingAuthentication,
  dto: AuthenticationResultDto,
): Assertion {
  const nameless = pending.user === undefined;
  if (nameless && !dto.response.userHandle) throw new ApiError('E0010R', 'userHandle.missing');
  const parsed = rethrowWithCodes(AUTHENTICATION_CODES, () => {
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
 * Whether the credential belongs to the right user (§7.2 step 6): the user who began the ceremony or, in a
 * sign-in without a name, the user that the user handle identifies.
 */
const belongs = (credential: CredentialFacts, { pending, dto }: Assertion): boolean =>
  pending.user === undefined
    ? isHandleOf(credential, dto)
    : credential.userId.toString('base64url') === pending.user;

const isHandleOf = ({ userHandle }: CredentialFacts, { response }: AuthenticationResultDto) =>
  userHandle.equals(Buffer.from(response.userHandle ?? '', 'base64url'));

const wasOffered = ({ id }: CredentialFacts, pending: PendingAuthentication): boolean =>
  pending.user === undefined || pending.offered.includes(id.toString('base64url'));

/** Checks that the credential was offered and belongs to the user (§7.2 steps 5–6), then steps 15–21. */
function verifyAssertion(
  rp: KeyDomain,
  credential: ReadyCredential,
  assertion: Assertion,
): VerifiedAssertion {
  const { pending, dto, parsed } = assertion;
  if (!belongs(credential, assertion) || !wasOffered(credential, pending)) {
    throw new ApiError('E0033R');
  }
  if (dto.response.userHandle && !isHandleOf(credential, dto)) {
    throw new ApiError('E0010R', 'userHandle.otherUser');
  }
  const verified = rethrowWithCodes(AUTHENTICATION_CODES, () =>
    verifyAuthentication(parsed, credential, {
      rpIdHash: rp.rpIdHash,
      userVerificationRequired: pending.userVerificationRequired,
    }),
  );
  return { credential, verified };
}

const NOBODYS_KEY = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey;

/** Verifies an assertion with the credential that it names (§7.2 steps 5–6 and 15–21). */
@Injectable()
export class AssertionVerifier {
  constructor(
    private readonly credentials: ReadyCredentials,
    private readonly users: NamedUsers,
    private readonly database: Database,
  ) {}

  /** @throws ApiError with the code of the first step that fails; always E0032R if unknown users are made up */
  verify(rp: KeyDomain, assertion: Assertion): Promise<VerifiedAssertion> {
    if (rp.policy.unknownUsers !== 'pretend') return this.check(rp, assertion);
    return quantizeDuration(() => this.checkWithoutHint(rp, assertion));
  }

  /** Verifies an assertion against the credential in the database, not the cached one. */
  verifyStored(rp: KeyDomain, assertion: Assertion): Promise<VerifiedAssertion> {
    this.credentials.forget(rp, assertion.dto.id);
    return this.verify(rp, assertion);
  }

  /**
   * Checks an assertion against the cached credential, if there is one. Before it refuses, it reads the stored
   * credential: if that one has been deleted or disabled, the refusal must say so first.
   */
  private async check(rp: KeyDomain, assertion: Assertion): Promise<VerifiedAssertion> {
    const recalled = this.credentials.recall(rp, assertion.dto.id);
    if (recalled) {
      try {
        return verifyAssertion(rp, recalled, assertion);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
      }
    }
    const { id, response } = assertion.dto;
    const credential = await this.credentials.read(rp, id, response.userHandle);
    if (!credential) throw await this.unknown(rp, assertion);
    if (belongs(credential, assertion) && !credential.enabled) throw disabledKey(credential);
    return verifyAssertion(rp, credential, assertion);
  }

  /**
   * Refuses with E0032R whatever is wrong. Without a valid signature a caller must not learn, not even from the
   * response time, whether such a key exists or what is wrong with it.
   */
  private async checkWithoutHint(rp: KeyDomain, assertion: Assertion): Promise<VerifiedAssertion> {
    try {
      return await this.check(rp, assertion);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
      const { parsed, pending } = assertion;
      const { signedBytes, signature } = parsed;
      if (error.code !== 'E0032R') verifySignature('sha256', signedBytes, NOBODYS_KEY, signature);
      // The true reason, for the help desk.
      const detail = isMadeUp(pending)
        ? await this.users.whyNot(rp, pending.username)
        : String(error.code);
      throw new ApiError('E0032R', 'signature.wrong', {}, { cause: error.cause, detail });
    }
  }

  /**
   * The refusal of an unknown key. It names the key, for the browser to remove, only after a sign-in without a
   * name. After a sign-in with a name, the key may belong to another user and still be valid, or its deletion
   * may still be undone.
   */
  private async unknown(rp: KeyDomain, { pending, dto }: Assertion): Promise<ApiError> {
    const isNamed = pending.user !== undefined;
    if (isNamed || (await this.isRestorable(rp, dto.id))) {
      return new ApiError('E0033R');
    }
    const unknownCredential = { rpId: rp.domain, credentialId: dto.id };
    return new ApiError('E0033R', 'credential.unknown', {}, { body: { unknownCredential } });
  }

  /** Whether a deletion that may still be undone has removed the key. */
  private async isRestorable(rp: KeyDomain, id: string): Promise<boolean> {
    const credentialHash = credentialHashOf(Buffer.from(id, 'base64url'));
    const rows = await this.database.query(DELETED_KEY, { ...scope(rp), credentialHash });
    return rows.length > 0;
  }
}
