import { timingSafeEqual } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Provider, type JWK, type KoaContextWithOIDC } from 'oidc-provider';
import { BoundedMap } from '../../platform/common/caching.js';
import { sha256 } from '../../platform/common/sha256.js';
import { isLoopback } from '../../platform/config/base-address.js';
import { serverOptions, type ServerOptions } from '../../platform/config/server-config.js';
import { ApiError } from '../../platform/errors/api-error.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { issuerAddress, originOf } from '../../issuers/issuer-address.js';
import { ProviderAdapters } from '../records/provider-adapter.js';
import { stateOfRequest } from '../records/request-state.js';
import { IssuerKeys } from '../../issuers/issuer-keys.js';
import { OidcUsers } from './oidc-users.js';
import { RESPONSE_MODES } from './client-metadata.js';
import { providerOptions } from './provider-options.js';
import { ProviderPages } from './provider-pages.js';
import { logRefusals } from './refusals.js';

/** The routes (of oidc-provider) whose requests browsers may repeat. */
const REPEATABLE = ['authorization', 'end_session'];

/** Each takes some 40 KiB. */
const MAX_PROVIDERS = 500;

/** A provider, and its function that answers requests. */
interface Issuer {
  readonly provider: Provider;
  readonly answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
}

/** One provider of oidc-provider for each relying party that has clients, made on demand. */
@Injectable()
export class Providers {
  private readonly made = new BoundedMap<Issuer>(MAX_PROVIDERS);

  constructor(
    private readonly adapters: ProviderAdapters,
    private readonly keys: IssuerKeys,
    private readonly users: OidcUsers,
    private readonly pages: ProviderPages,
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
  ) {}

  /** The provider of a relying party with its current keys; `undefined` if it never had a client. */
  async of(rp: RelyingParty): Promise<Issuer | undefined> {
    const keys = (await this.keys.of(rp, 'oidc')).map(({ jwk }) => jwk);
    if (keys.length === 0) return undefined;
    const name = [rp.id.toString('base64url'), ...keys.map(({ kid }) => kid)].join(' ');
    const known = this.made.get(name);
    if (known) return known;
    const provider = this.create(rp, keys as readonly JWK[]);
    const issuer = { provider, answer: provider.callback() };
    this.made.set(name, issuer);
    return issuer;
  }

  private create({ id, tenantId, domain }: RelyingParty, keys: readonly JWK[]): Provider {
    const owner = { id, tenantId };
    const options = providerOptions(domain, {
      findAccount: ({ oidc }, sub) => this.users.find(domain, sub, oidc.client),
      clock: this.adapters.clock,
    });
    const provider = new Provider(issuerAddress(this.options, 'oidc', domain), {
      ...options,
      adapter: (model: string) => this.adapters.of(owner, model),
      jwks: { keys: [...keys] },
      features: {
        ...options.features,
        rpInitiatedLogout: {
          enabled: true,
          logoutSource: (ctx, form) => this.pages.show(domain, ctx, 'signOut', { form }),
          postLogoutSuccessSource: (ctx) => this.pages.show(domain, ctx, 'signedOut'),
        },
      },
      renderError: (ctx, { error: word }) =>
        this.pages.show(domain, ctx, 'error', { word, hasFailed: true }),
    });
    compareHashes(provider);
    logFaults(provider);
    logLeftSteps(provider);
    logRefusals(provider);
    repeatOvertaken(provider);
    letFormsLeadToClients(provider);
    publishResponseModes(provider);
    leaveUnknownPaths(provider);
    // Its addresses come from the headers that `answer` sets, never from those of a caller.
    provider.proxy = true;
    if (isLoopback(new URL(originOf(this.options)).hostname)) keepSecureCookies(provider);
    return provider;
  }

