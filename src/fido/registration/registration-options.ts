import { Inject, Injectable } from '@nestjs/common';
import { generateRegistrationOptions } from '@simplewebauthn/server';
import { serverOptions, type ServerOptions } from '../../platform/config/server-config.js';
import { CredentialReader, type KnownUser } from '../../users/credentials/credential-reader.js';
import { GroupsInForce } from '../../users/moves/groups-in-force.js';
import { ensureKeyPermission } from '../../platform/access/permissions.js';
import { pooledRandomBytes } from '../../platform/common/random.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { problem, sentenceOf } from '../../platform/errors/reasons.js';
import { ok } from '../../platform/http/ok.js';
import { warningsOf } from '../../platform/validation/unknown-fields.js';
import type { Conveyance } from '../../tenancy/policy/policy.js';
import { rulesFor } from '../../tenancy/policy/rules-for.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { USER_HANDLE_BYTES } from '../../users/user.entity.js';
import {
  algorithmsOf,
  maxCredentialsOf,
  conveyanceOf,
  tooManyCredentials,
  requestedConveyance,
} from '../../trust/registration-policy.js';
import { keypairJson } from '../../platform/validation/values/keypair.js';
import { displayNameOf, normalizeName } from '../../platform/validation/values/names.js';
import { RS1, supportedAlgorithms } from '../../webauthn/keys/algorithms.js';
import {
  authenticatorSelection,
  credentialDescriptor,
  verificationRequirementOf,
} from '../ceremonies/begin-options.js';
import type { RequestedRequirement } from '../ceremonies/ceremony.validators.js';
import { Ceremonies } from '../ceremonies/ceremonies.js';
import type { PendingRegistration, Permit } from '../ceremonies/ceremony.js';
import { creationExtensions } from '../ceremonies/extensions.js';
import { ensureNotSuspended } from '../refusals/failure-codes.js';
import { quantizeDuration } from '../quantize-duration.js';
import { BeginRegistrationDto } from './registration.dto.js';
import { algorithmOf, algorithmsProblem } from './registration.validators.js';
import {
  RegistrationPermission,
  isPromptless,
  type ApplicantPermission,
  type RegistrationCaller,
} from './registration-permission.js';

/**
 * The algorithms that a begin call offers if the caller does not choose: ES256, EdDSA, RS256. FIDO's conformance tests
 * never choose, and then register with every algorithm.
 */
const DEFAULT_ALGORITHMS: readonly number[] = [-7, -8, -257];
const EVERY_ALGORITHM: readonly number[] = [...supportedAlgorithms(), RS1.id];

/** What the new key must be and prove. */
interface CreationRequirements {
  readonly extensions: ReturnType<typeof creationExtensions>;
  readonly algorithms: readonly number[];
  readonly userVerification: RequestedRequirement;
  readonly attestation: Conveyance;
}

interface BegunRegistration {
  readonly dto: BeginRegistrationDto;
  readonly user: KnownUser | undefined;
  readonly newGroups: readonly string[];
  readonly permission: ApplicantPermission;
  readonly entity: ReturnType<typeof userEntityOf>;
  readonly requirements: CreationRequirements;
}

/** The begin call of a registration: decides who may register, and creates the options for the authenticator. */
@Injectable()
export class RegistrationOptions {
  constructor(
    private readonly ceremonies: Ceremonies,
    private readonly reader: CredentialReader,
    private readonly groups: GroupsInForce,
    private readonly permission: RegistrationPermission,
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
  ) {}

  /**
   * Begins a registration. Writes only a ticket's counter to the database. The options follow the rules of the user if the
   * caller has authority, else those of the policy; the result is always judged by the user's own.
   *
   * @returns W3C WebAuthn L3 §5.1.8 PublicKeyCredentialCreationOptionsJSON, with the member `status` added
   * @throws ApiError E0043R if the caller may not register, or the user has too many credentials
   */
  begin(rp: RelyingParty, dto: BeginRegistrationDto, caller: RegistrationCaller) {
    const begin = () => this.beginFor(rp, dto, caller);
    return rp.policy.unknownUsers === 'pretend' ? quantizeDuration(begin) : begin();
  }

  private async beginFor(rp: RelyingParty, dto: BeginRegistrationDto, caller: RegistrationCaller) {
    const user = await this.reader.findUser(rp, dto.username);
    const newGroups = groupsOfNew(dto, user, caller);
    const permission = await this.permission.check(rp, { dto, user, caller });
    // Not before: a caller without permission must not learn who is a user.
    ensureNotSuspended(user);
    // To a caller without authority, the options must not tell who has a profile.
    const groups = user ? await this.groups.of(rp, user) : newGroups;
    const own = hasAuthority(permission, caller) ? rulesFor(rp, groups) : rp;
    ensureMayHaveAnother(own, user);
    const entity = userEntityOf(dto, user, permission);
    const requirements = this.requirementsOf(own, dto, permission);
    const facts = beginFactsOf({ dto, user, newGroups, permission, entity, requirements });
    await permission.count?.();
    const challenge = await this.ceremonies.begin<PendingRegistration>(rp, caller.session, facts);
    const options = await generateRegistrationOptions({
      rpID: rp.domain,
      rpName: rp.name,
      userID: Buffer.from(entity.userHandle),
      userName: entity.username,
      userDisplayName: entity.displayName,
      challenge: Buffer.from(challenge, 'base64url'),
      timeout: this.ceremonies.lifetimeOf(facts),
      supportedAlgorithmIDs: [...requirements.algorithms],
      excludeCredentials: (user?.credentials ?? []).map(credentialDescriptor),
      extensions: requirements.extensions.inputs,
    });
    const { userVerification } = requirements;
    // The interface differs from the library in three members: `attestation` may be `indirect`, `requireResidentKey:
    // true` is echoed beside `preferred`, and `hints` appear only if the caller sends some.
    return ok({
      ...options,
      attestation: conveyanceOf(own.policy, requirements.attestation, this.options.aaguid),
      authenticatorSelection: { ...authenticatorSelection(own, dto), userVerification },
      hints: dto.hints,
      warnings: warningsAbout(dto, user, permission.permit),
    });
  }

