import { Injectable } from '@nestjs/common';
import { CredentialReader } from '../credentials/credential-reader.js';
import type { StoredCredential } from '../credentials/credential-reader.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { TokenService } from './tokens/token.service.js';
import type { SignedIn } from './tokens/token.service.js';

const BEARER = /^Bearer +(\S+)$/i;

/** What the token of a sign-in lets its bearer do. */
@Injectable()
export class Authority {
  constructor(
    private readonly tokens: TokenService,
    private readonly reader: CredentialReader,
  ) {}

  /** What an `Authorization` header proves, fresh or not; `undefined` where it is no token of here. */
  async signedIn(
    rp: RelyingParty,
    authorization: string | undefined,
  ): Promise<SignedIn | undefined> {
    const token = BEARER.exec(authorization ?? '')?.[1];
    return token === undefined ? undefined : this.tokens.read(token, rp);
  }

  /**
   * The credential of a fresh sign-in that verified its user, and that is still the user's and enabled:
   * whose keys were disabled or deleted does not act by a token that was earned before.
   */
  async credentialOf(
    rp: RelyingParty,
    signedIn: SignedIn | undefined,
  ): Promise<StoredCredential | undefined> {
    if (!signedIn?.isAuthority) return undefined;
    const credential = await this.reader.findByHash(rp, signedIn.credentialHash);
    const isTheirs = credential?.enabled === true && credential.username === signedIn.username;
    return isTheirs ? credential : undefined;
  }
}
