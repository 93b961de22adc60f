import { Injectable } from '@nestjs/common';
import { ApiError } from '../platform/errors/api-error.js';
import { problem, type PlainReason, type Problem } from '../platform/errors/reasons.js';
import { CredentialReader, type StoredCredential } from '../users/credentials/credential-reader.js';
import { isUsable } from '../users/sign-in-state.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { TokenService, type TokenSignIn } from './tokens/token.service.js';

const BEARER = /^Bearer\s+(\S+)$/i;
/** The header that RFC 6750 §3 requires with a refusal. */
export const BEARER_CHALLENGE = { 'WWW-Authenticate': 'Bearer' };

const tokenIn = (authorization: string | undefined) => BEARER.exec(authorization ?? '')?.[1];

@Injectable()
export class SignInTokens {
  constructor(
    private readonly tokens: TokenService,
    private readonly reader: CredentialReader,
  ) {}

  /**
   * The sign-in that the token in an `Authorization` header proves, fresh or not; `undefined` without a token of
   * this relying party.
   */
  async signedIn(
    rp: RelyingParty,
    authorization: string | undefined,
  ): Promise<TokenSignIn | undefined> {
    const token = tokenIn(authorization);
    return token === undefined ? undefined : this.tokens.read(token, rp);
  }

  /** Whether the header contains a JWT that names a signing key of this server, valid or not. Reads nothing. */
  nameOwnKey(authorization: string | undefined): boolean {
    const token = tokenIn(authorization);
    return token !== undefined && this.tokens.namesOwnKey(token);
  }

  /** E0042R for a call that needs a token, and has none that is valid here. */
  async refusal(rp: RelyingParty, authorization: string | undefined): Promise<ApiError> {
    return unauthorised(await this.problemOf(rp, authorization, 'authentication.token'));
  }

  /** Why the token in an `Authorization` header is not valid, as `TokenService.problemOf`, or `otherwise`. */
  async problemOf(
    rp: RelyingParty,
    authorization: string | undefined,
    otherwise: PlainReason,
  ): Promise<Problem> {
    const token = tokenIn(authorization);
    const found = token === undefined ? undefined : await this.tokens.problemOf(token, rp);
    return found ?? problem(otherwise);
  }

  /**
   * The credential of a fresh, verified sign-in, if it still belongs to the user and can sign in: once a key is disabled
   * or deleted, or a rule refuses it, its earlier tokens permit nothing.
   */
  async credentialOf(
    rp: RelyingParty,
    signedIn: TokenSignIn | undefined,
  ): Promise<StoredCredential | undefined> {
    if (!signedIn?.isAuthority) return undefined;
    const credential = await this.reader.findByHash(rp, signedIn.credentialHash);
    if (!credential || !isUsable(credential)) return undefined;
    if (credential.username !== signedIn.username) return undefined;
    // An instance of an older version may have issued the token based on the flag of a single sign-in.
    return credential.uvInitialized ? credential : undefined;
  }

  /**
   * The fingerprint of the key with which this user has freshly signed in, as `credentialOf`, for a call that needs it;
   * `undefined` without a token of this server, or with one of another user.
   *
   * @throws ApiError E0042R for a token of this server that is not valid here
   */
  async keyOfUser(
    rp: RelyingParty,
    user: { readonly id: Buffer } | undefined,
    authorization: string | undefined,
  ): Promise<Buffer | undefined> {
    const signedIn = await this.signedIn(rp, authorization);
    if (!signedIn && this.nameOwnKey(authorization)) throw await this.refusal(rp, authorization);
    const credential = await this.credentialOf(rp, signedIn);
    return user && credential?.userId.equals(user.id) ? credential.credentialHash : undefined;
  }

  async canSignIn(rp: RelyingParty, credentialHash: Buffer): Promise<boolean> {
    const credential = await this.reader.findByHash(rp, credentialHash);
    return credential !== undefined && isUsable(credential);
  }
}

export const unauthorised = (why = problem('authentication.token')) =>
  ApiError.of('E0042R', why, { headers: BEARER_CHALLENGE });
