import { IsString } from 'class-validator';
import { MayBeText } from '../../platform/validation/decorators.js';

/** The page to which a sign-in redirects. */
export class SignInQuery {
  @MayBeText()
  to?: string | undefined;
}

/** The fields that every form of the sign-in page passes on. */
export class SignInStep extends SignInQuery {
  /** `yes` if the page answered a form that was not processed because it required a sign-in first. */
  @MayBeText()
  undone?: string | undefined;
}

/** The form of the sign-in page. A missing field is treated like a wrong one. */
export class SignInForm extends SignInStep {
  @MayBeText()
  username?: string;

  @MayBeText()
  password?: string;
}

/** The answer of a prompt for a key. */
export class SignInKeyForm extends SignInStep {
  /** The account whose password was correct; absent if the key alone signs in. */
  @MayBeText()
  username?: string;

  /** The ID of the key that was used just before, and beside which this one is used. */
  @MayBeText()
  beside?: string;

  /** The prompt's answer as JSON. */
  @IsString()
  response!: string;
}
