import { Injectable, Logger } from '@nestjs/common';
import type { Express, Request } from 'express';
import { AuditTrail } from '../../audit/audit-trail.js';
import { callerFields } from '../../audit/request-rows.js';
import { ApiError } from '../../platform/errors/api-error.js';
import type { Code } from '../../platform/errors/catalogue.js';
import { problem, type Problem } from '../../platform/errors/reasons.js';
import { pageBefore } from '../../platform/errors/visitor.js';
import { Accounts, type KnownAccount } from '../../platform/access/accounts/accounts.js';
import { FailedSignIns } from '../../platform/access/basic/failed-sign-ins.js';
import { PasswordChecks } from '../../platform/access/basic/password-checks.js';
import { allowedMethods } from '../../platform/http/express-routing.js';
import type { PageView } from '../../platform/pages/page.view.js';
import { consoleHost, readResponse } from '../keys/key-ceremony.js';
import { KeySignIn, type ConsoleKeySignIn } from '../keys/key-sign-in.js';
import type { SignInForm, SignInKeyForm } from './sign-in.dto.js';
import { refusalPage, signInPage, type SignInNews, type SignInProvider } from './sign-in.view.js';

/** Whether the key alone is enough: not if the account also requires the password. */
const mayBeOnly = ({ known }: { readonly known: KnownAccount }): boolean =>
  known.signIn !== 'password+key';

/** Determines the account that signs in. Shares its limits with HTTP Basic: failures at one count at the other. */
@Injectable()
export class ConsoleSignIn {
  private readonly logger = new Logger(ConsoleSignIn.name);
  /** The OpenID provider where accounts sign in too, if the server has one. */
  private provider: SignInProvider | undefined;

  constructor(
    private readonly accounts: Accounts,
    private readonly failures: FailedSignIns,
    private readonly checks: PasswordChecks,
    private readonly keys: KeySignIn,
    private readonly trail: AuditTrail,
  ) {}

  /** Called once: a second provider would replace the first. */
  registerProvider(provider: SignInProvider): void {
    this.provider = provider;
  }

  get hasProvider(): boolean {
    return this.provider !== undefined;
  }

  /**
   * Finds the account of this name and password. Neither the answer nor its time reveals whether the name
   * exists.
   *
   * @throws ApiError E0042R or E0040R, with the page
   */
  byPassword(request: Request, form: SignInForm): Promise<KnownAccount> {
    const { username = '', password = '' } = form;
    return this.attempt(request, form, async (countFailure) => {
      const known = await this.checks.run(request.ip, () => this.accounts.find(username, password));
      // An account that signs in by key alone has no correct password.
      if (known && known.signIn !== 'key') return known;
      countFailure();
      this.noteFailure(request, username, 'password');
      throw await this.wrong(request, form, problem('console.wrongPassword'));
    });
  }

  /**
   * Finds the account whose key answered: with a name, the one whose password was correct, otherwise the
   * key's own; and the key that it has verified.
   *
   * @throws ApiError E0042R or E0040R, with the page
   */
  byKey(request: Request, form: SignInKeyForm): Promise<ConsoleKeySignIn> {
    const { username } = form;
    return this.attempt(request, form, async (countFailure) => {
      const found = await this.keyUsed(request, form);
      const isEnough = found && (found.isVerified || username !== undefined);
      if (isEnough && (username !== undefined || mayBeOnly(found))) return found;
      if (found && !isEnough && mayBeOnly(found)) await this.askOther(request, form, found);
      countFailure();
      const name = username ?? found?.known.account.name;
      if (name !== undefined) this.noteFailure(request, name, 'key');
      const reason = found && !mayBeOnly(found) ? 'console.passwordFirst' : 'console.wrongKey';
      throw await this.wrong(request, form, problem(reason));
    });
  }

  private attempt<T>(
    request: Request,
    form: Pick<SignInForm, 'to' | 'username'>,
    check: (countFailure: () => void) => Promise<T>,
  ): Promise<T> {
    const { ip } = request;
    const name = form.username ?? '';
    return this.failures.attempt({ ip, name }, check, (wait) => tooMany(request, form, wait));
  }

  /**
   * Counts an attempt at the OpenID provider as failed, until it succeeds: simultaneous ones count too.
   *
   * @param name of the account, or of the provider
   * @returns a function that takes the failure back: for an attempt that succeeded, or that nobody could judge
   * @throws ApiError E0040R, with the page
   */
  countAttempt(request: Request, { to }: Pick<SignInForm, 'to'>, name: string): () => void {
    const { ip } = request;
    return this.failures.countUntilSuccess({ ip, name }, (wait) => tooMany(request, { to }, wait));
  }

  /** The key that answered; `undefined` if any check fails. */
  private async keyUsed(
    request: Request,
    form: SignInKeyForm,
  ): Promise<ConsoleKeySignIn | undefined> {
    const { username, beside, response } = form;
    const host = consoleHost(request);
    const sent = readResponse(response);
    if (!host || !sent) return undefined;
    const password = username === undefined ? undefined : await this.accounts.known(username);
    if (username !== undefined && !password) return undefined;
    return this.keys.signIn(host, sent, { password, beside });
  }

