import { generateKeyPairSync, verify as verifySignature } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Deletions } from '../../users/deletions/deletions.js';
import { ApiError } from '../../platform/errors/api-error.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { isMadeUp } from '../ceremonies/ceremony.js';
import { quantizeDuration } from '../unknown-users/quantize-duration.js';
import { belongs, verify } from './assertion.js';
import type { Assertion, Verified } from './assertion.js';
import { NamedUsers } from './named-users.js';
import { ReadyCredentials } from './ready-credentials.js';

const NOBODYS_KEY = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey;

/** Verifies assertions by the credentials that they name (§7.2 steps 5–6 and 15–21). */
@Injectable()
export class AssertionVerifier {
  constructor(
    private readonly credentials: ReadyCredentials,
    private readonly users: NamedUsers,
    private readonly deletions: Deletions,
  ) {}

  /** @throws ApiError with the code of the first step that fails; always E0032R where users are made up */
  verified(rp: RelyingParty, assertion: Assertion): Promise<Verified> {
    if (rp.policy.unknownUsers !== 'pretend') return this.check(rp, assertion);
    return quantizeDuration(() => this.checkInSilence(rp, assertion));
  }

  /** Verifies an assertion against the credential as it is stored now, not as it is recalled. */
  verifiedAnew(rp: RelyingParty, assertion: Assertion): Promise<Verified> {
    this.credentials.forget(rp, assertion.dto.id);
    return this.verified(rp, assertion);
  }

  /**
   * Checks an assertion against the recalled credential, if there is one. Before it refuses, it reads the
   * stored credential: the recalled one may be gone or disabled, and the refusal has to say so first.
   */
  private async check(rp: RelyingParty, assertion: Assertion): Promise<Verified> {
    const recalled = this.credentials.recall(rp, assertion.dto.id);
    if (recalled) {
      try {
        return verify(rp, recalled, assertion);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
      }
    }
    const { id, response } = assertion.dto;
    const credential = await this.credentials.read(rp, id, response.userHandle);
    if (!credential) throw await this.unknown(rp, assertion);
    if (belongs(credential, assertion) && !credential.enabled) throw new ApiError('E0034R');
    return verify(rp, credential, assertion);
  }

  /**
   * Refuses with E0032R whatever the caller did wrong: without a right signature nobody learns, not even by
   * the time it takes, whether there is such a key or what is wrong with it.
   */
  private async checkInSilence(rp: RelyingParty, assertion: Assertion): Promise<Verified> {
    try {
      return await this.check(rp, assertion);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
      const { signedBytes, signature } = assertion.parsed;
      if (error.code !== 'E0032R') verifySignature('sha256', signedBytes, NOBODYS_KEY, signature);
      const detail = await this.detailOf(rp, assertion, error);
      throw new ApiError('E0032R', 'signature.wrong', {}, { cause: error.cause, detail });
    }
  }

  /** The true reason of a refusal, for the help desk. */
  private async detailOf(
    rp: RelyingParty,
    { pending }: Assertion,
    { code }: ApiError,
  ): Promise<string> {
    return isMadeUp(pending) ? this.users.whyNot(rp, pending.username) : String(code);
  }

  /**
   * The refusal of a key that nobody has. It names the key for the browser to remove only after a sign-in
   * without a name: with a name, the key may be another user's and still good, and so may one whose deletion
   * can be taken back.
   */
  private async unknown(rp: RelyingParty, { pending, dto }: Assertion): Promise<ApiError> {
    const isNamed = pending.user !== undefined;
    if (isNamed || (await this.deletions.holds(rp, Buffer.from(dto.id, 'base64url')))) {
      return new ApiError('E0033R');
    }
    const unknownCredential = { rpId: rp.domain, credentialId: dto.id };
    return new ApiError('E0033R', 'credential.unknown', {}, { body: { unknownCredential } });
  }
}
