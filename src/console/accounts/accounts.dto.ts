import { IsIn, ValidateIf } from 'class-validator';
import { problem } from '../../platform/errors/reasons.js';
import { ROLES } from '../../platform/config/files/accounts-file.js';
import type { AccountRole } from '../../platform/config/files/accounts-file.js';
import { IsOneText, MayBeText, Reads } from '../../platform/validation/decorators.js';
import { code, isPresent } from '../../platform/validation/rule.js';
import { IsAccountName, IsNewPassword, IsTenantNames } from './account.rules.js';

/** The role of an account, and its tenants. */
export class ChangeAccountForm {
  @IsIn(ROLES, code('E0045R', problem('form.role')))
  role!: AccountRole;

  /** Names of tenants, separated by commas or blanks; all tenants if left empty. */
  @Reads((text) => text.split(/[\s,]+/).filter(Boolean))
  @ValidateIf(isPresent)
  @IsTenantNames(code('E0045R', problem('form.tenantNames')))
  tenants?: string[];
}

/** A new account. */
export class CreateAccountForm extends ChangeAccountForm {
  @IsAccountName(code('E0045R', problem('form.accountName')))
  name!: string;
}

/** Confirms the removal of an account by its name. */
export class RemoveAccountForm {
  @MayBeText(code('E0045R'))
  confirm?: string;
}

/** Changes the password of one's own account. */
export class ChangePasswordForm {
  @IsOneText(code('E0045R', problem('form.presentPassword')))
  current!: string;

  @IsNewPassword(code('E0045R', problem('form.password')))
  password!: string;

  @IsOneText(code('E0045R', problem('form.onceMore')))
  again!: string;
}
