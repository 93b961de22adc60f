import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import {
  generateAuthenticationOptions,
  type GenerateAuthenticationOptionsOpts,
} from '@simplewebauthn/server';
import { serverOptions, type ServerOptions } from '../../platform/config/server-config.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { ok } from '../../platform/http/ok.js';
import { warningsOf } from '../../platform/validation/unknown-fields.js';
import { rulesFor } from '../../tenancy/policy/rules-for.js';
import type { KeyDomain, RelyingParty } from '../../tenancy/relying-party.js';
import { Ceremonies } from '../ceremonies/ceremonies.js';
import {
  ownUserId,
  type NamedAuthentication,
  type NamelessAuthentication,
  type RequestedClaims,
} from '../ceremonies/ceremony.js';
import { quantizeDuration } from '../quantize-duration.js';
import {
  credentialDescriptor,
  signInVerificationOf,
  verificationRequirementOf,
} from '../ceremonies/begin-options.js';
import type { BeginCaller } from '../ceremonies/caller-session.js';
import { UserIds } from '../user-ids.js';
import { BeginAuthenticationDto } from './authentication.dto.js';
import type { TransactionToConfirm } from './authentication.validators.js';
import { NamedUsers } from './named-users.js';
import { SecondFactors } from './second-factors.js';

/** Only the key identifies the user, so it must verify the user, whatever the caller requests. */
export const NAMELESS_VERIFICATION = { userVerification: 'required' } as const;

type RequestFacts = Pick<
  GenerateAuthenticationOptionsOpts,
  'timeout' | 'allowCredentials' | 'userVerification'
>;

/** W3C WebAuthn L3 §5.1.9 PublicKeyCredentialRequestOptionsJSON, with the member `status` added. */
async function requestOptions(
  rp: KeyDomain,
  dto: BeginAuthenticationDto,
  challenge: string,
  facts: RequestFacts,
) {
  const options = await generateAuthenticationOptions({
    ...facts,
    rpID: rp.domain,
    challenge: Buffer.from(challenge, 'base64url'),
    extensions: dto.extensions ?? {},
  });
  const { hints } = dto;
  return ok({ ...options, hints, warnings: warningsOf(BeginAuthenticationDto, dto) });
}

/** The begin call of an authentication: which credentials may sign in, and how. */
@Injectable()
export class AuthenticationOptions {
  constructor(
    private readonly ceremonies: Ceremonies,
    private readonly users: NamedUsers,
    private readonly userIds: UserIds,
    private readonly factors: SecondFactors,
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
  ) {}

  /**
   * @throws ApiError 403 if the user has no credential that may sign in, E0001R as `UserIds.check`, and
   *   as `requestedClaims` and `SecondFactors`
   */
  async begin(rp: RelyingParty, dto: BeginAuthenticationDto, caller: BeginCaller) {
    const { username } = dto;
    this.factors.check(dto, caller);
    if (username === undefined) return this.beginNameless(rp, dto, caller);
    if (rp.policy.unknownUsers !== 'pretend') return this.beginNamed(rp, username, dto, caller);
    return quantizeDuration(() => this.beginNamed(rp, username, dto, caller));
  }

