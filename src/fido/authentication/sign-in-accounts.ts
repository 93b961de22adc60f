import { Injectable } from '@nestjs/common';
import {
  CredentialReader,
  type CredentialFacts,
  type StoredCredential,
  type UserToSignIn,
  type UserVerification,
} from '../../users/credentials/credential-reader.js';
import type { SecondFactorName } from '../../users/credentials/credential-writer.js';
import { ApiError } from '../../platform/errors/api-error.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { OpenFindings } from '../../trust/findings/key-findings.js';
import { Ceremonies } from '../ceremonies/ceremonies.js';
import type { NamedAuthentication, PendingAuthentication } from '../ceremonies/ceremony.js';
import type { VerifiedAssertion } from './assertion-verifier.js';
import type { ReadyCredential } from './ready-credentials.js';
import { SecondFactors } from './second-factors.js';

/** The key of a sign-in, the present names of its user, and what its user verification is worth. */
interface SignInAccount {
  readonly credential: ReadyCredential;
  readonly displayName: string;
  /** The user's ID at the customer's own application. */
  readonly subject: string | undefined;
  /** The key verified its user, and its user verification counted when the ceremony began. */
  readonly isVerified: boolean;
  /** From now on the user verification of the key counts. */
  readonly initializesUv: boolean;
  /** The second factor beside the key. */
  readonly secondFactor: SecondFactorName | undefined;
}

interface SignInNames extends Pick<UserToSignIn, 'username' | 'displayName' | 'subject'> {
  /** Whether the user verification of the key counted when the ceremony began. */
  readonly uvInitialized: boolean;
}

@Injectable()
export class SignInAccounts {
  constructor(
    private readonly reader: CredentialReader,
    private readonly factors: SecondFactors,
    private readonly ceremonies: Ceremonies,
    private readonly findings: OpenFindings,
  ) {}

  /** @throws ApiError E0033R for a deleted user */
  async of(
    rp: RelyingParty,
    pending: PendingAuthentication,
    { credential: recalled, verified }: VerifiedAssertion,
  ): Promise<SignInAccount> {
    const names =
      pending.user === undefined || pending.uvInitialized === undefined
        ? await this.namesNow(rp, recalled, pending)
        : namesAsBegun(recalled, pending, pending.uvInitialized);
    const { username, displayName, subject, uvInitialized } = names;
    // The recalled name may be from before a renaming.
    const credential = recalled.username === username ? recalled : { ...recalled, username };
    const secondFactor =
      pending.secondFactor &&
      (await this.factors.countedFor(rp.successor ?? rp, credential, pending.secondFactor));
    const isBacked = credential.madeUnderAuthority || secondFactor !== undefined;
    return {
      credential,
      displayName,
      subject,
      isVerified: verified.userVerified && uvInitialized,
      initializesUv: verified.userVerified && !uvInitialized && isBacked,
      secondFactor,
    };
  }

  /**
   * Reads a recalled credential again.
   *
   * @throws ApiError E0033R if it was deleted, even if another row has its ID now, E0034R where it is disabled
   */
  async asItIs(rp: RelyingParty, known: CredentialFacts): Promise<StoredCredential> {
    const now = await this.reader.reread(rp, known);
    if (!now?.id.equals(known.id)) throw new ApiError('E0033R');
    if (!now.enabled) throw new ApiError('E0034R');
    return now;
  }

  /** The rule of the policy for which sign-ins with a credential are refused. */
  async ruleBrokenBy(rp: RelyingParty, { id }: StoredCredential): Promise<string | undefined> {
    const [found] = await this.findings.of(rp, [id]);
    return found?.rule;
  }

  /**
   * The names of a sign-in without a name, whose begin call read nothing. The ceremony of a named sign-in
   * that an instance of an older version began keeps the subject that it gives its user.
   */
  private async namesNow(
    rp: RelyingParty,
    credential: ReadyCredential,
    pending: PendingAuthentication,
  ): Promise<SignInNames> {
    const owner = await this.reader.findOwner(rp, credential);
    if (!owner) throw new ApiError('E0033R');
    const { username, displayName, verification } = owner;
    const subject = pending.user === undefined ? owner.subject : pending.subject;
    const begunAt = pending.expiresAt - this.ceremonies.lifeOf(pending);
    const uvInitialized = countedAt(begunAt, verification);
    return { username, displayName, subject, uvInitialized };
  }
}

const namesAsBegun = (
  recalled: ReadyCredential,
  { username, displayName, subject, offered }: NamedAuthentication,
  uvInitialized: readonly boolean[],
): SignInNames => ({
  username,
  displayName,
  subject,
  uvInitialized: uvInitialized[offered.indexOf(recalled.id.toString('base64url'))] ?? false,
});

/**
 * Whether user verification by a key counted at a time. It counts from the registration on, or since a later
 * sign-in; of sign-ins the key keeps only the time of the last one. So a key that was used since then, and
 * does not owe it to its registration, is taken for one that did not count.
 */
const countedAt = (
  time: number,
  { uvInitialized, userVerified, registeredAt, lastUsedAt }: UserVerification,
): boolean =>
  uvInitialized &&
  registeredAt <= time &&
  (userVerified || lastUsedAt === null || lastUsedAt <= time);
