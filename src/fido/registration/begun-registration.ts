import { pooledRandomBytes } from '../../platform/common/random.js';
import { keypairJson } from '../../platform/validation/values/keypair.js';
import { displayNameOf, normalizeName } from '../../platform/validation/values/names.js';
import type { Conveyance } from '../../tenancy/policy/policy.js';
import type { KnownUser } from '../../users/credentials/credential-reader.js';
import { USER_HANDLE_BYTES } from '../../users/user.entity.js';
import type { RequestedRequirement } from '../ceremonies/ceremony.validators.js';
import type { creationExtensions } from '../ceremonies/extensions.js';
import { isPromptless, type ApplicantPermission } from './registration-permission.js';
import type { BeginRegistrationDto } from './registration.dto.js';

/** What the new key must be and prove. */
export interface CreationTerms {
  readonly extensions: ReturnType<typeof creationExtensions>;
  readonly algorithms: readonly number[];
  readonly userVerification: RequestedRequirement;
  readonly attestation: Conveyance;
}

/** W3C WebAuthn L3 §5.4.3: the user as the authenticator stores it. */
export const userEntityOf = (
  dto: BeginRegistrationDto,
  user: KnownUser | undefined,
  permission: ApplicantPermission,
) => ({
  username: user?.username ?? permission.username ?? normalizeName(dto.username),
  displayName: permission.displayName ?? displayNameOf(dto.displayName),
  userHandle: user?.userHandle ?? pooledRandomBytes(USER_HANDLE_BYTES),
});

interface BegunRegistration {
  readonly dto: BeginRegistrationDto;
  readonly user: KnownUser | undefined;
  readonly newGroups: readonly string[];
  readonly permission: ApplicantPermission;
  readonly entity: ReturnType<typeof userEntityOf>;
  readonly terms: CreationTerms;
}

/** What the result call needs to know. */
export const beginFactsOf = ({
  dto,
  user,
  newGroups,
  permission,
  entity,
  terms,
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
  userVerificationRequired: terms.userVerification === 'required',
  algorithms: terms.algorithms,
  keypair: keypairJson(dto.keypair) ?? null,
  enforcedProtection: terms.extensions.enforcedProtection ?? null,
  attestation: terms.attestation,
  permit: permission.permit,
  ...(permission.origin && { origin: permission.origin }),
  reports: permission.keepsReported ? [] : ['registration'],
  ...(isPromptless(dto) && { presenceWaived: true as const }),
  ...permission.pendingUserId,
});
