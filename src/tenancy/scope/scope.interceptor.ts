import {
  applyDecorators,
  Controller,
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { map, type Observable } from 'rxjs';
import { fromRequest } from '../../platform/common/from-request.js';
import { isAdministration } from '../../platform/common/paths.js';
import { ApiError, Refuses } from '../../platform/errors/api-error.js';
import { problem, sentenceOf } from '../../platform/errors/reasons.js';
import { ApiHeader } from '../../platform/http/openapi/openapi.js';
import { handlerParameters } from '../../platform/http/openapi/handler-parameters.js';
import { ForAudience, type AUDIENCES } from '../../platform/http/openapi/operation.js';
import { callerOf, type Account } from '../../platform/access/accounts/account.js';
import { Allow } from '../../platform/access/allow.js';
import { AlsoTakes, withWarnings } from '../../platform/access/unknown-names.interceptor.js';
import { readerOf } from '../../platform/access/limits/current-reader.js';
import type { Permission } from '../../platform/access/permissions.js';
import type { Reader } from '../../platform/common/turns/read-turns.js';
import { isObject } from '../../platform/validation/field-validator.js';
import { fieldsOf } from '../../platform/validation/flat-checks.js';
import type { RelyingParty } from '../relying-party.js';
import {
  RP_HEADER,
  RelyingPartyFinder,
  namesDomain,
  relyingPartyHeader,
} from './relying-party-finder.js';

declare module 'express-serve-static-core' {
  interface Request {
    /** The relying parties of an administration call; set by the scope interceptor. */
    parties?: CallParties;
    /** The relying party of the header in an administration call; set by the scope interceptor. */
    headerRp?: RelyingParty;
  }
}

/** The caller of an administration call, and its relying parties, sorted by domain. */
export class CallParties {
  private found: readonly RelyingParty[] | undefined;

  /**
   * @param reader the account, for reads that take turns
   * @param header the value of X-ServiceFido-RelyingParty
   */
  constructor(
    readonly account: Account,
    readonly reader: Reader,
    private readonly finder: RelyingPartyFinder,
    private readonly header: string | undefined,
  ) {}

  /**
   * The relying parties as they were when the call first asked. A call whose parameter names one never asks: it must not
   * fail because the account may not see the relying party of `--domain`.
   *
   * @throws ApiError as `RelyingPartyFinder.listVisible`
   */
  get relyingParties(): readonly RelyingParty[] {
    return (this.found ??= this.now());
  }

  /** The relying parties as they are now. */
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

/** What the header X-ServiceFido-RelyingParty picks in the calls of a controller. */
const PICKS = {
  relyingParty:
    'domain of the relying party; by default the one of --domain, else all relying parties',
  tenant: 'domain of a relying party, whose tenant the call concerns; by default all tenants',
  nothing: 'domain of a relying party, which must exist; the call concerns all tenants',
} as const;

const Picks = Reflector.createDecorator<keyof typeof PICKS>();

const CODES = ['E0025R', 'E0026R', 'E0043R'] as const;

/**
 * Resolves the header X-ServiceFido-RelyingParty of every administration call. Where the controller is `Scoped`, finds
 * the relying parties of the call: the one of the header, else of `--domain`, else all that the account may see; or
 * limits the account to the tenant of the header's relying party. `Origin` is ignored, because it names the
 * administration page.
 */
@Injectable()
export class ScopeInterceptor implements NestInterceptor {
  constructor(
    private readonly relyingParties: RelyingPartyFinder,
    private readonly reflector: Reflector,
  ) {}

  /** @throws ApiError as `RelyingPartyFinder.listVisible`; E0045R as `checkNames` */
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request>();
    if (!isAdministration(request.path)) return next.handle();
    const account = callerOf(request);
    const header = relyingPartyHeader(request);
    if (header !== undefined) {
      request.headerRp = this.relyingParties.findVisible(account, header);
    }
    const picks = this.reflector.get(Picks, context.getClass()) ?? 'nothing';
    const warnings = picks === 'nothing' ? [] : checkNames(context, picks);
    if (picks === 'relyingParty') {
      request.parties = new CallParties(account, readerOf(request), this.relyingParties, header);
    }
    // OUT OF SPEC: `--domain` and the host pick no tenant, since finance and auditors ask about all tenants.
    if (picks === 'tenant' && request.headerRp) {
      request.user = { ...account, tenants: [request.headerRp.tenant] } satisfies Account;
    }
    if (warnings.length === 0) return next.handle();
    return next.handle().pipe(map((answer: unknown) => withWarnings(answer, warnings)));
  }
}

/** Parameters that name what the header names, with whether a value agrees with it. */
const NAMES = {
  tenant: (value: unknown, { tenant }: RelyingParty) => value === tenant,
  relyingParty: (value: unknown, { domain }: RelyingParty) => namesDomain(value, domain),
};

/**
 * Compares names of tenants and relying parties in the parameters with the header. Refuses those that the call would
 * ignore: those that its parameters lack, and, where the header picks the tenant, those that contradict it.
 *
 * @returns a warning if a parameter counts in place of the header
 * @throws ApiError E0045R
 */
function checkNames(context: ExecutionContext, picks: 'relyingParty' | 'tenant'): string[] {
  const warnings: string[] = [];
  const { query, body, headerRp } = context.switchToHttp().getRequest<Request>();
  for (const sent of [query, body as unknown].filter(isObject)) {
    for (const [field, agrees] of Object.entries(NAMES)) {
      const value = sent[field] ?? '';
      if (value === '' || (headerRp && agrees(value, headerRp))) continue;
      if (headerRp && picks === 'tenant') throw wrongName('relyingParty.contradicted', field);
      if (!takesField(context, field)) {
        throw wrongName(headerRp ? 'relyingParty.contradicted' : 'parameters.noFilter', field);
      }
      if (headerRp) warnings.push(headerIgnored(field));
    }
  }
  return warnings;
}

const headerIgnored = (field: string) =>
  sentenceOf(problem('relyingParty.headerIgnored', { header: RP_HEADER, field }));

const wrongName = (reason: 'relyingParty.contradicted' | 'parameters.noFilter', field: string) =>
  new ApiError('E0045R', reason, { header: RP_HEADER, field });

/** Whether one of the DTOs that the handler takes has the field. */
function takesField(context: ExecutionContext, field: string): boolean {
  const { prototype } = context.getClass<object>();
  return handlerParameters(prototype, context.getHandler().name).some(
    ({ dto }) => dto && fieldsOf(dto).has(field),
  );
}

/**
 * Decorates an administration controller below `/userapi` or `/users`.
 *
 * @param picks what the header X-ServiceFido-RelyingParty picks: see `PICKS`
 */
export const Scoped = (picks: keyof typeof PICKS = 'relyingParty') =>
  applyDecorators(
    Picks(picks),
    AlsoTakes(picks === 'nothing' ? [] : Object.keys(NAMES)),
    Refuses(...CODES, ...(picks === 'nothing' ? [] : (['E0045R'] as const))),
    ApiHeader({ name: RP_HEADER, required: false, description: PICKS[picks] }),
  );

/** The relying party of the header, for calls whose controller is `Scoped`. */
export const HeaderRp = fromRequest(({ headerRp }) => headerRp);

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
    Allow(permission, { keys: true }),
    Scoped(),
    ForAudience(audience, parameters),
  );

/** The caller and the relying parties of the call; requires `Scoped`. */
export const CurrentParties = fromRequest(({ parties }): CallParties => {
  if (parties === undefined) throw new Error('no scope interceptor runs before this call');
  return parties;
});
