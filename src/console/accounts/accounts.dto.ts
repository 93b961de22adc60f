import { ROLES } from '../../config/accounts-file.js';
import type { Role } from '../../config/accounts-file.js';
import { IsOneOf, IsOneText, MayBeText, Reads } from '../../validation/decorators.js';
import { code, optional } from '../../validation/field.js';
import { IsAccountName, IsNewPassword, IsTenantNames } from './account.rules.js';

/** The role of an account, and its tenants. */
export class ChangeAccountForm {
  @IsOneOf(ROLES, code('E0045R', 'Choose a role.'))
  role!: Role;

  /** Names of tenants, separated by commas or blanks; all tenants if left empty. */
  @Reads((text) => text.split(/[\s,]+/).filter(Boolean))
  @IsTenantNames(optional(code('E0045R', 'Write the short names of tenants, each once.')))
  tenants?: string[];
}

/** A new account. */
export class CreateAccountForm extends ChangeAccountForm {
  @IsAccountName(
    code('E0045R', 'Write a name without a colon and without white space at either end.'),
  )
  name!: string;
}

/** Confirms the removal of an account by its name. */
export class RemoveAccountForm {
  @MayBeText(code('E0045R'))
  confirm?: string;
}

/** Changes the password of one's own account. */
export class ChangePasswordForm {
  @IsOneText(code('E0045R', 'Write your present password.'))
  current!: string;

  @IsNewPassword(code('E0045R', 'Write 12 to 256 characters.'))
  password!: string;

  @IsOneText(code('E0045R', 'Write it once more.'))
  again!: string;
}