  /**
   * Requires a verified key beside one that may not be the only factor yet.
   *
   * @throws ApiError E0042R with the page that asks for it: the account is not signed in yet
   */
  private async askOther(
    request: Request,
    { to }: SignInForm,
    used: ConsoleKeySignIn,
  ): Promise<void> {
    const host = consoleHost(request);
    const options = host && (await this.keys.optionsBeside(host, used));
    if (!options) return;
    const beside = { id: used.key.id.toString('base64url'), name: used.key.name };
    const page = refusalPage(request, to, { beside, second: JSON.stringify(options) });
    throw new ApiError('E0042R', 'console.otherKeyNeeded', {}, { page });
  }

  /** The page for a browser, with options for a key alone if its host can have keys. */
  async page(request: Request, to: unknown, news: SignInNews): Promise<PageView> {
    return signInPage(request, to, await this.withOptions(request, news));
  }

  private async withOptions(request: Request, news: SignInNews): Promise<SignInNews> {
    const host = consoleHost(request);
    const options = host && JSON.stringify(await this.keys.requestOptions(host));
    return { ...news, options, provider: this.provider };
  }

  /** The refusal with the sign-in page, which redirects back to the requested page or the page of the form. */
  async first(
    request: Request,
    [code, why]: readonly [Code, Problem],
    news: SignInNews,
  ): Promise<ApiError> {
    const page = refusalPage(
      request,
      pageAfterSignIn(request),
      await this.withOptions(request, news),
    );
    return ApiError.of(code, why, { headers: { 'Cache-Control': 'no-store' }, page });
  }

  /** The refusal of a form that requires a recent sign-in, because it lets others in. */
  again(request: Request): Promise<ApiError> {
    const fault = problem('console.signInAgain');
    return this.first(request, ['E0045R', fault], { fault, undone: true, isStale: true });
  }

  /**
   * The answer to the correct password of an account that also requires a key.
   *
   * @param pending the sign-in at the OpenID provider that the key completes, in place of the password
   * @returns E0042R with the page that asks for the key: the account is not signed in yet
   */
  async keyNeeded(
    request: Request,
    { to, undone }: SignInForm,
    known: KnownAccount,
    pending?: string,
  ): Promise<ApiError> {
    const host = consoleHost(request);
    const { name: username } = known.account;
    const options = host && (await this.keys.requestOptions(host, known, pending));
    const news = options
      ? { username, pending, undone: undone === 'yes', second: JSON.stringify(options) }
      : { username, fault: problem('console.needsHostName') };
    return new ApiError(
      'E0042R',
      'console.keyNeeded',
      {},
      { page: refusalPage(request, to, news) },
    );
  }

  /** The refusal of a sign-in, with the page that says why. */
  async wrong(
    request: Request,
    { to, username }: Pick<SignInForm, 'to' | 'username'>,
    fault: Problem,
    news: Pick<SignInNews, 'undone' | 'isStale'> = {},
  ): Promise<ApiError> {
    const all = await this.withOptions(request, { ...news, fault, username });
    const page = refusalPage(request, to, all);
    const cause = new Error(`A sign-in from ${request.ip} failed.`);
    return ApiError.of('E0042R', fault, { page, cause });
  }

  /**
   * Writes a row of the audit trail for a failure with the name of an account. Other names leave no row:
   * strangers could fill the trail, and a name may be a password typed into the wrong field. The answer
   * does not wait for the row, since the delay would reveal that the account exists.
   */
  noteFailure(request: Request, name: string, way: string): void {
    this.appendFailure(request, name, way).catch((error: unknown) => {
      this.logger.error(`A refused sign-in is not in the audit trail: ${String(error)}`);
    });
  }

  private async appendFailure(request: Request, name: string, way: string): Promise<void> {
    const known = await this.accounts.known(name);
    if (!known) return;
    await this.trail.append({
      ...callerFields(request, known.account),
      action: 'console.sign-in',
      result: 'refused',
      code: 'E0042R',
      detail: { way },
    });
  }
}

/** The target of the sign-in: for a form, its page, unless that page was itself the answer to a form. */
function pageAfterSignIn(request: Request): string {
  const { app, method, originalUrl, path } = request;
  if (method === 'GET') return originalUrl;
  const isPage = (way: string | undefined) =>
    way !== undefined && allowedMethods(app as Express, way.replace(/\?.*/, '')).includes('GET');
  return [pageBefore(request), path].find(isPage) ?? '/';
}

function tooMany(
  request: Request,
  { to, username }: Pick<SignInForm, 'to' | 'username'>,
  wait: number,
): ApiError {
  const minutes = Math.ceil(wait / 60);
  const fault =
    minutes === 1
      ? problem('console.wrongTooOftenMinute')
      : problem('console.wrongTooOften', { minutes });
  const headers = { 'Retry-After': `${wait}` };
  const page = refusalPage(request, to, { fault, username });
  return ApiError.of('E0040R', fault, { headers, page });
}