  private async beginNamed(
    rp: RelyingParty,
    username: string,
    dto: BeginAuthenticationDto,
    { session, key, authorization }: BeginCaller,
  ) {
    const claims = requestedClaims(rp, dto, this.options);
    const { user, keyDomain, mark } = await this.users.find(rp, username);
    const idHere = mark && 'movesTo' in mark ? Buffer.from(mark.movesTo, 'base64url') : user.id;
    const { userId } = dto;
    const pendingUserId =
      userId === undefined
        ? ownUserId(user)
        : await this.userIds.check(keyDomain, user, { userId, key });
    const uvInitialized = user.credentials.map((one) => one.uvInitialized);
    const secondFactor = await this.factors.find(rp, dto, {
      user: { id: idHere, username: user.username },
      // The token is only needed if the user verification of some key does not count yet.
      authorization: uvInitialized.includes(false) ? authorization : undefined,
      key,
    });
    const { requirement, isRequiredOfAll } = signInVerificationOf(rp, this.options, dto);
    const { groups } = user;
    const own = verificationRequirementOf(rulesFor(rp, groups), this.options, dto);
    const facts = {
      kind: 'authentication' as const,
      user: user.id.toString('base64url'),
      username: user.username,
      displayName: user.displayName,
      userVerificationRequired: isRequiredOfAll,
      ...(own === 'required' && !isRequiredOfAll && { verifiesUser: true as const }),
      ...(groups.length > 0 && { groups }),
      offered: user.credentials.map(({ id }) => id.toString('base64url')),
      uvInitialized,
      signCounts: user.credentials.map(({ signCount }) => signCount),
      lastUsedAt: user.credentials.map(({ lastUsedAt }) => lastUsedAt),
      ...(secondFactor && { secondFactor }),
      ...mark,
      ...pendingUserId,
      ...claims,
    };
    const challenge = await this.ceremonies.begin<NamedAuthentication>(rp, session, facts);
    return requestOptions(keyDomain, dto, challenge, {
      timeout: this.ceremonies.lifetimeOf(facts),
      allowCredentials: user.credentials.map(credentialDescriptor),
      userVerification: requirement,
    });
  }

  /**
   * Offers no credential: the authenticator may use any discoverable one of this relying party, which identifies
   * the user (W3C WebAuthn L3 §7.2 step 6). Reads only the token of another sign-in from the database.
   */
  private async beginNameless(rp: RelyingParty, dto: BeginAuthenticationDto, caller: BeginCaller) {
    if (dto.userId !== undefined) throw new ApiError('E0001R', 'userId.needsName');
    const { requirement, isRequiredOfAll } = signInVerificationOf(
      rp,
      this.options,
      NAMELESS_VERIFICATION,
    );
    const { session, authorization, key } = caller;
    const factor = { user: undefined, authorization, key };
    const secondFactor = await this.factors.find(rp, dto, factor);
    const facts = {
      kind: 'authentication',
      conditional: dto.mediation === 'conditional',
      userVerificationRequired: isRequiredOfAll,
      ...(secondFactor && { secondFactor }),
      ...requestedClaims(rp, dto, this.options),
    } as const;
    const challenge = await this.ceremonies.begin<NamelessAuthentication>(rp, session, facts);
    const timeout = this.ceremonies.lifetimeOf(facts);
    const userVerification = requirement;
    return requestOptions(rp, dto, challenge, { timeout, allowCredentials: [], userVerification });
  }
}

/**
 * The claims that a begin call requests for the token; none for an ordinary sign-in.
 *
 * @throws ApiError E0046R if tokens are switched off, E0001R for an audience that the policy does not name, or that
 *   belongs to another tenant
 */
function requestedClaims(
  rp: RelyingParty,
  { nonce, audience, acr, transaction }: BeginAuthenticationDto,
  { jwt }: { readonly jwt: boolean },
): { readonly agreed?: RequestedClaims } {
  const claims = {
    ...(nonce !== undefined && { nonce }),
    ...(audience !== undefined && { audience }),
    ...(acr !== undefined && { acr }),
    ...(transaction !== undefined && { txn: transactionDigest(transaction) }),
  };
  if (Object.keys(claims).length === 0) return {};
  if (!jwt) throw new ApiError('E0046R', 'token.off');
  if (audience !== undefined && !rp.policy.audiences.includes(audience)) {
    throw new ApiError('E0001R', 'audience.notListed', { audience });
  }
  if (audience !== undefined && rp.foreignAudiences.includes(audience)) {
    throw new ApiError('E0001R', 'audience.notYours');
  }
  return { agreed: claims };
}

const transactionDigest = (transaction: TransactionToConfirm): string =>
  'hash' in transaction ? transaction.hash : hash('sha256', transaction.text, 'base64url');
