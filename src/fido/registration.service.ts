import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { SERVER_OPTIONS } from '../config/server-options.js';
import type { ServerOptions } from '../config/server-options.js';
import { authenticatorName } from '../credentials/authenticator-name.js';
import { CredentialReader } from '../credentials/credential-reader.js';
import { CredentialWriter, MAX_CREDENTIALS } from '../credentials/credential-writer.js';
import type { NewCredential } from '../credentials/credential-writer.js';
import { ApiError } from '../errors/api-error.js';
import { OK } from '../http/ok.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { keypairJson } from '../validation/keypair.js';
import { normalizeName } from '../validation/names.js';
import { aaguidBytes } from '../webauthn/aaguid.js';
import { parseRegistration, verifyRegistration } from '../webauthn/registration.js';
import type { VerifiedRegistration } from '../webauthn/registration.js';
import { attestationResponse } from '../webauthn/response-json.js';
import { DEFAULT_ALGORITHMS, algorithmOf } from './algorithms.js';
import type { BeginRegistrationDto } from './begin.dto.js';
import { Ceremonies } from './ceremonies.js';
import type { PendingRegistration } from './ceremony.js';
import { creationOptions } from './creation-options.js';
import { deviceName, keptTransports } from './device-name.js';
import { creationExtensions } from './extensions.js';
import { REGISTRATION_CODES, judged } from './failure-codes.js';
import { RegistrationPermission } from './registration-permission.js';
import type { RegistrationResultDto } from './result.dto.js';
import { userVerificationOf } from './user-verification.js';

const USER_HANDLE_BYTES = 32;
const CREDENTIAL_PROTECTION = 'credProtect';

/** The registration ceremony (W3C WebAuthn L3 §7.1). */
@Injectable()
export class RegistrationService {
  constructor(
    private readonly ceremonies: Ceremonies,
    private readonly reader: CredentialReader,
    private readonly writer: CredentialWriter,
    private readonly permission: RegistrationPermission,
    @Inject(SERVER_OPTIONS) private readonly options: ServerOptions,
  ) {}

  /**
   * Steps before the authenticator is asked. Writes nothing to the database.
   *
   * @param caller the session's name and the request's Authorization header
   * @throws ApiError E0043R when the caller may not register, or the user has too many credentials
   */
  async begin(
    rp: RelyingParty,
    dto: BeginRegistrationDto,
    caller: { session: string; authorization: string | undefined },
  ) {
    const user = await this.reader.findUser(rp, dto.username);
    const { username, ticket } = dto;
    await this.permission.check(rp, {
      username,
      user,
      ticket,
      authorization: caller.authorization,
    });
    const existing = user?.credentials ?? [];
    if (existing.length >= MAX_CREDENTIALS) {
      throw new ApiError('E0043R', `A user can have at most ${MAX_CREDENTIALS} credentials.`);
    }
    const extensions = creationExtensions(dto.extensions);
    const algorithms = offeredAlgorithms(dto);
    const userVerification = extensions.needsUserVerification
      ? 'required'
      : userVerificationOf(rp, this.options, dto);
    const userHandle = (user?.userHandle ?? randomBytes(USER_HANDLE_BYTES)).toString('base64url');
    const challenge = await this.ceremonies.begin<PendingRegistration>(rp, caller.session, {
      kind: 'registration',
      user: user?.id.toString('base64url') ?? null,
      username: normalizeName(username),
      displayName: normalizeName(dto.displayName),
      userHandle,
      userVerificationRequired: userVerification === 'required',
      algorithms,
      keypair: keypairJson(dto.keypair) ?? null,
      enforcedProtection: extensions.enforcedProtection ?? null,
    });
    return creationOptions(dto, {
      rp,
      challenge,
      userHandle,
      algorithms,
      timeout: this.options.session * 1000,
      userVerification,
      extensions: extensions.inputs,
      existing,
    });
  }

  /**
   * Verifies the authenticator's answer and stores the credential.
   *
   * @throws ApiError with the code of the first step that fails
   */
  async complete(rp: RelyingParty, pending: PendingRegistration, dto: RegistrationResultDto) {
    const verified = judged(REGISTRATION_CODES, () =>
      verifyRegistration(parseRegistration(attestationResponse(dto.response)), {
        challenge: pending.challenge,
        origins: rp.origins,
        topOrigins: rp.policy.topOrigins ?? [],
        rpIdHash: rp.rpIdHash,
        userVerificationRequired: pending.userVerificationRequired,
        algorithms: pending.algorithms,
        credentialId: Buffer.from(dto.id, 'base64url'),
        verifyStatement: this.options.attestation,
      }),
    );
    checkProtection(pending, verified);
    await this.store(rp, pending, { dto, verified });
    const { format, type } = verified.attestation;
    return {
      ...OK,
      username: pending.username,
      credentialId: dto.id,
      aaguid: verified.aaguid,
      authenticatorName: authenticatorName(verified.aaguid),
      userVerified: verified.userVerified,
      attestation: { format, type, trusted: false },
      backupEligible: verified.backupEligible,
      backedUp: verified.backedUp,
    };
  }

  private async store(
    rp: RelyingParty,
    pending: PendingRegistration,
    { dto, verified }: { dto: RegistrationResultDto; verified: VerifiedRegistration },
  ): Promise<void> {
    const before = await this.reader.findUser(rp, pending.username);
    const credential: NewCredential = {
      ...verified,
      aaguid: aaguidBytes(verified.aaguid),
      deviceName: deviceName(pending.keypair, verified.aaguid, before?.credentials ?? []),
      keypair: pending.keypair ?? undefined,
      transports: keptTransports(dto.response.transports),
      attestation: { ...verified.attestation, trusted: false },
      ceremony: Buffer.from(pending.challenge, 'base64url').subarray(0, 16),
    };
    const user = {
      id: pending.user === null ? undefined : Buffer.from(pending.user, 'base64url'),
      username: pending.username,
      displayName: pending.displayName,
      userHandle: Buffer.from(pending.userHandle, 'base64url'),
    };
    if (!(await this.writer.register(rp, user, credential))) {
      throw await this.refusal(rp, pending, verified.credentialId);
    }
  }

  /** Why the writer stored nothing. */
  private async refusal(
    rp: RelyingParty,
    pending: PendingRegistration,
    credentialId: Buffer,
  ): Promise<ApiError> {
    if (await this.reader.findCredential(rp, credentialId)) return new ApiError('E0036R');
    const user = await this.reader.findUser(rp, pending.username);
    const unchanged = user?.id.toString('base64url') === pending.user;
    if (unchanged && user && user.credentials.length >= MAX_CREDENTIALS) {
      return new ApiError('E0043R', `A user can have at most ${MAX_CREDENTIALS} credentials.`);
    }
    // The user was made, deleted or closed in between: what begun for another is void.
    return new ApiError('E0024R');
  }
}

function offeredAlgorithms({ algorithms }: BeginRegistrationDto): readonly number[] {
  if (!algorithms) return DEFAULT_ALGORITHMS;
  const offered = algorithms.map(algorithmOf).filter((alg) => alg !== undefined);
  return [...new Set(offered)];
}

/** credProtect is reported in the authenticator data only, never in clientExtensionResults. */
function checkProtection(pending: PendingRegistration, { extensions }: VerifiedRegistration): void {
  const { enforcedProtection } = pending;
  const reported = extensions.get(CREDENTIAL_PROTECTION);
  if (enforcedProtection === null || reported === enforcedProtection) return;
  throw new ApiError('E0007R', 'The authenticator did not apply the credential protection asked.');
}
