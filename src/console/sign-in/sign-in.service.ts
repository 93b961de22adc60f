import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { AuditLog } from '../../audit/audit-log.js';
import { ApiError } from '../../errors/api-error.js';
import { Accounts } from '../../security/accounts.js';
import { FailedLogins } from '../../security/failed-logins.js';
import type { KnownAccount } from '../../security/known-account.js';
import { PasswordChecks } from '../../security/password-checks.js';
import type { PageView } from '../../presentation/page.view.js';
import { consoleHost } from '../keys/console-host.js';
import { ConsoleKeys } from '../keys/console-keys.service.js';
import { readResponse } from '../keys/key-response.js';
import type { SignInForm, SignInKeyForm } from './sign-in.dto.js';
import { SIGN_IN_TEMPLATE, signInPage } from './sign-in.page.js';
import type { SignInNews } from './sign-in.page.js';

const WRONG = 'The name or the password is wrong.';
const NOT_THIS_KEY = 'This key does not sign in here.';
const ASKS_BOTH = 'This account asks for its password first, and then for the key.';
const ASKS_KEY = 'This account asks for a key too.';
const ONE_MINUTE = 'That was wrong too often. Try again in 1 minute.';
const NO_HOST = 'This account asks for a key: call this server by its name, not by an IP address.';

/** Whether the key alone is enough: not where the account asks for the password too. */
const mayBeOnly = ({ known }: { readonly known: KnownAccount }): boolean =>
  known.signIn !== 'password+key';

/** Finds out who signs in. It shares its limits with HTTP Basic: failures at one count at the other. */
@Injectable()
export class SignIn {
  constructor(
    private readonly accounts: Accounts,
    private readonly failures: FailedLogins,
    private readonly checks: PasswordChecks,
    private readonly keys: ConsoleKeys,
    private readonly log: AuditLog,
  ) {}

  /**
   * The account of this name and password. Neither the answer nor its time tells whether the name exists.
   *
   * @throws ApiError E0042R or E0040R, with the page
   */
  async byPassword(request: Request, form: SignInForm): Promise<KnownAccount> {
    const { username = '', password = '' } = form;
    const { ip } = request;
    const wait = this.failures.wait(ip, username);
    if (wait > 0) throw tooMany(request, form, wait);
    const known = await this.checks.run(ip, () => this.accounts.find(username, password));
    // An account that signs in by key alone has no right password.
    if (known && known.signIn !== 'key') return known;
    this.failures.add(ip, username);
    await this.noteFailure(request, username, 'password');
    throw await this.wrong(request, form, WRONG);
  }

  /**
   * The account whose key answered: with a name, the one whose password was right, else the key's own.
   *
   * @throws ApiError E0042R or E0040R, with the page
   */
  async byKey(request: Request, form: SignInKeyForm): Promise<KnownAccount> {
    const { username, response } = form;
    const { ip } = request;
    const wait = this.failures.wait(ip, username ?? '');
    if (wait > 0) throw tooMany(request, form, wait);
    const expected = username === undefined ? undefined : await this.accounts.known(username);
    const [host, sent] = [consoleHost(request), readResponse(response)];
    const isAsked = username === undefined || expected !== undefined;
    const found =
      host && sent && isAsked ? await this.keys.signIn(host, sent, expected) : undefined;
    if (found && (expected || mayBeOnly(found))) return found.known;
    this.failures.add(ip, username ?? '');
    const name = username ?? found?.known.account.name;
    if (name !== undefined) await this.noteFailure(request, name, 'key');
    throw await this.wrong(request, form, found ? ASKS_BOTH : NOT_THIS_KEY);
  }

  /** The page for a browser, with options for a key alone where its host can have keys. */
  async page(request: Request, to: unknown, news: SignInNews = {}): Promise<PageView> {
    const host = consoleHost(request);
    const options = host && JSON.stringify(await this.keys.requestOptions(host));
    return signInPage(request, to, { ...news, options });
  }

  /**
   * The answer to the right password of an account that asks for a key too.
   *
   * @returns E0042R with the page that asks for the key: nobody is signed in yet
   */
  async askKey(request: Request, { to }: SignInForm, known: KnownAccount): Promise<ApiError> {
    const host = consoleHost(request);
    const { name: username } = known.account;
    const asked = host
      ? { username, second: JSON.stringify(await this.keys.requestOptions(host, known)) }
      : { username, fault: NO_HOST };
    const model = signInPage(request, to, asked);
    return new ApiError('E0042R', ASKS_KEY, { page: { template: SIGN_IN_TEMPLATE, model } });
  }

  private async wrong(
    request: Request,
    { to, username }: Pick<SignInForm, 'to' | 'username'>,
    fault: string,
  ): Promise<ApiError> {
    const model = await this.page(request, to, { fault, username });
    const cause = new Error(`A sign-in from ${request.ip} failed.`);
    return new ApiError('E0042R', fault, { page: { template: SIGN_IN_TEMPLATE, model }, cause });
  }

  /**
   * Writes a row of the audit trail for a failure with the name of an account. Other names leave none:
   * strangers could fill the trail, and a name may be a password that somebody typed into the wrong field.
   */
  async noteFailure(request: Request, name: string, way: string): Promise<void> {
    const known = await this.accounts.known(name);
    if (!known) return;
    const { role } = known.account;
    const { ip: address = '', requestId } = request;
    const what = { action: 'console.sign-in', result: 'refused', code: 'E0042R' } as const;
    await this.log.append({ account: name, role, address, requestId, ...what, detail: { way } });
  }
}

function tooMany(
  request: Request,
  { to, username }: Pick<SignInForm, 'to' | 'username'>,
  wait: number,
): ApiError {
  const minutes = Math.ceil(wait / 60);
  const fault =
    minutes === 1 ? ONE_MINUTE : `That was wrong too often. Try again in ${minutes} minutes.`;
  const headers = { 'Retry-After': `${wait}` };
  const model = signInPage(request, to, { fault, username });
  return new ApiError('E0040R', fault, { headers, page: { template: SIGN_IN_TEMPLATE, model } });
}
