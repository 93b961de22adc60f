import { Inject, Injectable } from '@nestjs/common';
import { serverOptions, type ServerOptions } from '../../platform/config/server-config.js';
import { CredentialReader } from '../../users/credentials/credential-reader.js';
import { USER_HANDLE_BYTES } from '../../users/user.entity.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { pooledRandomBytes } from '../../platform/common/random.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { AaguidList } from '../../trust/whitelist/aaguid-list.js';
import {
  algorithmsOf,
  maxCredentialsOf,
  conveyanceOf,
  tooManyCredentials,
  requestedConveyance,
} from '../../trust/registration-terms.js';
import { keypairJson } from '../../platform/validation/values/keypair.js';
import { displayNameOf, normalizeName } from '../../platform/validation/values/names.js';
import { Ceremonies } from '../ceremonies/ceremonies.js';
import type { PendingRegistration } from '../ceremonies/ceremony.js';
import { creationExtensions } from '../ceremonies/extensions.js';
import { quantizeDuration } from '../quantize-duration.js';
import { verificationRequirementOf } from '../verification-requirement.js';
import type { BeginRegistrationDto } from './registration.dto.js';
import { algorithmsProblem } from './registration.validators.js';
import { algorithmOf, defaultAlgorithms } from './offered-algorithms.js';
import { creationOptions } from './creation-options.js';
import {
  RegistrationPermission,
  isPromptless,
  type RegistrationCaller,
} from './registration-permission.js';

/** The begin call of a registration: decides who may register, and creates the options for the authenticator. */
@Injectable()
export class RegistrationOptions {
  constructor(
    private readonly ceremonies: Ceremonies,
    private readonly reader: CredentialReader,
    private readonly permission: RegistrationPermission,
    private readonly whitelist: AaguidList,
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
  ) {}

  /**
   * Begins a registration. Writes only a ticket's counter to the database.
   *
   * @throws ApiError E0043R if the caller may not register, or the user has too many credentials
   */
  begin(rp: RelyingParty, dto: BeginRegistrationDto, caller: RegistrationCaller) {
    const begin = () => this.beginFor(rp, dto, caller);
    return rp.policy.unknownUsers === 'pretend' ? quantizeDuration(begin) : begin();
  }

  private async beginFor(rp: RelyingParty, dto: BeginRegistrationDto, caller: RegistrationCaller) {
    const user = await this.reader.findUser(rp, dto.username);
    const promptless = isPromptless(dto);
    const permission = await this.permission.check(rp, { dto, user, caller });
    const username = user?.username ?? permission.username ?? normalizeName(dto.username);
    const displayName = permission.displayName ?? displayNameOf(dto.displayName);
    const existing = user?.credentials ?? [];
    const maxCredentials = maxCredentialsOf(rp.policy);
    if (existing.length >= maxCredentials) throw tooManyCredentials(maxCredentials);
    const extensions = creationExtensions(dto.extensions);
    const fallback = defaultAlgorithms(this.options.conformance);
    const algorithms = algorithmsOf(rp.policy, this.requestedAlgorithms(dto), fallback);
    const requirement =
      extensions.needsUserVerification || permission.verifiesUser
        ? 'required'
        : verificationRequirementOf(rp, this.options, promptless ? {} : dto);
    if (promptless && requirement === 'required') {
      throw new ApiError('E0043R', 'registration.noPrompt');
    }
    const userVerification = promptless ? 'preferred' : requirement;
    const userHandle = (user?.userHandle ?? pooledRandomBytes(USER_HANDLE_BYTES)).toString(
      'base64url',
    );
    const attestation = requestedConveyance(rp.policy, dto.attestation);
    const challenge = await this.ceremonies.begin<PendingRegistration>(rp, caller.session, {
      kind: 'registration',
      user: user?.id.toString('base64url') ?? null,
      username,
      displayName,
      userHandle,
      userVerificationRequired: userVerification === 'required',
      algorithms,
      keypair: keypairJson(dto.keypair) ?? null,
      enforcedProtection: extensions.enforcedProtection ?? null,
      attestation,
      permit: permission.permit,
      reports: permission.keepsReported ? [] : ['registration'],
      ...(promptless && { presenceWaived: true as const }),
      ...permission.pendingUserId,
    });
    return creationOptions(dto, {
      rp,
      challenge,
      userHandle,
      username,
      displayName,
      algorithms,
      timeout: this.options.session * 1000,
      attestation: conveyanceOf(rp.policy, attestation, this.whitelist.enabled),
      userVerification,
      extensions: extensions.inputs,
      existing,
    });
  }

  /** COSE numbers without duplicates; `undefined` if the caller does not choose. */
  private requestedAlgorithms({ algorithms }: BeginRegistrationDto): readonly number[] | undefined {
    const policy = { rs1: this.options.conformance };
    const numbers = algorithms?.map((algorithm) => {
      const number = algorithmOf(algorithm, policy);
      if (number === undefined) throw ApiError.of('E0001R', algorithmsProblem('algorithms'));
      return number;
    });
    return numbers && [...new Set(numbers)];
  }
}
