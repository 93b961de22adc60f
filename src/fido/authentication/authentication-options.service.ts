import { Inject, Injectable } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import { generateAuthenticationOptions } from '@simplewebauthn/server';
import { serverOptions } from '../../config/server-config.js';
import { CredentialReader } from '../../credentials/credential-reader.js';
import { ApiError } from '../../errors/api-error.js';
import { ok } from '../../http/ok.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { BeginAuthenticationDto } from '../begin.dto.js';
import { Ceremonies } from '../ceremonies/ceremonies.js';
import type { PendingAuthentication } from '../ceremonies/ceremony.js';
import { descriptorOf } from '../registration/creation-options.js';
import { UserIds } from '../user-ids.js';
import { userVerificationOf } from '../user-verification.js';
import { warningsOf } from '../warnings.js';
import { agreementOf } from './agreement.js';

/** The begin call of an authentication: which credentials may sign in, and how. */
@Injectable()
export class AuthenticationOptions {
  constructor(
    private readonly ceremonies: Ceremonies,
    private readonly reader: CredentialReader,
    private readonly userIds: UserIds,
    @Inject(serverOptions.KEY) private readonly options: ConfigType<typeof serverOptions>,
  ) {}

  /**
   * @param caller the session's name, and whether an application vouches for the user
   * @throws ApiError 403 when the user has no credential that may sign in, E0001R as `UserIds.check`, and
   *   as `agreementOf`
   */
  async begin(
    rp: RelyingParty,
    dto: BeginAuthenticationDto,
    { session, vouched }: { session: string; vouched: boolean },
  ) {
    const agreement = agreementOf(rp, dto, this.options);
    const user = await this.reader.findUserToSignIn(rp, dto.username);
    if (!user) throw await this.noAccount(rp, dto.username);
    const subject = await this.userIds.check(rp, user, { userId: dto.userId, vouched });
    const userVerification = userVerificationOf(rp, this.options, dto);
    const challenge = await this.ceremonies.begin<PendingAuthentication>(rp, session, {
      kind: 'authentication',
      user: user.id.toString('base64url'),
      username: dto.username,
      displayName: user.displayName,
      userVerificationRequired: userVerification === 'required',
      offered: user.credentials.map(({ id }) => id.toString('base64url')),
      ...subject,
      ...agreement,
    });
    const options = await generateAuthenticationOptions({
      rpID: rp.domain,
      challenge: Buffer.from(challenge, 'base64url'),
      timeout: this.options.session * 1000,
      allowCredentials: user.credentials.map(descriptorOf),
      userVerification,
      extensions: dto.extensions ?? {},
    });
    const { hints } = dto;
    return ok({ ...options, hints, warnings: warningsOf(BeginAuthenticationDto, dto) });
  }

  /** The caller is told the same of both; the help desk which it was. */
  private async noAccount(rp: RelyingParty, username: string): Promise<ApiError> {
    const known = await this.reader.findUser(rp, username);
    return ApiError.noAccount(known ? 'no-enabled-key' : 'unknown-user');
  }
}
