import {
  applyDecorators,
  Controller,
  Inject,
  Injectable,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import type { Request } from 'express';
import type { Observable } from 'rxjs';
import { fromRequest } from '../../platform/common/from-request.js';
import { serverOptions } from '../../platform/config/server-config.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { Refuses } from '../../platform/errors/refusals.js';
import { ApiHeader } from '../../platform/http/openapi/openapi.js';
import { ForReader, type READERS } from '../../platform/http/openapi/operation.js';
import { accountOf, ANYBODY, type Account } from '../../platform/access/accounts/account.js';
import { Allow, OpenToKeys } from '../../platform/access/allow.js';
import { readerOf } from '../../platform/access/limits/reader.js';
import type { Permission } from '../../platform/access/permissions.js';
import type { Reader } from '../../platform/common/turns.js';
import type { RelyingParty } from '../relying-party.js';
import { RP_HEADER } from './tenant.interceptor.js';
import { TenantDirectory } from './tenant-directory.js';
import { resolveVisible, visibleTo } from './visible-tenants.js';

declare module 'express-serve-static-core' {
  interface Request {
    /** The relying parties of an administration call; set by the scope interceptor. */
    scope?: AdminScope;
  }
}

const HEADER = 'X-ServiceFido-RelyingParty';

/** The caller of an administration call, and its relying parties, sorted by domain. */
export class AdminScope {
  readonly relyingParties: readonly RelyingParty[];

  /**
   * @param reader the account, for reads that take turns
   * @param now finds the relying parties in the current directory
   */
  constructor(
    readonly account: Account,
    readonly reader: Reader,
    readonly now: () => readonly RelyingParty[],
    private readonly listDomains: boolean,
  ) {
    this.relyingParties = now();
  }

  /**
   * Returns the only relying party, for a call that changes something.
   *
   * @throws ApiError E0025R if none is named and the account may see several, or none
   */
  one(): RelyingParty {
    const [first, second] = this.relyingParties;
    if (first && !second) return first;
    const domains = this.relyingParties.map(({ domain }) => domain);
    const body = this.listDomains ? { domains } : {};
    throw new ApiError('E0025R', 'relyingParty.needed', { header: HEADER }, { body });
  }
}

/**
 * Finds the relying parties of an administration call: the one of the header X-ServiceFido-RelyingParty, else of
 * `--domain`, else all that the account may see. `Origin` is ignored, because it names the administration page.
 */
@Injectable()
@Refuses('E0025R', 'E0026R', 'E0043R')
class ScopeInterceptor implements NestInterceptor {
  constructor(
    private readonly directory: TenantDirectory,
    @Inject(serverOptions.KEY) private readonly options: ConfigType<typeof serverOptions>,
  ) {}

  /** @throws ApiError as `resolveVisible` */
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request>();
    const account = accountOf(request) ?? ANYBODY;
    const now = () => this.relyingPartiesFor(account, request);
    request.scope = new AdminScope(account, readerOf(request), now, this.options.listDomains);
    return next.handle();
  }

  private relyingPartiesFor(account: Account, { headers }: Request): readonly RelyingParty[] {
    const directory = this.directory.current;
    const header = headers[RP_HEADER]?.toString();
    const { domain, listDomains } = this.options;
    if (header === undefined && domain === undefined) {
      return visibleTo(account, directory).relyingParties;
    }
    const hints = { header, domain, origin: undefined };
    return [resolveVisible(account, hints, { directory, listDomains })];
  }
}

/** Decorates an administration controller whose calls concern relying parties. */
export const Scoped = () =>
  applyDecorators(
    UseInterceptors(ScopeInterceptor),
    ApiHeader({
      name: HEADER,
      required: false,
      description:
        'domain of the relying party; by default the one of --domain, else all relying parties',
    }),
  );

/** The readers of a controller's documentation, its permission, and descriptions of its path parameters. */
interface ScopedCalls {
  readonly reader: keyof typeof READERS;
  readonly permission: Permission;
  readonly parameters?: Parameters<typeof ForReader>[1];
}

/** Declares a controller with `Scoped` calls that accounts and application keys with a permission may make. */
export const ScopedController = (path: string, { reader, permission, parameters }: ScopedCalls) =>
  applyDecorators(
    Controller(path),
    OpenToKeys(),
    Allow(permission),
    Scoped(),
    ForReader(reader, parameters),
  );

/** The scope of the call; requires `Scoped`. */
export const CurrentScope = fromRequest(({ scope }): AdminScope => {
  if (scope === undefined) throw new Error('no scope interceptor runs before this call');
  return scope;
});

/** Finds the relying party of calls that may also name it in a parameter. */
@Injectable()
export class NamedRelyingParty {
  constructor(
    private readonly directory: TenantDirectory,
    @Inject(serverOptions.KEY) private readonly options: ConfigType<typeof serverOptions>,
  ) {}

  /**
   * Finds the relying party of a domain; without a domain, by the header, `--domain`, or the only one.
   *
   * @throws ApiError as `resolveVisible` and `AdminScope.one`
   */
  find(domain: string | undefined, scope: AdminScope): RelyingParty {
    if (domain === undefined) return scope.one();
    const hints = { header: domain, domain: undefined, origin: undefined };
    const { listDomains } = this.options;
    const directory = this.directory.current;
    return resolveVisible(scope.account, hints, { directory, listDomains });
  }
}
