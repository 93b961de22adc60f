import type { Request } from 'express';
import type { Problem } from '../../platform/errors/reasons.js';
import type { Banner } from '../../platform/pages/banners.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import { completePage, type PageView } from '../../platform/pages/page.view.js';
import { isObject } from '../../platform/validation/field-validator.js';
import { keepsSessions } from '../sessions/session-cookie.js';

/** A placeholder for this server's origin, to resolve relative addresses. */
const HERE = 'http://here.invalid';
/** Two slashes would begin the name of another server, and browsers treat a backslash as a slash. */
const OWN_PATH = /^\/(?![/\\])/;

/**
 * Returns the page of this server to which a sign-in redirects, for any requested address. Reads it as
 * browsers do: they omit tabs and line ends, treat `\` as `/`, and resolve `/.//other.example` to
 * `//other.example`.
 *
 * @returns path, query and fragment; `/` if `to` is anything else
 */
export function ownPath(to: unknown): string {
  if (typeof to !== 'string' || !OWN_PATH.test(to) || !URL.canParse(to, HERE)) return '/';
  const { origin, pathname, search, hash } = new URL(to, HERE);
  if (origin !== HERE || !OWN_PATH.test(pathname)) return '/';
  return `${pathname}${search}${hash}`;
}

export const SIGN_IN_TEMPLATE = 'sign-in';

/** An OpenID provider, and the page that leads to it. */
export interface SignInProvider {
  readonly name: string;
  readonly page: string;
}

/** The contents of the sign-in page besides its form. */
export interface SignInNews {
  readonly fault?: Problem;
  readonly username?: string | undefined;
  /** Whether the browser had a session, which has ended. */
  readonly ended?: boolean;
  /** Whether the page answers a form that was not processed. The next steps of the sign-in pass this on. */
  readonly undone?: boolean;
  /** Reports that the account has just signed out. */
  readonly banner?: Banner | undefined;
  /** Request options for a sign-in by a key alone, as JSON. */
  readonly options?: string | undefined;
  /** Request options for the key that is required after the correct password, or `beside`, as JSON. */
  readonly second?: string | undefined;
  /** The sign-in at the OpenID provider that this key completes. */
  readonly pending?: string | undefined;
  /** Whether the account must prove itself again, although it has a session. */
  readonly isStale?: boolean;
  readonly provider?: SignInProvider | undefined;
  /** The key beside which another one is required. */
  readonly beside?: { readonly id: string; readonly name: string };
}

const isUndone = (form: unknown): boolean => isObject(form) && form['undone'] === 'yes';

/** The sign-in page, which redirects to `to`. */
export function signInPage(request: Request, to: unknown, news: SignInNews = {}): PageView {
  const path = ownPath(to);
  const undone = news.undone ?? isUndone(request.body);
  const view = {
    title: phrase('console:signIn.title'),
    texts: 'console',
    styles: ['/static/css/console.css'],
    scripts: ['/static/js/console.js'],
    ...news,
    undone,
    to: path,
    provider: news.provider && {
      name: news.provider.name,
      address: `${news.provider.page}?${new URLSearchParams({
        to: path,
        ...(undone && { undone: 'yes' }),
        ...(news.isStale && { again: 'yes' }),
      })}`,
    },
    /** Whether the browser would keep a session; if not, it can use HTTP Basic only. */
    keepsSessions: keepsSessions(request),
    basic: `/basic?${new URLSearchParams({ to: path })}`,
  };
  const stranger = { visitor: true, signedIn: undefined, maySearch: false };
  return { ...completePage(view, request), ...stranger } as PageView;
}

export const refusalPage = (request: Request, to: unknown, news: SignInNews) => ({
  template: SIGN_IN_TEMPLATE,
  model: signInPage(request, to, news),
});
