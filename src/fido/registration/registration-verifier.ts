import { Inject, Injectable, Logger } from '@nestjs/common';
import { SettingsService, verifyRegistrationResponse } from '@simplewebauthn/server';
import { decodeClientDataJSON } from '@simplewebauthn/server/helpers';
import { problem } from '../../platform/errors/reasons.js';
import { credentialHashOf } from '../../users/credentials/credential-reader.js';
import { Clock } from '../../platform/common/clock.js';
import { serverOptions, type ServerOptions } from '../../platform/config/server-config.js';
import { Database } from '../../platform/database/database.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { ledgerStep } from '../../events/ledger.js';
import type { Policy } from '../../tenancy/policy/policy.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import type { RuleBreach } from '../../trust/rule.js';
import { certificateCost } from '../../webauthn/certificates/cost.js';
import { CeremonyError } from '../../webauthn/failure.js';
import {
  parseRegistration,
  verifyRegistration,
  type VerifiedRegistration,
} from '../../webauthn/registration.js';
import { attestationResponse } from '../../webauthn/response-json.js';
import type { PendingRegistration } from '../ceremonies/ceremony.js';
import { RateLimits, type Caller } from '../limits/rate-limits.js';
import { REGISTRATION_CODES, rethrowWithCodes } from '../refusals/failure-codes.js';
import type { RegistrationResultDto } from './registration.dto.js';

const CREDENTIAL_PROTECTION = 'credProtect';
const SECOND_OPINION = 'secondOpinion';
const VALID = 'valid';
/** Events have room for a hundred characters. */
const MAX_OF_A_REASON = 60;

/** A registration response and its pending ceremony. */
interface SentRegistration {
  readonly pending: PendingRegistration;
  readonly dto: RegistrationResultDto;
}

/**
 * Checks the authenticator's response against the options of the begin call. Has `@simplewebauthn/server` verify it
 * too, if the policy says so: two implementations seldom have the same fault. This costs one more verification for each
 * registration, and nothing for sign-ins.
 */
@Injectable()
export class RegistrationVerifier {
  private readonly logger = new Logger(RegistrationVerifier.name);

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly limits: RateLimits,
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
  ) {
    forgetLibraryRoots();
  }

  /**
   * Verifies a registration, twice if the policy says so.
   *
   * @returns the verified registration, and the differences between the two verifiers, to be reported with it
   * @throws ApiError E0040R after too many certificates, or the code of the first step that fails; E0038R if the policy
   *   enforces the second opinion and the library refuses
   */
  async verify(rp: RelyingParty, sent: SentRegistration, caller: Caller) {
    let verified: VerifiedRegistration;
    try {
      verified = this.verifyOnce(rp, sent, caller);
    } catch (error) {
      await this.recordDifference(rp, sent, error);
      throw error;
    }
    return { verified, differences: await this.differences(rp, sent) };
  }

  private verifyOnce(
    rp: RelyingParty,
    { pending, dto }: SentRegistration,
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
        acceptsEndedFormats: this.options.conformance || namesEndedFormat(rp.policy),
        verifyStatement: this.options.attestation,
      }),
    );
    checkProtection(pending, verified);
    return verified;
  }

  private async differences(
    rp: RelyingParty,
    sent: SentRegistration,
  ): Promise<readonly RuleBreach[]> {
    const mode = rp.policy.secondOpinion;
    if (mode === 'off') return [];
    const theirs = await opinionOf(rp, sent);
    if (theirs === VALID) return [];
    const rule = differenceOf(VALID, theirs);
    this.logger.warn(`${rp.domain}: a registration differs: ${rule}`);
    if (mode === 'report')
      return [{ rule, mode, code: 'E0038R', problem: problem('registration.secondOpinion') }];
    await this.appendEvent(rp, sent, { rule, code: 'E0038R' });
    throw new ApiError('E0038R', 'registration.secondOpinion', {}, { detail: rule });
  }

  /** Records an event if the library accepts a registration that this server refuses; it stays refused. */
  private async recordDifference(
    rp: RelyingParty,
    sent: SentRegistration,
    refusal: unknown,
  ): Promise<void> {
    if (rp.policy.secondOpinion === 'off') return;
    if (!(refusal instanceof ApiError) || !(refusal.cause instanceof CeremonyError)) return;
    if ((await opinionOf(rp, sent)) !== VALID) return;
    const rule = differenceOf(refusal.cause.failure, VALID);
    await this.appendEvent(rp, sent, { rule, code: refusal.code ?? 'E0038R' });
  }

  /** Records a difference in an event of its own, since a refused registration stores nothing. */
  private async appendEvent(
    relyingParty: RelyingParty,
    { pending, dto }: SentRegistration,
    { rule, code }: { readonly rule: string; readonly code: string },
  ): Promise<void> {
    const event = {
      kind: 'policy' as const,
      at: this.clock.now(),
      relyingParty,
      user: { username: pending.username },
      credentialHash: credentialHashOf(Buffer.from(dto.id, 'base64url')),
      detail: rule,
      code,
    };
    await this.database.store([ledgerStep(event)]);
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

const differenceOf = (ours: string, theirs: string): string =>
  `${SECOND_OPINION}: ours ${ours}, theirs ${theirs.slice(0, MAX_OF_A_REASON)}`;

/**
 * `valid`, or the library's reason to refuse. This server compares the origin itself, so the library receives the
 * sent origin as the expected one.
 */
async function opinionOf(rp: RelyingParty, { pending, dto }: SentRegistration): Promise<string> {
  const { id, rawId, response } = dto;
  try {
    const { origin } = decodeClientDataJSON(response.clientDataJSON);
    const { verified } = await verifyRegistrationResponse({
      response: { id, rawId, response, type: 'public-key', clientExtensionResults: {} },
      expectedChallenge: pending.challenge,
      expectedOrigin: origin,
      expectedRPID: rp.domain,
      requireUserPresence: pending.presenceWaived !== true,
      requireUserVerification: pending.userVerificationRequired,
      supportedAlgorithmIDs: [...pending.algorithms],
    });
    return verified ? VALID : 'not verified';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const FORMATS = [
  'none',
  'packed',
  'fido-u2f',
  'tpm',
  'apple',
  'android-key',
  'android-safetynet',
] as const;

/**
 * Removes the root certificates from `@simplewebauthn/server`, since this server evaluates trust itself.
 * Without roots the library validates no certificate paths, and so fetches no revocation lists.
 */
export function forgetLibraryRoots(): void {
  for (const identifier of FORMATS) {
    SettingsService.setRootCertificates({ identifier, certificates: [] });
  }
}
