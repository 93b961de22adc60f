import { MayBeText } from '../../validation/decorators.js';
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
