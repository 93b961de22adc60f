import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { SERVER_OPTIONS } from '../config/server-options.js';
import type { ServerOptions } from '../config/server-options.js';
import { CredentialReader } from '../credentials/credential-reader.js';
import type { StoredCredential } from '../credentials/credential-reader.js';
import { CredentialWriter } from '../credentials/credential-writer.js';
import { ApiError } from '../errors/api-error.js';
import { ok } from '../http/ok.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { aaguidText } from '../webauthn/aaguid.js';
import {
  counterIncreased,
  parseAuthentication,
  verifyAuthentication,
} from '../webauthn/authentication.js';
import type { VerifiedAuthentication } from '../webauthn/authentication.js';
import { checkClientData } from '../webauthn/client-data.js';
import { importCoseKey } from '../webauthn/cose-key.js';
import type { VerificationKey } from '../webauthn/cose-key.js';
import { assertionResponse } from '../webauthn/response-json.js';
import type { BeginAuthenticationDto } from './begin.dto.js';
import { Ceremonies } from './ceremonies.js';
import { ceremonyId } from './ceremony.js';
import type { PendingAuthentication } from './ceremony.js';
import { descriptorJson } from './creation-options.js';
import { AUTHENTICATION_CODES, judged } from './failure-codes.js';
import type { AuthenticationResultDto } from './result.dto.js';
import { TokenService } from './token.service.js';
import { userVerificationOf } from './user-verification.js';

/** Ready keys: importing one costs as much as the signature check itself. */
const MAX_READY_KEYS = 20_000;

/** The authentication ceremony (W3C WebAuthn L3 §7.2). */
@Injectable()
export class AuthenticationService {
  /** By the credential's row, whose public key never changes. */
  private readonly readyKeys = new LRUCache<string, VerificationKey>({ max: MAX_READY_KEYS });

  constructor(
    private readonly ceremonies: Ceremonies,
    private readonly reader: CredentialReader,
    private readonly writer: CredentialWriter,
    private readonly tokens: TokenService,
    @Inject(SERVER_OPTIONS) private readonly options: ServerOptions,
  ) {}

  /** @throws ApiError 403 when the user has no credential that may sign in */
  async begin(rp: RelyingParty, dto: BeginAuthenticationDto, session: string) {
    const user = await this.reader.findUserToSignIn(rp, dto.username);
    if (!user) throw ApiError.noAccount();
    const userVerification = userVerificationOf(rp, this.options, dto);
    const challenge = await this.ceremonies.begin<PendingAuthentication>(rp, session, {
      kind: 'authentication',
      user: user.id.toString('base64url'),
      username: dto.username,
      userVerificationRequired: userVerification === 'required',
      offered: user.credentials.map(({ id }) => id.toString('base64url')),
    });
    return ok({
      challenge,
      timeout: this.options.session * 1000,
      rpId: rp.domain,
      allowCredentials: user.credentials.map(descriptorJson),
      userVerification,
      extensions: dto.extensions ?? {},
    });
  }

  /** @throws ApiError with the code of the first step that fails */
  async complete(rp: RelyingParty, pending: PendingAuthentication, dto: AuthenticationResultDto) {
    const parsed = judged(AUTHENTICATION_CODES, () => {
      const response = parseAuthentication(assertionResponse(dto.response));
      checkClientData(response.clientData, {
        type: 'webauthn.get',
        challenge: pending.challenge,
        origins: rp.origins,
        topOrigins: rp.policy.topOrigins,
      });
      return response;
    });
    const credential = await this.credential(rp, pending, dto);
    const verified = judged(AUTHENTICATION_CODES, () =>
      verifyAuthentication(
        parsed,
        { key: this.readyKey(credential), backupEligible: credential.backupEligible },
        {
          rpIdHash: rp.rpIdHash,
          userVerificationRequired: pending.userVerificationRequired,
        },
      ),
    );
    await this.recordUse(rp, credential, { pending, verified });
    return ok({
      username: credential.username,
      displayName: credential.displayName,
      credentialId: dto.id,
      aaguid: aaguidText(credential.aaguid),
      userVerified: verified.userVerified,
      signCount: verified.signCount,
      backedUp: verified.backedUp,
      ...(this.options.jwt ? { token: this.tokens.issue(rp, credential, verified) } : {}),
    });
  }

  /** §7.2 steps 5–7: one of those offered, of the user who began, named by the right user handle. */
  private async credential(
    rp: RelyingParty,
    pending: PendingAuthentication,
    { id, response }: AuthenticationResultDto,
  ): Promise<StoredCredential> {
    const credential = await this.reader.findCredential(rp, Buffer.from(id, 'base64url'));
    if (!credential || credential.userId.toString('base64url') !== pending.user) {
      throw new ApiError('E0033R');
    }
    if (!credential.enabled) throw new ApiError('E0034R');
    if (!pending.offered.includes(credential.id.toString('base64url'))) {
      throw new ApiError('E0033R');
    }
    const { userHandle } = response;
    if (userHandle && !credential.userHandle.equals(Buffer.from(userHandle, 'base64url'))) {
      throw new ApiError('E0010R', 'The user handle is not that of this user.');
    }
    return credential;
  }

  private readyKey({ id, publicKey }: StoredCredential): VerificationKey {
    const name = id.toString('latin1');
    let key = this.readyKeys.get(name);
    if (!key) {
      key = importCoseKey(publicKey, { rs1: this.options.conformance });
      this.readyKeys.set(name, key);
    }
    return key;
  }

  /** §7.2 steps 22–23. A counter that did not rise is refused, unless the policy only warns. */
  private async recordUse(
    rp: RelyingParty,
    credential: StoredCredential,
    { pending, verified }: { pending: PendingAuthentication; verified: VerifiedAuthentication },
  ): Promise<void> {
    const ceremony = ceremonyId(pending);
    // A session store that was set back, by a restart or a failover, hands ceremonies out again.
    if (credential.lastCeremony.equals(ceremony)) throw new ApiError('E0024R');
    const { counter } = rp.policy;
    const anyCounter = counter === 'warn' || counter === 'off';
    const { signCount, backedUp } = verified;
    if (counter !== 'off' && !counterIncreased(credential.signCount, signCount)) {
      await this.writer.recordCloneAlarm(rp, credential, counter === 'disable');
      if (!anyCounter) throw new ApiError('E0035R');
    }
    const recorded = await this.writer.recordUse(rp, credential, {
      signCount,
      backedUp,
      ceremony,
      anyCounter,
    });
    if (!recorded) throw await this.overtaken(rp, credential, ceremony);
  }

  /** Why a sign-in that was right when it was read could not be recorded: another was faster. */
  private async overtaken(
    rp: RelyingParty,
    credential: StoredCredential,
    ceremony: Buffer,
  ): Promise<ApiError> {
    const now = await this.reader.reread(rp, credential);
    if (!now) return new ApiError('E0033R');
    if (!now.enabled) return new ApiError('E0034R');
    if (now.lastCeremony.equals(ceremony)) return new ApiError('E0024R');
    await this.writer.recordCloneAlarm(rp, credential, rp.policy.counter === 'disable');
    return new ApiError('E0035R');
  }
}
