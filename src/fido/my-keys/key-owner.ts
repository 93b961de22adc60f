import { Injectable } from '@nestjs/common';
import { fromRequest } from '../../platform/common/from-request.js';
import { CredentialReader } from '../../users/credentials/credential-reader.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { EarlierNames } from '../../users/earlier-names/earlier-names.js';
import type { FoundUser } from '../../users/user-rows.js';
import { UsersByName } from '../../users/users-by-name.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { languageFor, type Language } from '../../platform/pages/languages/languages.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { normalizeName } from '../../platform/validation/values/names.js';
import { SignInTokens, unauthorised } from '../sign-in-tokens.js';
import type { Caller } from '../limits/rate-limits.js';
import type { TokenSignIn } from '../tokens/token.service.js';

export interface KeyCall {
  readonly caller: Caller;
  readonly address: string;
  readonly authorization: string | undefined;
  readonly requestId: string;
  /** Language of the labels in the answer. */
  readonly language: Language;
}

/** The call as a `KeyCall`; requires `FidoCallerGuard`. */
export const CurrentKeyCall = fromRequest((request): KeyCall => {
  const { caller, ip: address = '', headers, requestId } = request;
  if (caller === undefined) throw new Error('FidoCallerGuard did not run before this call');
  const language = languageFor(request);
  return { caller, address, authorization: headers.authorization, requestId, language };
});

export interface KeyOwnership {
  readonly user: FoundUser;
  /** Fingerprint of the credential; `undefined` if an application vouches for the user. */
  readonly signedInWith: Buffer | undefined;
}

/** A user whose token permits changes. */
export interface KeyChanger extends KeyOwnership {
  readonly signedInWith: Buffer;
}

/** Finds the user of a call: by a token, or by the user name that an application vouches for. */
@Injectable()
export class KeyOwner {
  constructor(
    private readonly tokens: SignInTokens,
    private readonly users: UsersByName,
    private readonly credentials: CredentialReader,
    private readonly names: EarlierNames,
    private readonly relyingParties: RelyingPartyCache,
  ) {}

  /**
   * @throws ApiError E0042R without a valid token of this relying party, E0001R for an application that names
   *   no user, E0033R for an unknown user
   */
  async reader(
    rp: RelyingParty,
    call: KeyCall,
    username: string | undefined,
  ): Promise<KeyOwnership> {
    if (call.caller.key) {
      if (username === undefined) throw new ApiError('E0001R', 'myKeys.nameNeeded');
      return { user: await this.find(rp, username), signedInWith: undefined };
    }
    const signedIn = await this.tokens.signedIn(rp, call.authorization);
    if (!signedIn) throw await this.tokens.refusal(rp, call.authorization);
    return { user: await this.userOf(rp, signedIn), signedInWith: signedIn.credentialHash };
  }

  /** @throws ApiError E0042R without a token that is valid here, E0043R if the token may not change anything */
  async changer(rp: RelyingParty, call: KeyCall): Promise<KeyChanger> {
    const { caller, authorization } = call;
    if (caller.key) throw new ApiError('E0043R', 'myKeys.notByApplication');
    const signedIn = await this.tokens.signedIn(rp, authorization);
    if (!signedIn) throw await this.tokens.refusal(rp, call.authorization);
    const credential = await this.tokens.credentialOf(rp, signedIn);
    if (!credential) throw new ApiError('E0043R', 'myKeys.stepUp');
    const user = await this.find(rp, credential.username);
    return { user, signedInWith: credential.credentialHash };
  }

  /**
   * The user whose key signed in, by the current name; for a deleted key, or one of the predecessor, the user
   * that the token names. A disabled key may be stolen, so its tokens list nothing; nor do those of a suspended user.
   */
  private async userOf(rp: RelyingParty, signedIn: TokenSignIn): Promise<FoundUser> {
    const { credentialHash, username } = signedIn;
    const own = await this.credentials.findByHash(rp, credentialHash);
    const predecessor = own ? undefined : this.relyingParties.current.predecessorOf(rp);
    const credential = predecessor
      ? await this.credentials.findByHash(predecessor, credentialHash)
      : own;
    if (credential && !credential.enabled) throw unauthorised();
    if (own) return this.find(rp, own.username);
    const user = await this.find(rp, username);
    // A deleted or renamed user must not read the keys of the next user with that name.
    const isUsers = await this.names.hadKey(user, credentialHash);
    if (user.suspendedBy !== null || !isUsers) throw unauthorised();
    return user;
  }

  private async find(rp: RelyingParty, username: string): Promise<FoundUser> {
    const [user] = await this.users.find(rp, [normalizeName(username)]);
    if (!user) throw new ApiError('E0033R', 'user.unknownHere');
    return user;
  }
}
