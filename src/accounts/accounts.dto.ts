import { Expose, Transform } from 'class-transformer';
import { IsBoolean, IsIn, IsString, ValidateIf } from 'class-validator';
import { problem } from '../platform/errors/reasons.js';
import {
  PROVIDER_SUFFIX,
  ROLES,
  RESERVED_NAMES,
  type AccountRole,
} from '../platform/config/files/accounts-file.js';
import { IsOneText, MayBeText, isListOf } from '../platform/validation/decorators.js';
import { code, isPresent, FieldValidator, Fits } from '../platform/validation/field-validator.js';
import { isAccountName, isName } from '../platform/validation/values/names.js';
import { FIRST_SIGN_IN_WAYS, type FirstSignInWay } from './account-setup.js';

/** Reserved names have another meaning in the audit trail. */
const isNewAccountName = (value: unknown): value is string =>
  isAccountName(value) && !RESERVED_NAMES.includes(value) && !value.endsWith(PROVIDER_SUFFIX);

const MAX_TENANTS = 100;

const areTenantNames = (value: unknown): boolean =>
  isListOf(value, isName, { min: 1, max: MAX_TENANTS, unique: true });

/** NIST SP 800-63B requires 8 characters with another factor, 15 without, and no mix of character types. */
const MIN_PASSWORD = 12;
const MAX_PASSWORD = 256;

const IsNewPassword = FieldValidator(
  'isNewPassword',
  (value) =>
    typeof value === 'string' &&
    value.length <= MAX_PASSWORD &&
    [...value].length >= MIN_PASSWORD &&
    !/[\0\r\n]/.test(value),
  (field) => problem('field.password', { field, min: MIN_PASSWORD, max: MAX_PASSWORD }),
);

const MAX_KEY_NAME = 64;

export const IsKeyName = FieldValidator(
  'isKeyName',
  (value) => isName(value) && value.length <= MAX_KEY_NAME,
  () => problem('form.keyName', { most: MAX_KEY_NAME }),
);

function namesIn(value: unknown): unknown[] | undefined {
  const names = [value]
    .flat()
    .flatMap((one) =>
      typeof one === 'string' ? one.split(/[\s,]+/).filter(Boolean) : (one ?? []),
    );
  return names.length === 0 ? undefined : [...new Set(names)];
}

export class AccountsQuery {
  /** The name with which the page begins. */
  @MayBeText()
  from?: string;
}

export class ChangeAccountForm {
  @IsIn(ROLES, code('E0045R', problem('form.role')))
  role!: AccountRole;

  /** Names of the ticked tenants, or separated by commas or blanks; all tenants if there are none. */
  @Expose()
  @Transform(({ value }: { value: unknown }) => namesIn(value))
  @ValidateIf(isPresent)
  @Fits(areTenantNames, () => problem('form.tenantNames'))
  tenants?: string[];

  /** Whether a second factor is required: a tick box. */
  @Expose()
  @Transform(({ value }: { value: unknown }) => value !== undefined)
  @IsBoolean()
  secondFactor?: boolean;
}

const UNKNOWN_START = code('E0045R', problem('form.start'));

export class CreateAccountForm extends ChangeAccountForm {
  @IsIn(FIRST_SIGN_IN_WAYS, UNKNOWN_START)
  start: FirstSignInWay = 'link';

  @Fits(isNewAccountName, () => problem('form.accountName'))
  name!: string;
}

/** Resets the first access of an account. */
export class ResetAccountForm {
  @IsIn(FIRST_SIGN_IN_WAYS, UNKNOWN_START)
  start: FirstSignInWay = 'link';
}

/** Decides whether an account may sign in with `--console-local break-glass`. */
export class BreakGlassForm {
  @IsIn(['on', 'off'])
  breakGlass!: 'on' | 'off';
}

/** Removes an account; its name is typed as confirmation. */
export class RemoveAccountForm {
  @MayBeText()
  confirm?: string;

  /** The tag that the page showed (`tagOf`). */
  @MayBeText()
  version?: string;
}

export class ChangePasswordForm {
  @IsOneText(code('E0045R', problem('form.presentPassword')))
  current!: string;

  @IsNewPassword(code('E0045R', problem('form.password')))
  password!: string;

  @IsOneText(code('E0045R', problem('form.onceMore')))
  again!: string;
}

/** Sets an account up through its link: with a password, or with the prompt's answer for a key and its name. */
export class SetupForm {
  @MayBeText()
  token?: string;

  @ValidateIf(isPresent)
  @IsNewPassword(code('E0045R', problem('form.password')))
  password?: string;

  @MayBeText()
  again?: string;

  @ValidateIf(isPresent)
  @IsKeyName()
  name?: string;

  @ValidateIf(isPresent)
  @IsString(code('E0045R', problem('form.noKey')))
  response?: string;
}
