import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../platform/common/clock.js';
import { serverOptions, type ServerOptions } from '../../platform/config/server-config.js';
import { ApiError } from '../../platform/errors/api-error.js';
import type { Policy } from '../../tenancy/policy/policy.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { certificateCost } from '../../webauthn/certificates/cost.js';
import {
  parseRegistration,
  verifyRegistration,
  type VerifiedRegistration,
} from '../../webauthn/registration.js';
import { attestationResponse } from '../../webauthn/response-json.js';
import type { PendingRegistration } from '../ceremonies/ceremony.js';
import { REGISTRATION_CODES, rethrowWithCodes } from '../refusals/failure-codes.js';
import { RateLimits, type Caller } from '../limits/rate-limits.js';
import type { RegistrationResultDto } from './registration.dto.js';

const CREDENTIAL_PROTECTION = 'credProtect';

/** Checks the authenticator's response against the options of the begin call. */
@Injectable()
export class RegistrationVerifier {
  constructor(
    private readonly clock: Clock,
    private readonly limits: RateLimits,
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
  ) {}

  /** @throws ApiError E0040R after too many certificates, or the code of the first step that fails */
  verify(
    rp: RelyingParty,
    pending: PendingRegistration,
    dto: RegistrationResultDto,
    caller: Caller,
  ): VerifiedRegistration {
    const parsed = rethrowWithCodes(REGISTRATION_CODES, () =>
      parseRegistration(attestationResponse(dto.response)),
    );
    if (this.options.attestation) {
      this.limits.countCertificates(caller, certificateCost(parsed.statement));
    }
    const verified = rethrowWithCodes(REGISTRATION_CODES, () =>
      verifyRegistration(parsed, {
        challenge: pending.challenge,
        origins: rp.origins,
        topOrigins: rp.policy.topOrigins,
        rpIdHash: rp.rpIdHash,
        userVerificationRequired: pending.userVerificationRequired,
        presenceWaived: pending.presenceWaived === true,
        algorithms: pending.algorithms,
        credentialId: Buffer.from(dto.id, 'base64url'),
        at: new Date(this.clock.now()),
        endedFormats: this.options.conformance || namesEndedFormat(rp.policy),
        verifyStatement: this.options.attestation,
      }),
    );
    checkProtection(pending, verified);
    return verified;
  }
}

/** A policy that names `android-safetynet` requires its verification, although Google's service has ended. */
const namesEndedFormat = ({ formats }: Policy): boolean =>
  formats?.value.includes('android-safetynet') ?? false;

/** credProtect is reported only in the authenticator data, never in clientExtensionResults. */
function checkProtection(pending: PendingRegistration, { extensions }: VerifiedRegistration): void {
  const { enforcedProtection } = pending;
  const reported = extensions.get(CREDENTIAL_PROTECTION);
  if (enforcedProtection === null || reported === enforcedProtection) return;
  throw new ApiError('E0007R', 'credential.notProtected');
}
