import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Provider, type JWK } from 'oidc-provider';
import { BoundedMap } from '../../platform/common/caching.js';
import { sha256 } from '../../platform/common/sha256.js';
import { isLoopback } from '../../platform/config/base-address.js';
import { serverOptions, type ServerOptions } from '../../platform/config/server-config.js';
import { ApiError } from '../../platform/errors/api-error.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { issuerAddress, originOf } from '../../issuers/issuer-address.js';
import { ProviderAdapters } from '../records/provider-adapter.js';
import { IssuerKeys } from '../../issuers/issuer-keys.js';
import { OidcUsers } from './oidc-users.js';
import { amendAnswer } from './provider-middleware.js';
import { providerOptions } from './provider-options.js';
import { pageError } from './outages.js';
import { ProviderPages } from './provider-pages.js';
import { logFaults, logRefusals } from './provider-log.js';

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
      renderError: (ctx, { error }, fault) =>
        this.pages.show(domain, ctx, 'error', { word: pageError(error, fault), hasFailed: true }),
    });
    provider.use(amendAnswer);
    compareHashes(provider);
    logFaults(provider);
    logRefusals(provider);
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

/** Browsers keep secure cookies of this machine over plain HTTP, for which Koa would refuse to set them. */
function keepSecureCookies(provider: Provider): void {
  const createContext = provider.createContext.bind(provider);
  provider.createContext = (request: IncomingMessage, response: ServerResponse) => {
    const ctx = createContext(request, response);
    ctx.cookies.secure = true;
    return ctx;
  };
}
