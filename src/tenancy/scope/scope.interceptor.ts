import {
  applyDecorators,
  Controller,
  Injectable,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request } from 'express';
import type { Observable } from 'rxjs';
import { fromRequest } from '../../platform/common/from-request.js';
import { Refuses } from '../../platform/errors/api-error.js';
import { ApiHeader } from '../../platform/http/openapi/openapi.js';
import { ForAudience, type AUDIENCES } from '../../platform/http/openapi/operation.js';
import { callerOf, type Account } from '../../platform/access/accounts/account.js';
import { Allow, OpenToKeys } from '../../platform/access/allow.js';
import { readerOf } from '../../platform/access/limits/reader.js';
import type { Permission } from '../../platform/access/permissions.js';
import type { Reader } from '../../platform/common/turns.js';
import type { RelyingParty } from '../relying-party.js';
import { RP_HEADER, RelyingPartyFinder, relyingPartyHeader } from './relying-party-finder.js';

declare module 'express-serve-static-core' {
  interface Request {
    /** The relying parties of an administration call; set by the scope interceptor. */
    scope?: AdminScope;
  }
}

/** The caller of an administration call, and its relying parties, sorted by domain. */
export class AdminScope {
  readonly relyingParties: readonly RelyingParty[];

  /**
   * @param reader the account, for reads that take turns
   * @param header the value of X-ServiceFido-RelyingParty
   */
  constructor(
    readonly account: Account,
    readonly reader: Reader,
    private readonly finder: RelyingPartyFinder,
    private readonly header: string | undefined,
  ) {
    this.relyingParties = this.now();
  }

  /** The relying parties in the current directory. */
  now(): readonly RelyingParty[] {
    return this.finder.listVisible(this.account, this.header);
  }

  /**
   * Returns the only relying party, for a call that changes something.
   *
   * @throws ApiError E0025R if none is named and the account may see several, or none
   */
  one(): RelyingParty {
    return this.finder.only(this.relyingParties);
  }

  /**
   * Finds the relying party that a parameter names; without a name, the only one.
   *
   * @throws ApiError as `one` and `RelyingPartyFinder.findVisible`
   */
  named(domain: string | undefined): RelyingParty {
    return domain === undefined ? this.one() : this.finder.findVisible(this.account, domain);
  }
}

/**
 * Finds the relying parties of an administration call: the one of the header X-ServiceFido-RelyingParty, else of
 * `--domain`, else all that the account may see. `Origin` is ignored, because it names the administration page.
 */
@Injectable()
@Refuses('E0025R', 'E0026R', 'E0043R')
class ScopeInterceptor implements NestInterceptor {
  constructor(private readonly relyingParties: RelyingPartyFinder) {}

  /** @throws ApiError as `RelyingPartyFinder.listVisible` */
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request>();
    const account = callerOf(request);
    const header = relyingPartyHeader(request);
    request.scope = new AdminScope(account, readerOf(request), this.relyingParties, header);
    return next.handle();
  }
}

/** Decorates an administration controller whose calls concern relying parties. */
export const Scoped = () =>
  applyDecorators(
    UseInterceptors(ScopeInterceptor),
    ApiHeader({
      name: RP_HEADER,
      required: false,
      description:
        'domain of the relying party; by default the one of --domain, else all relying parties',
    }),
  );

/** The audience of a controller's documentation, its permission, and descriptions of its path parameters. */
interface ScopedCalls {
  readonly audience: keyof typeof AUDIENCES;
  readonly permission: Permission;
  readonly parameters?: Parameters<typeof ForAudience>[1];
}

/** Declares a controller with `Scoped` calls that accounts and application keys with a permission may make. */
export const ScopedController = (path: string, { audience, permission, parameters }: ScopedCalls) =>
  applyDecorators(
    Controller(path),
    OpenToKeys(),
    Allow(permission),
    Scoped(),
    ForAudience(audience, parameters),
  );

/** The scope of the call; requires `Scoped`. */
export const CurrentScope = fromRequest(({ scope }): AdminScope => {
  if (scope === undefined) throw new Error('no scope interceptor runs before this call');
  return scope;
});
