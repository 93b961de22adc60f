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
import { KeyFindings } from '../../trust/findings/key-findings.js';
import { Ceremonies } from '../ceremonies/ceremonies.js';
import type { NamedAuthentication, PendingAuthentication } from '../ceremonies/ceremony.js';
import type { VerifiedAssertion } from './assertion-verifier.js';
import type { ReadyCredential } from './ready-credentials.js';
import { SecondFactors } from './second-factors.js';

/** The key of a sign-in, the current names of its user, and whether its user verification counts. */
interface SignInUser {
  readonly credential: ReadyCredential;
  readonly displayName: string;
  /** The user's ID at the customer's own application. */
  readonly externalId: string | undefined;
  /** The key verified its user, and its user verification counted when the ceremony began. */
  readonly isVerified: boolean;
  /** Whether this sign-in makes the key's user verification count, for later sign-ins. */
  readonly initializesUv: boolean;
  /** The second factor beside the key. */
  readonly secondFactor: SecondFactorName | undefined;
}

interface SignInNames extends Pick<UserToSignIn, 'username' | 'displayName' | 'externalId'> {
  /** Whether the user verification of the key counted when the ceremony began. */
  readonly uvInitialized: boolean;
}

@Injectable()
export class SignInUsers {
  constructor(
    private readonly reader: CredentialReader,
    private readonly factors: SecondFactors,
    private readonly ceremonies: Ceremonies,
    private readonly findings: KeyFindings,
  ) {}

  /** @throws ApiError E0033R for a deleted user */
  async of(
    rp: RelyingParty,
    pending: PendingAuthentication,
    { credential: recalled, authData }: VerifiedAssertion,
  ): Promise<SignInUser> {
    const names =
      pending.user === undefined || pending.uvInitialized === undefined
        ? await this.namesNow(rp, recalled, pending)
        : namesAsBegun(recalled, pending, pending.uvInitialized);
    const { username, displayName, externalId, uvInitialized } = names;
    // The cached name may be older than a rename.
    const credential = recalled.username === username ? recalled : { ...recalled, username };
    const secondFactor =
      pending.secondFactor &&
      (await this.factors.countedFor(rp.successor ?? rp, credential, pending.secondFactor));
    const isBacked = credential.madeUnderAuthority || secondFactor !== undefined;
    return {
      credential,
      displayName,
      externalId,
      isVerified: authData.userVerified && uvInitialized,
      initializesUv: authData.userVerified && !uvInitialized && isBacked,
      secondFactor,
    };
  }

  /**
   * Reads a cached credential again.
   *
   * @throws ApiError E0033R if it was deleted, even if another row has its ID now, E0034R if it is disabled
   */
  async asItIs(rp: RelyingParty, known: CredentialFacts): Promise<StoredCredential> {
    const now = await this.reader.findByHash(rp, known.credentialHash);
    if (!now?.id.equals(known.id)) throw new ApiError('E0033R');
    if (!now.enabled) throw new ApiError('E0034R');
    return now;
  }

  /** The policy rule because of which sign-ins with a credential are refused, if any. */
  async ruleBrokenBy(rp: RelyingParty, { id }: StoredCredential): Promise<string | undefined> {
    const [found] = await this.findings.of(rp, [id]);
    return found?.rule;
  }

  /**
   * The names for a sign-in without a name, whose begin call read nothing. A named sign-in that an instance of an
   * older version began keeps the external ID that it assigns to its user.
   */
  private async namesNow(
    rp: RelyingParty,
    credential: ReadyCredential,
    pending: PendingAuthentication,
  ): Promise<SignInNames> {
    const owner = await this.reader.findOwner(rp, credential);
    if (!owner) throw new ApiError('E0033R');
    const { username, displayName, verification } = owner;
    const externalId = pending.user === undefined ? owner.externalId : pending.subject;
    const begunAt = pending.expiresAt - this.ceremonies.lifetimeOf(pending);
    const uvInitialized = countedAt(begunAt, verification);
    return { username, displayName, externalId, uvInitialized };
  }
}

const namesAsBegun = (
  recalled: ReadyCredential,
  { username, displayName, subject: externalId, offered }: NamedAuthentication,
  uvInitialized: readonly boolean[],
): SignInNames => ({
  username,
  displayName,
  externalId,
  uvInitialized: uvInitialized[offered.indexOf(recalled.id.toString('base64url'))] ?? false,
});

/**
 * Whether user verification by a key counted at a given time. It counts either from registration on or from a later
 * sign-in on, but the key stores only the time of its last sign-in. So if a key was used after that time, and
 * its verification does not count from registration on, it is treated as if it did not count then.
 */
const countedAt = (
  time: number,
  { uvInitialized, userVerified, registeredAt, lastUsedAt }: UserVerification,
): boolean =>
  uvInitialized &&
  registeredAt <= time &&
  (userVerified || lastUsedAt === null || lastUsedAt <= time);
