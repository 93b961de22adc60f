import { Inject, Injectable } from '@nestjs/common';
import { serverOptions, type ServerOptions } from '../../platform/config/server-config.js';
import {
  CredentialReader,
  type UserToSignIn,
  type UserVerification,
} from '../../users/credentials/credential-reader.js';
import type { SecondFactorName } from '../../users/credentials/sign-in-writer.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { rulesFor } from '../../tenancy/policy/rules-for.js';
import { receiverOf, type KeyDomain } from '../../tenancy/relying-party.js';
import { GroupsInForce } from '../../users/moves/groups-in-force.js';
import { verificationRequirementOf } from '../ceremonies/begin-options.js';
import type { NamedAuthentication, PendingAuthentication } from '../ceremonies/ceremony.js';
import { disabledKey } from '../refusals/failure-codes.js';
import { NAMELESS_VERIFICATION } from './authentication-options.js';
import type { VerifiedAssertion } from './assertion-verifier.js';
import type { ReadyCredential } from './ready-credentials.js';
import { SecondFactors } from './second-factors.js';

/** What a sign-in needs to know about its user. */
interface UserAtSignIn extends Pick<UserToSignIn, 'username' | 'displayName' | 'subject'> {
  /** Whether the user verification of the key counted when the ceremony began. */
  readonly uvInitialized: boolean;
  /** The previous sign-in with the key; `undefined` if an instance of an older version began the ceremony. */
  readonly lastUsedAt: number | null | undefined;
  /** Those of the user's groups that profiles name. */
  readonly groups: readonly string[];
  /** Whether the user's rules require user verification. */
  readonly verifiesUser: boolean;
}

/** The user whom a verified assertion signs in, with the key and the rules that apply. */
export interface SignedInUser extends Pick<UserAtSignIn, 'displayName' | 'subject' | 'lastUsedAt'> {
  /** The key, with the current name of its user. */
  readonly credential: ReadyCredential;
  /** The key verified its user, and its user verification counted when the ceremony began. */
  readonly isVerified: boolean;
  /** Whether this sign-in makes the key's user verification count, for later sign-ins. */
  readonly initializesUv: boolean;
  readonly secondFactor: SecondFactorName | undefined;
  /** The relying party with the rules of the user’s profile. */
  readonly profiledRp: KeyDomain;
}

/** Says whom a verified assertion signs in, and under which rules. */
@Injectable()
export class SignedInUsers {
  constructor(
    private readonly reader: CredentialReader,
    private readonly factors: SecondFactors,
    private readonly groups: GroupsInForce,
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
  ) {}

  /**
   * @throws ApiError E0033R for a deleted user, E0034R for one who is suspended, E0031R without the user verification that
   *   the user's rules require
   */
  async of(
    rp: KeyDomain,
    pending: PendingAuthentication,
    { credential: recalled, verified }: VerifiedAssertion,
  ): Promise<SignedInUser> {
    const user =
      pending.user === undefined || pending.uvInitialized === undefined
        ? await this.userNow(rp, recalled, pending)
        : userAsBegun(recalled, pending, pending.uvInitialized);
    const { username, displayName, subject, uvInitialized, lastUsedAt } = user;
    if (user.verifiesUser && !verified.userVerified) {
      throw new ApiError('E0031R', 'user.notVerified');
    }
    // The cached name may be older than a rename.
    const credential = recalled.username === username ? recalled : { ...recalled, username };
    const secondFactor =
      pending.secondFactor &&
      (await this.factors.countedFor(receiverOf(rp), credential, pending.secondFactor));
    const isBacked = credential.madeUnderAuthority || secondFactor !== undefined;
    return {
      credential,
      displayName,
      subject,
      isVerified: verified.userVerified && uvInitialized,
      initializesUv: verified.userVerified && !uvInitialized && isBacked,
      secondFactor,
      lastUsedAt,
      profiledRp: rulesFor(rp, user.groups),
    };
  }

  /**
   * The user of a sign-in without a name, whose begin call read nothing. A named sign-in that an instance of an
   * older version began keeps the user ID that it assigns to its user.
   */
  private async userNow(
    rp: KeyDomain,
    credential: ReadyCredential,
    pending: PendingAuthentication,
  ): Promise<UserAtSignIn> {
    const owner = await this.reader.findOwner(rp, credential);
    if (!owner) throw new ApiError('E0033R');
    if (owner.isSuspended) throw disabledKey(owner);
    const { username, displayName, verification, userId: id } = owner;
    const groups = await this.groups.of(rp, { id, groups: owner.groups });
    const subject = pending.user === undefined ? owner.subject : pending.subject;
    const uvInitialized = countedAt(pending.begunAt, verification);
    const { lastUsedAt } = verification;
    const verifiesUser = this.requiresVerification(rp, groups, pending);
    return { username, displayName, subject, uvInitialized, lastUsedAt, groups, verifiesUser };
  }

  /** Whether the user's rules require user verification; the begin call has demanded what the rules of all users require. */
  private requiresVerification(
    rp: KeyDomain,
    groups: readonly string[],
    { user }: PendingAuthentication,
  ): boolean {
    if (rp.policy.profiles.length === 0) return false;
    const requested = user === undefined ? NAMELESS_VERIFICATION : {};
    const requirement = verificationRequirementOf(rulesFor(rp, groups), this.options, requested);
    return requirement === 'required';
  }
}

function userAsBegun(
  recalled: ReadyCredential,
  pending: NamedAuthentication,
  uvInitialized: readonly boolean[],
): UserAtSignIn {
  const { username, displayName, subject, offered, lastUsedAt, groups = [] } = pending;
  const index = offered.indexOf(recalled.id.toString('base64url'));
  return {
    username,
    displayName,
    subject,
    uvInitialized: uvInitialized[index] ?? false,
    lastUsedAt: lastUsedAt?.[index],
    groups,
    verifiesUser: pending.verifiesUser === true,
  };
}

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
