import { IsText, MayBeText } from '../../validation/decorators.js';
import { code } from '../../validation/field.js';

/** Where a sign-in leads on to. */
export class SignInQuery {
  @MayBeText(code('E0045R'))
  to?: string;
}

/** The form of the sign-in page. What is missing of it is as wrong as what is not right. */
export class SignInForm extends SignInQuery {
  @MayBeText(code('E0045R'))
  username?: string;

  @MayBeText(code('E0045R'))
  password?: string;
}

/** What a prompt for a key answered. */
export class SignInKeyForm extends SignInQuery {
  /** Whose password was right; absent where the key is all. */
  @MayBeText(code('E0045R'))
  username?: string;

  /** JSON. */
  @IsText(code('E0045R'))
  response!: string;
}
