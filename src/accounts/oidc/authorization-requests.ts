import { createHmac, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { sha256 } from '../../platform/common/sha256.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { cookieIn } from '../../platform/http/cookies.js';
import { ANSWER_MS, ConsoleChallenges, challengeIssuedAt } from '../keys/console-challenges.js';
import { COOKIE_OPTIONS, cookieName } from '../sessions/session-cookie.js';
import type { SignInTarget } from '../sign-in/sign-in-completion.js';
import type { RequestBinding } from './identity-provider.js';

const COOKIE = '__Host-servicefido-sso';
const SECRET_BYTES = 32;
/** A longer target would not fit into a cookie. */
const MAX_TARGET = 1500;

/** Where a sign-in at the provider leads, and whether the user must authenticate there for it. */
export interface ProviderTarget extends SignInTarget {
  /** `yes`, whatever session the provider has. */
  readonly again?: string | undefined;
}

/**
 * Binds the provider's answers to the browsers that asked. A cookie has a secret, from which nonce and PKCE verifier
 * are derived, and the target; the state is a challenge for this cookie. Nothing is stored for strangers who begin a
 * sign-in, and every instance can complete it.
 */
@Injectable()
export class AuthorizationRequests {
  constructor(private readonly challenges: ConsoleChallenges) {}

  /** Sets the cookie of a new request. */
  begin(request: Request, target: ProviderTarget): RequestBinding {
    const secret = randomBytes(SECRET_BYTES).toString('base64url');
    const text = textOf(target);
    const kept = text.length > MAX_TARGET ? textOf({ ...target, to: undefined }) : text;
    const cookie = `${secret}.${Buffer.from(kept).toString('base64url')}`;
    const options = { ...COOKIE_OPTIONS, maxAge: ANSWER_MS };
    request.res?.cookie(cookieName(COOKIE, request), cookie, options);
    return bindingFor(cookie, this.challenges.issue('state', cookieHash(cookie)));
  }

  /**
   * Takes the cookie of the request that is answered.
   *
   * @returns no `binding` if the answer belongs to no request of this browser, or to one that has expired; `askedAt` is
   *   when the browser left for the provider, in milliseconds since 1970
   */
  take(request: Request) {
    const cookie = cookieIn(request, cookieName(COOKIE, request)) ?? '';
    request.res?.clearCookie(cookieName(COOKIE, request), COOKIE_OPTIONS);
    const { state } = request.query;
    const isOurs =
      typeof state === 'string' && this.challenges.isGood(state, 'state', cookieHash(cookie));
    const target = targetIn(cookie);
    if (!isOurs) return { target, askedAt: 0, binding: undefined };
    return { target, askedAt: challengeIssuedAt(state), binding: bindingFor(cookie, state) };
  }

  /** Steps that use a request up: a unit with them can be stored only once, on any instance. */
  use({ state }: RequestBinding): Step[] {
    return this.challenges.use(state);
  }
}

const cookieHash = (cookie: string): string => sha256(cookie).toString('base64url');

function bindingFor(cookie: string, state: string): RequestBinding {
  const derived = (use: string) =>
    createHmac('sha256', cookie).update(`${use} ${state}`).digest('base64url');
  return { state, nonce: derived('nonce'), verifier: derived('verifier') };
}

const textOf = ({ to, undone, again }: ProviderTarget): string =>
  new URLSearchParams({
    ...(to !== undefined && { to }),
    ...(undone === 'yes' && { undone }),
    ...(again === 'yes' && { again }),
  }).toString();

function targetIn(cookie: string): ProviderTarget {
  const [, kept = ''] = cookie.split('.');
  const fields = new URLSearchParams(Buffer.from(kept, 'base64url').toString('utf8'));
  const field = (name: string) => fields.get(name) ?? undefined;
  return { to: field('to'), undone: field('undone'), again: field('again') };
}
