import { Injectable } from '@nestjs/common';
import { CredentialReader } from '../../credentials/credential-reader.js';
import type { KnownUser } from '../../credentials/credential-reader.js';
import { CredentialWriter, MAX_CREDENTIALS } from '../../credentials/credential-writer.js';
import type { Terms } from '../../credentials/credential-writer.js';
import { ApiError } from '../../errors/api-error.js';
import { ok } from '../../http/ok.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { Admission } from '../../trust/admission.js';
import type { Admitted } from '../../trust/admission.js';
import { AuthenticatorModels } from '../../trust/authenticator-models.js';
import { capOf, tooMany } from '../../trust/begin-policy.js';
import { aaguidBytes } from '../../webauthn/aaguid.js';
import type { VerifiedRegistration } from '../../webauthn/registration.js';
import { ceremonyId } from '../ceremonies/ceremony.js';
import type { PendingRegistration } from '../ceremonies/ceremony.js';
import { deviceName, keptTransports } from './device-name.js';
import type { Caller } from '../rate-limits.js';
import { RegistrationVerifier } from './registration-verifier.js';
import type { RegistrationResultDto } from '../result.dto.js';

/** The complete call of a registration (W3C WebAuthn L3 §7.1). */
@Injectable()
export class RegistrationService {
  constructor(
    private readonly verifier: RegistrationVerifier,
    private readonly admission: Admission,
    private readonly models: AuthenticatorModels,
    private readonly reader: CredentialReader,
    private readonly writer: CredentialWriter,
  ) {}

  /**
   * Verifies the authenticator's answer, checks it by the policy and stores the credential.
   *
   * @throws ApiError with the code of the first step that fails
   */
  async complete(
    rp: RelyingParty,
    pending: PendingRegistration,
    dto: RegistrationResultDto,
    caller: Caller,
  ) {
    const verified = this.verifier.verify(rp, pending, dto, caller);
    const before = await this.reader.findUser(rp, pending.username);
    const existing = before?.credentials ?? [];
    const admitted = this.admission.evaluate(rp, verified, {
      attestationAsked: (pending.attestation ?? 'none') !== 'none',
      residentKey: residentKeyOf(dto),
      credentials: existing.length,
    });
    const model = this.models.name(verified.aaguid);
    const device = {
      deviceName: deviceName(pending.keypair, model, existing),
      transports: keptTransports(dto.response.transports),
    };
    await this.store(rp, pending, { before, verified, admitted, device });
    const { format, type } = verified.attestation;
    return ok({
      username: pending.username,
      credentialId: dto.id,
      aaguid: verified.aaguid,
      authenticatorName: model,
      userVerified: verified.userVerified,
      attestation: { format, type, trusted: admitted.trusted },
      backupEligible: verified.backupEligible,
      backedUp: verified.backedUp,
    });
  }

  private async store(
    rp: RelyingParty,
    pending: PendingRegistration,
    { before, verified, admitted, device }: Registered,
  ): Promise<void> {
    const { format, type } = verified.attestation;
    const { credentialId, publicKey, algorithm, signCount } = verified;
    const { userVerified, backupEligible, backedUp } = verified;
    const credential = {
      credentialId,
      publicKey,
      algorithm,
      signCount,
      userVerified,
      backupEligible,
      backedUp,
      aaguid: aaguidBytes(verified.aaguid),
      keypair: pending.keypair ?? undefined,
      attestation: { format, type, trusted: admitted.trusted },
      ceremony: ceremonyId(pending),
      ...device,
    };
    const user = {
      id: pending.user === null ? undefined : Buffer.from(pending.user, 'base64url'),
      username: pending.username,
      displayName: pending.displayName,
      renamed: before !== undefined && before.displayName !== pending.displayName,
      userHandle: Buffer.from(pending.userHandle, 'base64url'),
    };
    const reports = [
      ...pending.reports.map((rule) => ({ rule, code: 'E0043R' })),
      ...admitted.reports,
    ];
    if (!(await this.writer.register(rp, user, credential, termsOf(rp, pending, reports)))) {
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
    const cap = capOf(rp.policy, MAX_CREDENTIALS);
    if (unchanged && user && user.credentials.length >= cap) return tooMany(cap);
    if (unchanged && pending.permit) return new ApiError('E0043R', PERMIT_SENTENCE);
    // The user was made, deleted or closed in between: what begun for another is void.
    return new ApiError('E0024R');
  }
}

const PERMIT_SENTENCE =
  "The user's credentials have changed since the begin call: sign in and begin again.";

function termsOf(
  rp: RelyingParty,
  { permit }: PendingRegistration,
  reports: Terms['reports'],
): Terms {
  const cap = capOf(rp.policy, MAX_CREDENTIALS);
  // One begun by an instance of an older version has none.
  if (!permit) return { cap, reports };
  if ('first' in permit) return { cap: 1, reports };
  return { cap, reports, vouchedBy: Buffer.from(permit.signedInWith, 'base64url') };
}

/** A registration that may be stored. */
interface Registered {
  /** The user as he stands; `undefined` when this registration makes him. */
  readonly before: KnownUser | undefined;
  readonly verified: VerifiedRegistration;
  readonly admitted: Admitted;
  readonly device: { readonly deviceName: string; readonly transports: string };
}

/** W3C WebAuthn L3 §10.1.3: `credProps.rk` tells whether the credential is a discoverable one. */
function residentKeyOf({ clientExtensionResults }: RegistrationResultDto): boolean | undefined {
  const props = clientExtensionResults?.['credProps'];
  const rk = typeof props === 'object' && props !== null && 'rk' in props ? props.rk : undefined;
  return typeof rk === 'boolean' ? rk : undefined;
}
