import { Injectable, Logger } from '@nestjs/common';
import type { Request } from 'express';
import { ResponseBodyError } from 'openid-client';
import { ConsoleOidc } from '../../platform/config/files/console-oidc-file.js';
import type { ApiError } from '../../platform/errors/api-error.js';
import { problem, type PlainReason } from '../../platform/errors/reasons.js';
import { ConsoleSignIn } from '../sign-in/console-sign-in.js';
import { AuthorizationRequests, type ProviderTarget } from './authorization-requests.js';
import {
  IdentityProvider,
  isUnavailable,
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
    private readonly settings: ConsoleOidc,
    private readonly provider: IdentityProvider,
    private readonly requests: AuthorizationRequests,
    private readonly accounts: ProviderAccounts,
    private readonly sessions: ProviderSessions,
    private readonly key: KeyAfterProvider,
    private readonly signIn: ConsoleSignIn,
  ) {
    const { name, address } = settings;
    signIn.registerProvider({ name, page: `${address}/console/oidc` });
  }

  /**
   * Begins a sign-in.
   *
   * @returns the provider's address
   * @throws ApiError E0042R with the sign-in page if the provider does not answer
   */
  async begin(request: Request, target: ProviderTarget): Promise<string> {
    try {
      const binding = this.requests.begin(request, target);
      return await this.provider.authorizationUrl(binding, target.again === 'yes');
    } catch (error) {
      throw await this.failed(request, target, error);
    }
  }

  /**
   * Judges the provider's answer. The unit of the session must use the request up.
   *
   * @throws ApiError E0042R with the sign-in page, which says why, or asks for a key of this console; E0040R after too
   *   many answers from this address that the provider refused, since each costs it a request
   */
  async finish(request: Request): Promise<ProvedSignIn> {
    const { target, askedAt, binding } = this.requests.take(request);
    if (!binding) throw await this.startAgain(request, target);
    const since = await this.sessions.time();
    const answer = await this.answerFor(request, target, binding);
    const access = this.accounts.accessOf(answer);
    if (!access) throw await this.withoutGroup(request, target, answer);
    const known = await this.accounts.grant(request, answer, access);
    const isProved = this.provesFactor(answer);
    // Where the provider proves none, an account without keys adds one first.
    const mustAdd = known.account.pending === 'key';
    const needsKey = access.secondFactor && !isProved && !mustAdd;
    // A key of this console counts as recent, whenever the user authenticated at the provider.
    const again = target.again === 'yes' && !needsKey;
    if (!this.provider.isRecentEnough(answer, askedAt, again)) {
      const { auth_time: authTime = 'none' } = answer.claims;
      this.logger.warn(`${this.settings.issuer} ignored max_age: auth_time ${String(authTime)}`);
      throw await this.refused(request, { ...target, again: 'yes' }, 'console.oidc.tooOld');
    }
    if (needsKey) {
      if (known.keyCount > 0)
        throw await this.key.ask(request, target, known, { ...answer, since });
      throw await this.refused(request, target, 'console.oidc.noSecondFactor');
    }
    const hasFactor = isProved || mustAdd;
    const proof = await this.sessions.proofOf({ ...answer, since }, { hasFactor });
    const steps = [...this.requests.use(binding), ...proof.steps];
    return { known, target, proof: { way: 'oidc', ...proof, steps } };
  }

  /** The refusal of an answer that belongs to no request of this browser, or was used before. */
  startAgain(request: Request, target: ProviderTarget): Promise<ApiError> {
    return this.refused(request, target, 'console.oidc.startAgain');
  }

  private async answerFor(
    request: Request,
    target: ProviderTarget,
    binding: RequestBinding,
  ): Promise<ProviderAnswer> {
    const { address, issuer } = this.settings;
    const takeBack = this.signIn.countAttempt(request, target, issuer);
    try {
      const { search } = new URL(request.originalUrl, address);
      const answer = await this.provider.exchange(search, binding);
      takeBack();
      return answer;
    } catch (error) {
      if (isUnavailable(error)) takeBack();
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
    target: ProviderTarget,
    { subject }: ProviderAnswer,
  ): Promise<ApiError> {
    const row = await this.accounts.withdraw(request, subject);
    if (row) this.signIn.noteFailure(request, row.name, 'oidc');
    return this.refused(request, target, 'console.oidc.noGroup');
  }

  private failed(request: Request, target: ProviderTarget, error: unknown): Promise<ApiError> {
    this.logger.warn(`A sign-in at ${this.settings.issuer} failed: ${textOf(error)}`);
    if (isUnavailable(error)) return this.refused(request, target, 'console.oidc.away');
    const reason = isRefusal(error) ? 'console.oidc.refused' : 'console.oidc.wrong';
    return this.refused(request, target, reason);
  }

  /** The refusal with the sign-in page, whose button asks the provider for the same. */
  private refused(
    request: Request,
    { to, undone, again }: ProviderTarget,
    reason: PlainReason,
  ): Promise<ApiError> {
    const news = { undone: undone === 'yes', isStale: again === 'yes' };
    return this.signIn.wrong(request, { to }, problem(reason), news);
  }
}

/** An error with its cause, or with the word of the provider. */
function textOf(error: unknown): string {
  const { message, cause } = error as Error;
  const why =
    error instanceof ResponseBodyError ? error.error : (cause as Error | undefined)?.message;
  return why === undefined ? message : `${message} (${why})`;
}
