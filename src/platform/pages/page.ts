import type { Request } from 'express';
import { randomText } from '../common/random.js';
import { PRODUCT_VERSION } from '../project.js';
import { isVisitor } from '../errors/visitor.js';
import { ANYBODY, accountOf, type Account } from '../access/accounts/account.js';
import { may } from '../access/permissions.js';
import { languageFor } from './languages/current-language.js';
import { plainText } from './languages/languages.js';
import { NAVIGATION, type PageView } from './page.view.js';

const ONCE_BYTES = 16;

/**
 * A page's model with the parts that every page needs: its language, the version, the request ID, the signed-in
 * account, and the token of its forms (`{{> form_token}}`, or `?formToken={{@root.formToken}}` in an upload's address).
 * `{{> once}}` tells this page from others in forms that create a secret once.
 */
export function completePage(view: PageView, request: Request): PageView {
  const account = accountOf(request);
  return {
    ...view,
    ...inLanguage(view, request),
    version: PRODUCT_VERSION,
    requestId: request.requestId,
    account,
    signedIn: signedInOf(account),
    visitor: isVisitor(request),
    formToken: request.formToken,
    once: randomText(ONCE_BYTES),
    hidden: hiddenFrom(account),
  } as PageView;
}

function hiddenFrom(account: Account | undefined): PageView['nav'] {
  const hidden = Object.entries(NAVIGATION).filter(
    ([, permission]) => account && permission && !may(account, permission),
  );
  return Object.fromEntries(hidden.map(([entry]) => [entry, true]));
}

/** A page is in the reader's language if it names the area of its texts; others are English. */
function inLanguage({ texts, title }: PageView, request: Request): Partial<PageView> {
  const language = texts === undefined ? undefined : languageFor(request);
  return {
    ...(language && { language }),
    title: typeof title === 'string' ? title : plainText(language ?? 'en', title),
  };
}

/** The signed-in account, for the header of a page. */
interface SignedIn {
  readonly name: string;
  readonly role: string;
  /** Whether there is a session to sign out of: browsers keep HTTP Basic credentials until they are closed. */
  readonly session: boolean;
}

/** The signed-in account; none with `--auth off`. */
const signedInOf = (account: Account | undefined): SignedIn | undefined =>
  account && account !== ANYBODY
    ? { name: account.name, role: account.role, session: account.session !== undefined }
    : undefined;

/** The data for the header of an error page, which is needed before any page is complete. */
export const errorPageHead = (request: Request): object => ({
  language: languageFor(request),
  signedIn: signedInOf(accountOf(request)),
  formToken: request.formToken,
  hidden: hiddenFrom(accountOf(request)),
});