  /**
   * @throws ApiError E0001R for an unknown algorithm; E0043R if a registration without a prompt had to verify the user
   */
  private requirementsOf(
    rp: RelyingParty,
    dto: BeginRegistrationDto,
    { verifiesUser }: ApplicantPermission,
  ): CreationRequirements {
    const asksPinLength = rp.policy.minPinLength && { minPinLength: true };
    const extensions = creationExtensions({ ...dto.extensions, ...asksPinLength });
    const fallback = this.options.conformance ? EVERY_ALGORITHM : DEFAULT_ALGORITHMS;
    const algorithms = algorithmsOf(rp.policy, this.requestedAlgorithms(dto), fallback);
    const promptless = isPromptless(dto);
    const requirement =
      extensions.needsUserVerification || verifiesUser
        ? 'required'
        : verificationRequirementOf(rp, this.options, promptless ? {} : dto);
    if (promptless && requirement === 'required') {
      throw new ApiError('E0043R', 'registration.noPrompt');
    }
    const userVerification = promptless ? 'preferred' : requirement;
    const attestation = requestedConveyance(rp.policy, dto.attestation);
    return { extensions, algorithms, userVerification, attestation };
  }

  /** COSE numbers without duplicates; `undefined` if the caller does not choose. RS1 is for conformance tests only. */
  private requestedAlgorithms({ algorithms }: BeginRegistrationDto): readonly number[] | undefined {
    const numbers = algorithms?.map((algorithm) => {
      const number = algorithmOf(algorithm);
      if (number === undefined || (number === RS1.id && !this.options.conformance)) {
        throw ApiError.of('E0001R', algorithmsProblem('algorithms'));
      }
      return number;
    });
    return numbers && [...new Set(numbers)];
  }
}

/** @throws ApiError E0043R for a user who has as many keys as the policy allows */
function ensureMayHaveAnother(rp: RelyingParty, user: KnownUser | undefined): void {
  const maxCredentials = maxCredentialsOf(rp.policy);
  if (user && user.credentials.length >= maxCredentials) throw tooManyCredentials(maxCredentials);
}

/** Whether somebody who may act for the user makes the call. */
const hasAuthority = (
  { permit }: { readonly permit: Permit | null },
  { key }: RegistrationCaller,
) => key !== undefined || (permit !== null && !('first' in permit));

const GROUPS_IGNORED = sentenceOf(problem('groups.ignored'));
const TICKET_IGNORED = sentenceOf(problem('ticket.ignored'));

function warningsAbout(
  dto: BeginRegistrationDto,
  user: KnownUser | undefined,
  permit: Permit | null,
) {
  const usesTicket = permit !== null && ('ticket' in permit || 'invitation' in permit);
  const warnings = [
    ...(warningsOf(BeginRegistrationDto, dto) ?? []),
    ...(user && dto.groups ? [GROUPS_IGNORED] : []),
    ...(dto.ticket !== undefined && !usesTicket ? [TICKET_IGNORED] : []),
  ];
  return warnings.length > 0 ? warnings : undefined;
}

/**
 * The groups of the user whom the registration creates.
 *
 * @throws ApiError E0043R without an application key with the permission `groups`
 */
function groupsOfNew(
  { groups }: BeginRegistrationDto,
  user: KnownUser | undefined,
  { key }: RegistrationCaller,
): readonly string[] {
  if (groups === undefined) return [];
  if (!key) throw new ApiError('E0043R', 'groups.needsKey');
  ensureKeyPermission(key, 'groups');
  return user ? [] : groups.map(normalizeName);
}

/** W3C WebAuthn L3 §5.4.3: the user as the authenticator stores it. */
const userEntityOf = (
  dto: BeginRegistrationDto,
  user: KnownUser | undefined,
  permission: ApplicantPermission,
) => ({
  username: user?.username ?? permission.username ?? normalizeName(dto.username),
  displayName: permission.displayName ?? displayNameOf(dto.displayName),
  userHandle: user?.userHandle ?? pooledRandomBytes(USER_HANDLE_BYTES),
});

/** What the result call needs to know. */
const beginFactsOf = ({
  dto,
  user,
  newGroups,
  permission,
  entity,
  requirements,
}: BegunRegistration) => ({
  kind: 'registration' as const,
  user: user?.id.toString('base64url') ?? null,
  ...(user && user.lockouts > 0 && { lockouts: user.lockouts }),
  ...(permission.movesFrom && { movesFrom: permission.movesFrom }),
  ...(permission.mayLink && { mayLink: true as const }),
  ...(newGroups.length > 0 && { groups: newGroups }),
  username: entity.username,
  displayName: entity.displayName,
  userHandle: entity.userHandle.toString('base64url'),
  userVerificationRequired: requirements.userVerification === 'required',
  algorithms: requirements.algorithms,
  keypair: keypairJson(dto.keypair) ?? null,
  enforcedProtection: requirements.extensions.enforcedProtection ?? null,
  attestation: requirements.attestation,
  permit: permission.permit,
  ...(permission.origin && { origin: permission.origin }),
  reports: permission.breaksReported ? ['registration'] : [],
  ...(isPromptless(dto) && { presenceWaived: true as const }),
  ...permission.pendingUserId,
});
