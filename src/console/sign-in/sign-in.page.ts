import type { Request } from 'express';
import type { Problem } from '../../platform/errors/reasons.js';
import type { Banner } from '../../platform/pages/banners.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import { completePage } from '../../platform/pages/page.js';
import type { PageView } from '../../platform/pages/page.view.js';
import { isObject } from '../../platform/validation/rule.js';
import { keepsSessions } from '../sessions/session-cookie.js';

/** A placeholder for this server's origin, to resolve relative addresses. */
const HERE = 'http://here.invalid';
/** Two slashes would begin the name of another server, and browsers take a backslash for a slash. */
const OWN_PATH = /^\/(?![/\\])/;

/**
 * The page of this server to which a sign-in leads on, whatever was asked for. It is read as browsers read
 * addresses: they leave out tabs and line ends, take `\` for `/`, and resolve `/.//other.example` to
 * `//other.example`.
 *
 * @returns path, query and fragment; `/` where `to` is anything else
 */
export function ownPath(to: unknown): string {
  if (typeof to !== 'string' || !OWN_PATH.test(to) || !URL.canParse(to, HERE)) return '/';
  const { origin, pathname, search, hash } = new URL(to, HERE);
  if (origin !== HERE || !OWN_PATH.test(pathname)) return '/';
  return `${pathname}${search}${hash}`;
}

export const SIGN_IN_TEMPLATE = 'sign-in';

/** Contents of the sign-in page besides its form. */
export interface SignInNews {
  /** Why the sign-in that was sent failed. */
  readonly fault?: Problem;
  /** The name that was sent. */
  readonly username?: string | undefined;
  /** The browser had a session, which is over. */
  readonly ended?: boolean;
  /** The page answers a form, which was not done. The following steps of the sign-in carry this on. */
  readonly undone?: boolean;
  /** Says that somebody has just signed out. */
  readonly banner?: Banner | undefined;
  /** Request options for a sign-in by a key alone, as JSON. */
  readonly options?: string | undefined;
  /** Request options for the key that is asked for after the right password, or `beside`, as JSON. */
  readonly second?: string | undefined;
  /** The key beside which another one is asked for. */
  readonly beside?: { readonly id: string; readonly name: string };
}

const isUndone = (form: unknown): boolean => isObject(form) && form['undone'] === 'yes';

/** The sign-in page, which leads on to `to`. */
export function signInPage(request: Request, to: unknown, news: SignInNews = {}): PageView {
  const path = ownPath(to);
  const view = {
    title: phrase('console:signIn.title'),
    texts: 'console',
    styles: ['/static/css/console.css'],
    scripts: ['/static/js/console.js'],
    undone: isUndone(request.body),
    ...news,
    to: path,
    /** Whether the browser would keep a session; if not, it can use HTTP Basic only. */
    keepsSessions: keepsSessions(request),
    basic: `/basic?${new URLSearchParams({ to: path })}`,
  };
  return { ...completePage(view, request), visitor: true, signedIn: undefined } as PageView;
}
