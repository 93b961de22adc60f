import { Expose, Transform } from 'class-transformer';
import { IsIn, ValidateIf } from 'class-validator';
import { problem } from '../../platform/errors/reasons.js';
import { ROLES, RESERVED_NAMES } from '../../platform/config/files/accounts-file.js';
import type { AccountRole } from '../../platform/config/files/accounts-file.js';
import { IsOneText, MayBeText, isListOf } from '../../platform/validation/decorators.js';
import { code, isPresent, Rule } from '../../platform/validation/rule.js';
import { isName } from '../../platform/validation/values/names.js';

/** RFC 7617 §2: a user-id has no colon. Reserved names mean somebody else in the audit trail. */
const isAccountName = (value: unknown): value is string =>
  isName(value) && !value.includes(':') && !RESERVED_NAMES.includes(value);

const IsAccountName = Rule('isAccountName', isAccountName, (field) =>
  problem('field.accountName', { field }),
);

const MAX_TENANTS = 100;

const IsTenantNames = Rule(
  'isTenantNames',
  (value) => isListOf(value, MAX_TENANTS, isName),
  (field) => problem('field.tenantNames', { field, most: MAX_TENANTS }),
);

/** NIST SP 800-63B asks for 8 characters beside another factor, for 15 without, and for no mix of kinds. */
const MIN_PASSWORD = 12;
const MAX_PASSWORD = 256;

const IsNewPassword = Rule(
  'isNewPassword',
  (value) =>
    typeof value === 'string' &&
    value.length <= MAX_PASSWORD &&
    [...value].length >= MIN_PASSWORD &&
    !/[\0\r\n]/.test(value),
  (field) => problem('field.password', { field, min: MIN_PASSWORD, max: MAX_PASSWORD }),
);

function namesIn(value: unknown): unknown[] | undefined {
  const names = [value]
    .flat()
    .flatMap((one) =>
      typeof one === 'string' ? one.split(/[\s,]+/).filter(Boolean) : (one ?? []),
    );
  return names.length === 0 ? undefined : [...new Set(names)];
}

/** The role of an account, and its tenants. */
export class ChangeAccountForm {
  @IsIn(ROLES, code('E0045R', problem('form.role')))
  role!: AccountRole;

  /** Names of the tenants that were ticked, or separated by commas or blanks; all tenants if there are none. */
  @Expose()
  @Transform(({ value }: { value: unknown }) => namesIn(value))
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