  /**
   * Lets the provider answer a request, whatever its headers say about the host.
   *
   * @throws ApiError E0047R for a path that it does not know
   */
  async answer(issuer: Issuer, request: Request): Promise<void> {
    const { protocol, host } = new URL(originOf(this.options));
    const { headers, res: response } = request;
    if (!response) throw new Error('The request has no response.');
    headers.host = host;
    headers['x-forwarded-proto'] = protocol.slice(0, -1);
    delete headers['x-forwarded-host'];
    await issuer.answer(request, response);
    // The caller may have gone before the answer.
    if (!response.headersSent && !response.destroyed) throw new ApiError('E0047R');
  }
}

/** Clients store only the hash of their secret. */
function compareHashes({ Client }: Provider): void {
  const compareClientSecret = function (this: { clientSecret?: string }, shown: string): boolean {
    const stored = Buffer.from(this.clientSecret ?? '', 'base64url');
    const hash = sha256(shown);
    return stored.length === hash.length && timingSafeEqual(stored, hash);
  };
  Object.assign(Client.prototype, { compareClientSecret });
}

/** Koa would answer a path without a route in its own way: `answer` refuses it. */
function leaveUnknownPaths(provider: Provider): void {
  provider.use(async (ctx, next) => {
    await next();
    if (ctx.status === 404 && ctx.body === undefined) ctx.respond = false;
  });
}

/** Koa would print faults of its own to the console. */
function logFaults(provider: Provider): void {
  provider.on('server_error', (ctx, error) => logFault(ctx.req, error));
  const koa: EventEmitter = provider;
  koa.on('error', (error: Error, ctx: { req?: IncomingMessage }) => logFault(ctx.req, error));
}

/** A step that waits for a record is lost if no record follows, as could happen with another version of oidc-provider. */
function logLeftSteps(provider: Provider): void {
  provider.use(async (ctx, next) => {
    await next();
    const { length } = stateOfRequest(ctx)?.waiting ?? [];
    if (length === 0 || ctx.status >= 400) return;
    logFault(ctx.req, new Error(`Steps of the request are left: ${length}`));
  });
}

function logFault(request: IncomingMessage | undefined, { name, message, stack }: Error): void {
  const { log, requestId } = request as Request;
  log.error({ requestId, name, stack }, message);
}

/**
 * Lets the browser repeat a request that has stored nothing, since another one has changed or ended its session. Each
 * repetition follows a change by another request, and browsers follow some twenty redirects.
 */
function repeatOvertaken(provider: Provider): void {
  provider.use(async (ctx, next) => {
    await next();
    const isRepeatable = REPEATABLE.includes(oidcOf(ctx)?.route ?? '');
    if (!isRepeatable || !stateOfRequest(ctx)?.isOvertaken) return;
    // The browser may have the cookie of the next session already.
    ctx.remove('Set-Cookie');
    ctx.status = 303;
    ctx.redirect(`?${ctx.querystring}`);
  });
}

/**
 * Browsers apply `form-action` to the redirects after a form too. The forms that end a session lead to the client in the
 * end: the provider's question, and its forms that submit themselves.
 */
function letFormsLeadToClients(provider: Provider): void {
  provider.use(async (ctx, next) => {
    await next();
    const oidc = oidcOf(ctx);
    const target = oidc && ctx.type === 'text/html' && addressAfterForm(oidc, ctx.status);
    if (typeof target !== 'string') return;
    const policy = ctx.response.get('Content-Security-Policy');
    const { origin } = new URL(target);
    ctx.set('Content-Security-Policy', policy.replace("form-action 'self'", `$& ${origin}`));
  });
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

/** The provider lists all modes that it has, also those that no client of this server may ask for. */
function publishResponseModes(provider: Provider): void {
  provider.use(async (ctx, next) => {
    await next();
    if (oidcOf(ctx)?.route === 'discovery')
      Object.assign(ctx.body as object, { response_modes_supported: [...RESPONSE_MODES] });
  });
}

/** Browsers keep secure cookies of this machine over plain HTTP, for which Koa would refuse to set them. */
function keepSecureCookies(provider: Provider): void {
  const createContext = provider.createContext.bind(provider);
  provider.createContext = (request: IncomingMessage, response: ServerResponse) => {
    const ctx = createContext(request, response);
    ctx.cookies.secure = true;
    return ctx;
  };
}
