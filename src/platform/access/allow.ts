import {
  Injectable,
  UseGuards,
  UseInterceptors,
  applyDecorators,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { ApiError, Refuses } from '../errors/api-error.js';
import { ApiBasicAuth, ApiBearerAuth } from '../http/openapi/openapi.js';
import { DryRunGuard } from '../http/body/parameters.guard.js';
import { NoJsonFormGuard } from '../http/body/request-body.js';
import { isObject } from '../validation/field-validator.js';
import { callerOf } from './accounts/account.js';
import { CallerGuard } from './caller.guard.js';
import { CrossSiteGuard, isReading, refuseCrossSite } from './cross-site.guard.js';
import { FormTokenGuard } from './form-token.js';
import { WholeListsInterceptor } from './limits/concurrency-limit.js';
import { UnknownNamesInterceptor } from './unknown-names.interceptor.js';
import { ensureMay, rolesAndKeysWith, type Permission } from './permissions.js';

const isTrue = { transform: () => true };

/** The permissions of which the caller of a handler needs one. */
const PermittedBy = Reflector.createDecorator<readonly Permission[]>();

const AdmitsKeys = Reflector.createDecorator<undefined, boolean>(isTrue);

const ForAllTenants = Reflector.createDecorator<undefined, boolean>(isTrue);

const ForWholeTenant = Reflector.createDecorator<undefined, boolean>(isTrue);

/** The permission that a call's parameters, possibly not validated yet, require in addition to `Allow`. */
type NeededPermission = (parameters: Readonly<Record<string, unknown>>) => Permission | undefined;

const ChangePermittedBy = Reflector.createDecorator<NeededPermission>();

/** The permission that the parameters of a call require; `undefined` if the call changes nothing. */
function changePermission(reflector: Reflector, context: ExecutionContext): Permission | undefined {
  const request = context.switchToHttp().getRequest<Request>();
  const needed: NeededPermission | undefined = reflector.get(
    ChangePermittedBy,
    context.getHandler(),
  );
  const sent: unknown = isReading(request) ? request.query : request.body;
  return isObject(sent) ? needed?.(sent) : undefined;
}

/**
 * Admits callers whose role or key includes the permission that `Allow` names, on the handler or else on its
 * controller, and the one of `change` that the parameters require, before these are checked against their DTO.
 * Refuses accounts that are limited to tenants if a call concerns all of them, and keys that are limited to relying
 * parties if it concerns a whole tenant (E0043R).
 */
@Injectable()
@Refuses('E0043R')
export class PermissionGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  /** Who may call a handler, in words for the OpenAPI document. */
  static callersOf(controller: object, handler: object): string {
    const factOf = <Fact>({ KEY }: { readonly KEY: string }) =>
      (Reflect.getMetadata(KEY, handler) ?? Reflect.getMetadata(KEY, controller)) as Fact;
    const { roles, keys } = rolesAndKeysWith(factOf<readonly Permission[]>(PermittedBy));
    const ofKeys = `, and for application keys with the permission ${keys.join(' or ')}`;
    return [
      `For accounts with the role ${roles.join(' or ')}${factOf(AdmitsKeys) ? ofKeys : ''}.`,
      ...(factOf(ForAllTenants) ? ['Accounts that are limited to tenants may not call it.'] : []),
      ...(factOf(ForWholeTenant)
        ? ['Keys that are limited to relying parties may not call it.']
        : []),
    ].join(' ');
  }

  canActivate(context: ExecutionContext): boolean {
    const targets = [context.getHandler(), context.getClass()];
    const account = callerOf(context.switchToHttp().getRequest<Request>());
    if (account.key && !this.reflector.getAllAndOverride(AdmitsKeys, targets)) {
      throw new ApiError('E0043R', 'applicationKey.closed');
    }
    // First, so that a refusal names the permission that the change needs.
    const ofChange = changePermission(this.reflector, context);
    if (ofChange) ensureMay(account, ofChange);
    ensureMay(account, ...this.reflector.getAllAndOverride(PermittedBy, targets));
    if (account.tenants && this.reflector.getAllAndOverride(ForAllTenants, targets)) {
      throw new ApiError('E0043R', 'permission.limitedAccount');
    }
    if (account.key?.relyingParties && this.reflector.getAllAndOverride(ForWholeTenant, targets)) {
      throw new ApiError('E0043R', 'applicationKey.wholeTenant');
    }
    return true;
  }
}

/**
 * For handlers whose parameters, in the query or the body, decide whether a call changes something. If they do,
 * refuses anything that another site could have caused, even with GET (E0043R).
 */
@Injectable()
@Refuses('E0043R')
class ChangeGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    if (changePermission(this.reflector, context) !== undefined) refuseCrossSite(request);
    return true;
  }
}

/** What decides about a caller besides the permission. */
export interface CallerOptions {
  /** Whether application keys may call it, within their permissions. Pages are not open to keys. */
  readonly keys?: true;
  /** Whether it concerns all tenants: accounts that are limited to some may not call it (E0043R). */
  readonly allTenants?: true;
  /** Whether it concerns a whole tenant: keys that are limited to relying parties may not call it (E0043R). */
  readonly wholeTenant?: true;
  /**
   * For a handler that changes something if its parameters say so: the permission that this requires in addition.
   *
   * ```ts
   * change: ({ invoicelog }) => (invoicelog === 'yes' ? 'invoices:issue' : undefined)
   * ```
   */
  readonly change?: NeededPermission;
}

const optionsOf = ({ keys, allTenants, wholeTenant, change }: CallerOptions) => [
  ...(allTenants ? [ForAllTenants()] : []),
  ...(wholeTenant ? [ForWholeTenant()] : []),
  ...(keys ? [AdmitsKeys(), ApiBearerAuth()] : []),
  ...(change ? [ChangePermittedBy(change), UseGuards(ChangeGuard)] : []),
];

/**
 * Lets only callers with a permission call a controller of the console. Requires HTTP Basic, a session or an
 * application key (E0042R); refuses changes that another site could have caused, and forms without our token (E0043R).
 * Place it below other guards: Nest runs the guards of the lowest decorator first.
 */
export const Allow = (permission: Permission, options: CallerOptions = {}) =>
  applyDecorators(
    PermittedBy([permission]),
    UseGuards(CallerGuard, PermissionGuard, CrossSiteGuard, FormTokenGuard),
    UseGuards(NoJsonFormGuard, DryRunGuard),
    UseInterceptors(WholeListsInterceptor, UnknownNamesInterceptor),
    ...optionsOf(options),
    ApiBasicAuth(),
  );

/**
 * For one handler: replaces the permission of its controller's `Allow`. One of several permissions is enough to be
 * admitted; the handler checks the one that a call needs.
 */
export const AllowHere = (
  anyOf: Permission | readonly Permission[] | undefined,
  options: CallerOptions = {},
) => applyDecorators(...(anyOf ? [PermittedBy([anyOf].flat())] : []), ...optionsOf(options));
