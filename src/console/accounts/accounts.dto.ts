import { ROLES } from '../../config/accounts-file.js';
import type { Role } from '../../config/accounts-file.js';
import { IsOneOf, IsOneText, MayBeText, Reads } from '../../validation/decorators.js';
import { code, optional } from '../../validation/field.js';
import { IsAccountName, IsNewPassword, IsTenantNames } from './account.rules.js';

/** A rule with a sentence for people. */
const said = (message: string) => ({ ...code('E0045R'), message });

/** The role of an account, and its tenants. */
export class ChangeAccountForm {
  @IsOneOf(ROLES, said('Choose a role.'))
  role!: Role;

  /** Names of tenants, separated by commas or blanks; all tenants if left empty. */
  @Reads((text) => text.split(/[\s,]+/).filter(Boolean))
  @IsTenantNames(optional(said('Write the short names of tenants, each once.')))
  tenants?: string[];
}

/** A new account. */
export class CreateAccountForm extends ChangeAccountForm {
  @IsAccountName(said('Write a name without a colon and without white space at either end.'))
  name!: string;
}

/** Confirms the removal of an account by its name. */
export class RemoveAccountForm {
  @MayBeText(code('E0045R'))
  confirm?: string;
}

/** Changes the password of one's own account. */
export class ChangePasswordForm {
  @IsOneText(said('Write your present password.'))
  current!: string;

  @IsNewPassword(said('Write 12 to 256 characters.'))
  password!: string;

  @IsOneText(said('Write it once more.'))
  again!: string;
}
