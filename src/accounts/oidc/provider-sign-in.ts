import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Request } from 'express';
import { ResponseBodyError } from 'openid-client';
import type { ConsoleOidc } from '../../platform/config/files/console-oidc-file.js';
import type { ApiError } from '../../platform/errors/api-error.js';
import { problem, type PlainReason } from '../../platform/errors/reasons.js';
import { ConsoleSignIn } from '../sign-in/console-sign-in.js';
import type { SignInTarget } from '../sign-in/sign-in-completion.js';
import { AuthorizationRequests } from './authorization-requests.js';
import {
  CONSOLE_OIDC,
  IdentityProvider,
  isAway,
  isRefusal,
  textsOfClaim,
  type ProviderAnswer,
  type RequestBinding,
} from './identity-provider.js';
import { KeyAfterProvider, type ProvedSignIn } from './key-after-provider.js';
import { ProviderAccounts } from './provider-accounts.js';
import { ProviderSessions } from './provider-sessions.js';

/** Signs accounts in at the OpenID provider. */
@Injectable()
export class ProviderSignIn {
  private readonly logger = new Logger(ProviderSignIn.name);

  constructor(
    @Inject(CONSOLE_OIDC) private readonly settings: ConsoleOidc,
    private readonly provider: IdentityProvider,
    private readonly requests: AuthorizationRequests,
    private readonly accounts: ProviderAccounts,
    private readonly sessions: ProviderSessions,
    private readonly key: KeyAfterProvider,
    private readonly signIn: ConsoleSignIn,
  ) {}

  /**
   * Begins a sign-in.
   *
   * @param again whether the user must authenticate at the provider now
   * @returns the provider's address
   * @throws ApiError E0042R with the sign-in page if the provider does not answer
   */
  async begin(request: Request, target: SignInTarget, again: boolean): Promise<string> {
    try {
      return await this.provider.authorizationUrl(this.requests.begin(request, target), again);
    } catch (error) {
      throw await this.failed(request, target, error);
    }
  }

  /**
   * Judges the provider's answer. The unit of the session must use the request up.
   *
   * @throws ApiError E0042R with the sign-in page, which says why, or asks for a key of this console
   */
  async finish(request: Request): Promise<ProvedSignIn> {
    const { target, binding } = this.requests.take(request);
    if (!binding) throw await this.startAgain(request, target);
    const answer = await this.answerFor(request, target, binding);
    const access = this.accounts.accessOf(answer);
    if (!access) throw await this.withoutGroup(request, target, answer);
    const known = await this.accounts.grant(request, answer, access);
    const isProved = this.provesFactor(answer);
    // Where the provider proves none, an account without keys adds one first.
    const mustAdd = known.account.pending === 'key';
    if (access.secondFactor && !isProved && !mustAdd) {
      if (known.keyCount > 0) throw await this.key.ask(request, target, known, answer);
      throw await this.refused(request, target, 'console.oidc.noSecondFactor');
    }
    const proof = await this.sessions.proofOf(answer, { hasFactor: isProved || mustAdd });
    const steps = this.requests.use(binding);
    return { known, target, proof: { way: 'oidc', ...proof, steps } };
  }

  /** The refusal of an answer that belongs to no request of this browser, or was used before. */
  startAgain(request: Request, target: SignInTarget): Promise<ApiError> {
    return this.refused(request, target, 'console.oidc.startAgain');
  }

  private async answerFor(
    request: Request,
    target: SignInTarget,
    binding: RequestBinding,
  ): Promise<ProviderAnswer> {
    try {
      const { search } = new URL(request.originalUrl, this.settings.address);
      return await this.provider.exchange(search, binding);
    } catch (error) {
      throw await this.failed(request, target, error);
    }
  }

  private provesFactor({ claims }: ProviderAnswer): boolean {
    const { acr, amr } = this.settings.proofs;
    const hasOneOf = (claim: unknown, listed: readonly string[]) =>
      textsOfClaim(claim).some((value) => listed.includes(value));
    return hasOneOf(claims['acr'], acr) || hasOneOf(claims['amr'], amr);
  }

  /** The refusal of a user to whom the table gives nothing; the sessions of an existing account end. */
  private async withoutGroup(
    request: Request,
    target: SignInTarget,
    { subject }: ProviderAnswer,
  ): Promise<ApiError> {
    const row = await this.accounts.withdraw(request, subject);
    if (row) this.signIn.noteFailure(request, row.name, 'oidc');
    return this.refused(request, target, 'console.oidc.noGroup');
  }

  private failed(request: Request, target: SignInTarget, error: unknown): Promise<ApiError> {
    this.logger.warn(`A sign-in at ${this.settings.issuer} failed: ${textOf(error)}`);
    if (isAway(error)) return this.refused(request, target, 'console.oidc.away');
    const reason = isRefusal(error) ? 'console.oidc.refused' : 'console.oidc.wrong';
    return this.refused(request, target, reason);
  }

  private refused(request: Request, { to }: SignInTarget, reason: PlainReason): Promise<ApiError> {
    return this.signIn.wrong(request, { to }, problem(reason));
  }
}

/** An error with its cause, or with the word of the provider. */
function textOf(error: unknown): string {
  const { message, cause } = error as Error;
  const why =
    error instanceof ResponseBodyError ? error.error : (cause as Error | undefined)?.message;
  return why === undefined ? message : `${message} (${why})`;
}
