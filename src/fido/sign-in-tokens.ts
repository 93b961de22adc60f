import { Injectable } from '@nestjs/common';
import { problem, type PlainReason, type Problem } from '../platform/errors/reasons.js';
import { CredentialReader, type StoredCredential } from '../users/credentials/credential-reader.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { TokenService, type TokenSignIn } from './tokens/token.service.js';

const BEARER = /^Bearer +(\S+)$/i;

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

  /** Why the token in an `Authorization` header is not valid; `otherwise` if the reason is not its time. */
  async problemOf(
    rp: RelyingParty,
    authorization: string | undefined,
    otherwise: PlainReason,
  ): Promise<Problem> {
    const token = tokenIn(authorization);
    const untimely = token === undefined ? undefined : await this.tokens.timeProblemOf(token, rp);
    return untimely ?? problem(otherwise);
  }

  /**
   * The credential of a fresh, verified sign-in, if it still belongs to the user and is enabled: once a key is
   * disabled or deleted, its earlier tokens permit nothing.
   */
  async credentialOf(
    rp: RelyingParty,
    signedIn: TokenSignIn | undefined,
  ): Promise<StoredCredential | undefined> {
    if (!signedIn?.isAuthority) return undefined;
    const credential = await this.reader.findByHash(rp, signedIn.credentialHash);
    if (!credential?.enabled || credential.username !== signedIn.username) return undefined;
    // An instance of an older version may have issued the token based on the flag of a single sign-in.
    return credential.uvInitialized ? credential : undefined;
  }

  /**
   * The fingerprint of the key with which this user has freshly signed in, as `credentialOf`; `undefined` without a
   * token, or with one of another user.
   */
  async keyOfUser(
    rp: RelyingParty,
    user: { readonly id: Buffer } | undefined,
    authorization: string | undefined,
  ): Promise<Buffer | undefined> {
    const credential = await this.credentialOf(rp, await this.signedIn(rp, authorization));
    return user && credential?.userId.equals(user.id) ? credential.credentialHash : undefined;
  }

  async isEnabled(rp: RelyingParty, credentialHash: Buffer): Promise<boolean> {
    const credential = await this.reader.findByHash(rp, credentialHash);
    return credential?.enabled === true;
  }
}
