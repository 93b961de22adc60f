import { Injectable } from '@nestjs/common';
import type { AuditedCall } from '../../audit/audited.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { FailedSignIns } from '../../platform/access/basic/failed-sign-ins.js';
import { PasswordChecks } from '../../platform/access/basic/password-checks.js';
import type { SentForm } from '../../platform/validation/dto.pipe.js';
import { ConsoleAccounts } from '../console-accounts.js';

type Fields = SentForm['fields'];

/**
 * Returns the new password in a form untrimmed, unlike other fields.
 *
 * @throws ApiError E0045R if it begins or ends with a blank, or the two fields differ
 */
export function newPasswordIn(fields: Fields): string {
  const password = String(fields['password']);
  const again = String(fields['again']);
  if (password.trim() !== password) throw new ApiError('E0045R', 'account.passwordBlank');
  if (again !== password) throw new ApiError('E0045R', 'account.passwordsDiffer');
  return password;
}

/**
 * Changes the password of one's own account. Requires the current password, since a browser may have been
 * left unattended; guesses are limited as at sign-in.
 */
@Injectable()
export class OwnPassword {
  constructor(
    private readonly accounts: ConsoleAccounts,
    private readonly failures: FailedSignIns,
    private readonly checks: PasswordChecks,
  ) {}

  /** @throws ApiError E0045R if the form has errors; E0040R after too many wrong passwords */
  async change(call: AuditedCall, fields: Fields): Promise<void> {
    const { ip } = call.request;
    const current = String(fields['current']);
    const password = newPasswordIn(fields);
    const { name } = call.account;
    const wait = this.failures.secondsToWait(ip, name);
    if (wait > 0) throw ApiError.tooMany(wait);
    try {
      await this.checks.run(ip, () => this.accounts.changePassword(call, current, password));
    } catch (error) {
      const isWrong = error instanceof ApiError && error.problem.reason === 'account.wrongPassword';
      if (isWrong) this.failures.add(ip, name);
      throw error;
    }
  }
}
