import { IsIn, IsString } from 'class-validator';
import { problem } from '../../platform/errors/reasons.js';
import { SIGN_IN_RULES } from '../../platform/access/accounts/stored-accounts.js';
import type { SignInRule } from '../../platform/access/accounts/stored-accounts.js';
import { Rule, code } from '../../platform/validation/rule.js';
import { isName } from '../../platform/validation/values/names.js';

const MAX_NAME = 64;

/** Adds a key: the prompt's answer as JSON, and the name that its owner gives it. */
export class AddKeyForm {
  @Rule(
    'isKeyName',
    code('E0045R'),
    (value) => isName(value) && value.length <= MAX_NAME,
    () => problem('form.keyName', { most: MAX_NAME }),
  )
  name!: string;

  @IsString(code('E0045R', problem('form.noKey')))
  response!: string;
}

/** Sets what it takes to sign in. */
export class RuleForm {
  @IsIn(SIGN_IN_RULES, code('E0045R', problem('form.signInRule')))
  rule!: SignInRule;
}
