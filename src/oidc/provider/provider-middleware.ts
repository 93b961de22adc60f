import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { stateOfRequest } from '../records/request-state.js';
import { RESPONSE_MODES } from './client-metadata.js';
import { answerOutage } from './outages.js';
import { logFault } from './provider-log.js';

type ProviderMiddleware = Parameters<Provider['use']>[0];
type ProviderContext = Parameters<ProviderMiddleware>[0];

/** The routes (of oidc-provider) whose requests browsers may repeat. */
const REPEATABLE = ['authorization', 'end_session'];

/**
 * Run after the provider has made its answer, before Koa sends it. Their order does not matter: only a page with a form
 * can be changed twice, if its request is repeated instead, and the policy of a redirect has no effect.
 */
const AMENDMENTS: readonly ((ctx: ProviderContext) => void)[] = [
  leaveUnknownPaths,
  publishResponseModes,
  letFormsLeadToClients,
  repeatOvertaken,
  logLeftSteps,
];

/** The middleware of all providers. */
export const amendAnswer: ProviderMiddleware = async (ctx, next) => {
  try {
    await next();
  } catch (error) {
    // A session that could not be stored.
    if (!answerOutage(ctx, error)) throw error;
  }
  for (const amend of AMENDMENTS) amend(ctx);
};

/** Koa would answer a path without a route in its own way: `answer` refuses it. */
function leaveUnknownPaths(ctx: ProviderContext): void {
  if (ctx.status === 404 && ctx.body === undefined) ctx.respond = false;
}

/** The provider lists all modes that it has, also those that no client of this server may ask for. */
function publishResponseModes(ctx: ProviderContext): void {
  if (oidcOf(ctx)?.route === 'discovery')
    Object.assign(ctx.body as object, { response_modes_supported: [...RESPONSE_MODES] });
}

/**
 * Browsers apply `form-action` to the redirects after a form too. The forms that end a session lead to the client in the
 * end: the provider's question, and its forms that submit themselves.
 */
function letFormsLeadToClients(ctx: ProviderContext): void {
  const oidc = oidcOf(ctx);
  const target = oidc && ctx.type === 'text/html' && addressAfterForm(oidc, ctx.status);
  if (typeof target !== 'string') return;
  const policy = ctx.response.get('Content-Security-Policy');
  const { origin } = new URL(target);
  ctx.set('Content-Security-Policy', policy.replace("form-action 'self'", `$& ${origin}`));
}

/**
 * Where the form of a page leads: to the client, after the sign-out or after a sign-in as another user, or with the error
 * of a request that asked for a form. A page about a refused address must not allow it.
 */
function addressAfterForm(oidc: KoaContextWithOIDC['oidc'], status: number): unknown {
  if (oidc.route === 'authorization') {
    const address = String(oidc.params?.['redirect_uri']);
    return oidc.client?.redirectUriAllowed(address) ? address : undefined;
  }
  if (status !== 200) return undefined;
  if (oidc.route === 'end_session') return oidc.params?.['post_logout_redirect_uri'];
  if (oidc.route === 'resume') return oidc.entities.Interaction?.params['redirect_uri'];
  return undefined;
}

/** What the provider knows of a request; nothing for an unknown path. The types of `use` leave it out. */
const oidcOf = (ctx: object) => (ctx as Partial<KoaContextWithOIDC>).oidc;

/**
 * Lets the browser repeat a request that has stored nothing, since another one has changed or ended its session. Each
 * repetition follows a change by another request, and browsers follow some twenty redirects.
 */
function repeatOvertaken(ctx: ProviderContext): void {
  const isRepeatable = REPEATABLE.includes(oidcOf(ctx)?.route ?? '');
  if (!isRepeatable || !stateOfRequest(ctx)?.isOvertaken) return;
  // The browser may have the cookie of the next session already.
  ctx.remove('Set-Cookie');
  ctx.status = 303;
  ctx.redirect(`?${ctx.querystring}`);
}

/** A deferred step is lost if its record does not follow, as could happen with another version of oidc-provider. */
function logLeftSteps(ctx: ProviderContext): void {
  const { token = [], session = [] } = stateOfRequest(ctx)?.deferred ?? {};
  const count = token.length + session.length;
  if (count === 0 || ctx.status >= 400) return;
  logFault(ctx.req, new Error(`Steps of the request are left: ${count}`));
}
