import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { AuditLog } from '../../audit/audit-log.js';
import { ApiError } from '../../errors/api-error.js';
import { Accounts } from '../../security/accounts.js';
import { FailedLogins } from '../../security/failed-logins.js';
import type { KnownAccount } from '../../security/known-account.js';
import { PasswordChecks } from '../../security/password-checks.js';
import type { SignInForm } from './sign-in.dto.js';
import { SIGN_IN_TEMPLATE, signInPage } from './sign-in.page.js';

const WRONG = 'The name or the password is wrong.';

/** Finds out who signs in, with the limits of HTTP Basic: those of one count for the other. */
@Injectable()
export class SignIn {
  constructor(
    private readonly accounts: Accounts,
    private readonly failures: FailedLogins,
    private readonly checks: PasswordChecks,
    private readonly log: AuditLog,
  ) {}

  /**
   * The account of this name and password. Whether the name is somebody's, neither the answer tells nor how
   * long it takes.
   *
   * @throws ApiError E0042R or E0040R, with the page
   */
  async byPassword(request: Request, form: SignInForm): Promise<KnownAccount> {
    const { username = '', password = '' } = form;
    const { ip } = request;
    const wait = this.failures.wait(ip, username);
    if (wait > 0) throw tooMany(request, form, wait);
    const known = await this.checks.run(ip, () => this.accounts.find(username, password));
    if (known) return known;
    this.failures.add(ip, username);
    await this.noteFailure(request, username, 'password');
    const page = pageOf(request, form, WRONG);
    throw new ApiError('E0042R', WRONG, { page, cause: new Error(`A sign-in from ${ip} failed.`) });
  }

  /**
   * A row for what was tried with the name of an account. Other names leave none: strangers could fill the
   * trail, and a name may be a password that somebody typed into the wrong field.
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

const pageOf = (request: Request, { to, username }: SignInForm, fault: string) => ({
  template: SIGN_IN_TEMPLATE,
  model: signInPage(request, to, { fault, username }),
});

function tooMany(request: Request, form: SignInForm, wait: number): ApiError {
  const minutes = Math.ceil(wait / 60);
  const fault = `That was wrong too often. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`;
  const headers = { 'Retry-After': `${wait}` };
  return new ApiError('E0040R', fault, { headers, page: pageOf(request, form, fault) });
}
