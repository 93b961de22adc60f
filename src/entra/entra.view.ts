import type { Request } from 'express';
import { completePage, userFacingFrame } from '../platform/pages/page.view.js';
import { phrase } from '../platform/pages/languages/phrase.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import type { NoSignIn } from './entra-users.js';
import type { PendingSignIn } from './pending-sign-ins.js';

/** What Entra ID gets in place of an ID token (RFC 6749 §4.2.2.1). */
export type EntraError = 'access_denied' | 'invalid_request' | 'temporarily_unavailable';

/** Where an answer goes: by a form of the browser (OAuth 2.0 Form Post Response Mode). */
interface FormTarget {
  readonly redirectUri: string;
  readonly state: string | undefined;
}

/** The form that sends the answer, with the fields that are known already. */
const formOf = ({ redirectUri, state }: FormTarget, error?: EntraError) => ({
  action: redirectUri,
  fields: Object.entries({ error, state }).flatMap(([name, value]) =>
    value === undefined ? [] : [{ name, value }],
  ),
});

/** The page on which a user signs in. */
export const entraSignInView = (rp: RelyingParty, signIn: PendingSignIn) => ({
  ...userFacingFrame(phrase('entra:signIn.title'), rp),
  username: signIn.username,
  answer: formOf(signIn),
  cancel: formOf(signIn, 'access_denied'),
  scripts: ['/static/js/user-facing/entra-sign-in.js'],
});

interface BackPage {
  readonly target: FormTarget;
  readonly error: EntraError;
  /** What the page tells the user, who then goes back; for a fault the browser goes back at once. */
  readonly why: NoSignIn | 'fault';
}

/** The page that leads back to Entra with an error. */
export function backPage(request: Request, rp: RelyingParty, { target, error, why }: BackPage) {
  const isSent = why === 'fault';
  const view = {
    ...userFacingFrame(phrase('entra:back.title'), rp),
    heading: phrase(`entra:back.${why}.heading`, { name: rp.name }),
    text: phrase(`entra:back.${why}.text`),
    form: formOf(target, error),
    isSent,
    hasFailed: true,
    scripts: isSent ? ['/static/js/user-facing/form-post.js'] : [],
  };
  return { template: 'entra-back', model: completePage(view, request) };
}

/**
 * Lets the forms of a page lead to Entra ID. Chromium applies `form-action` to the redirects after a form too: after a
 * sign-in Entra redirects to the user's application, whose address may be any, even one of an installed program. So the
 * sign-in page cannot have this directive; an error ends on a page of Entra.
 *
 * @param origin of the only forms; `undefined` for any
 */
export function allowForms(request: Request, origin: string | undefined): void {
  const policy = String(request.res?.getHeader('Content-Security-Policy'));
  const directive = origin === undefined ? '' : `form-action ${origin};`;
  const changed = policy.replace(/form-action [^;]*;?/, directive);
  request.res?.setHeader('Content-Security-Policy', changed);
}
