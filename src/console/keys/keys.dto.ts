import { SIGN_IN_RULES } from '../../security/stored-accounts.js';
import type { SignInRule } from '../../security/stored-accounts.js';
import { IsOneOf, IsText } from '../../validation/decorators.js';
import { Rule, code } from '../../validation/field.js';
import { isName } from '../../validation/names.js';

const MAX_NAME = 64;

/** Adds a key: the prompt's answer as JSON, and the name that its owner gives it. */
export class AddKeyForm {
  @Rule(
    'isKeyName',
    code('E0045R', `Write a name of 1 to ${MAX_NAME} characters.`),
    (value) => isName(value) && value.length <= MAX_NAME,
    `must be a name of 1 to ${MAX_NAME} characters`,
  )
  name!: string;

  @IsText(code('E0045R', 'The browser sent no key.'))
  response!: string;
}

/** Sets what it takes to sign in. */
export class RuleForm {
  @IsOneOf(SIGN_IN_RULES, code('E0045R', 'Choose how you sign in.'))
  rule!: SignInRule;
}
