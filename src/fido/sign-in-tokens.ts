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
   * The sign-in that an `Authorization` header proves, fresh or not; `undefined` without a token of this
   * relying party.
   */
  async signedIn(
    rp: RelyingParty,
    authorization: string | undefined,
  ): Promise<TokenSignIn | undefined> {
    const token = tokenIn(authorization);
    return token === undefined ? undefined : this.tokens.read(token, rp);
  }

  /** Why the token of an `Authorization` header does not count; `otherwise` where not for its time. */
  async problemOf(
    rp: RelyingParty,
    authorization: string | undefined,
    otherwise: PlainReason,
  ): Promise<Problem> {
    const token = tokenIn(authorization);
    const untimely = token === undefined ? undefined : await this.tokens.untimely(token, rp);
    return untimely ?? problem(otherwise);
  }

  /**
   * The credential of a fresh sign-in that verified its user, if it is still the user's and enabled: once a
   * key is disabled or deleted, a token that it earned before lets nobody act.
   */
  async credentialOf(
    rp: RelyingParty,
    signedIn: TokenSignIn | undefined,
  ): Promise<StoredCredential | undefined> {
    if (!signedIn?.isAuthority) return undefined;
    const credential = await this.reader.findByHash(rp, signedIn.credentialHash);
    if (!credential?.enabled || credential.username !== signedIn.username) return undefined;
    // An instance of an older version may have issued the token by the flag of one sign-in alone.
    return credential.uvInitialized ? credential : undefined;
  }

  /**
   * The fingerprint of the key with which this user has freshly signed in, as `credentialOf`; `undefined`
   * where the token is another user's, or none.
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
