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

/** The permission that a call's parameters, possibly not validated yet, require in addition to `Allow`. */
type NeededPermission = (parameters: Readonly<Record<string, unknown>>) => Permission | undefined;

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

/** Who may call a handler, or the handlers of a controller. */
interface Access extends CallerOptions {
  /** The permissions of which the caller needs one. */
  readonly anyOf: readonly Permission[];
}

const AccessBy = Reflector.createDecorator<Partial<Access>>();

type Target = ReturnType<ExecutionContext['getHandler']>;

/** What a handler states, and its controller for the rest. */
const accessOf = (reflector: Reflector, controller: Target, handler: Target) =>
  reflector.getAllAndMerge(AccessBy, [controller, handler]) as Access;

/** The permission that the parameters of a call require; `undefined` if the call changes nothing. */
function changePermission({ change }: CallerOptions, request: Request): Permission | undefined {
  const sent: unknown = isReading(request) ? request.query : request.body;
  return isObject(sent) ? change?.(sent) : undefined;
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
  static callersOf(controller: Target, handler: Target): string {
    const access = accessOf(new Reflector(), controller, handler);
    const { roles, keys } = rolesAndKeysWith(access.anyOf);
    const ofKeys = `, and for application keys with the permission ${keys.join(' or ')}`;
    return [
      `For accounts with the role ${roles.join(' or ')}${access.keys ? ofKeys : ''}.`,
      ...(access.allTenants ? ['Accounts that are limited to tenants may not call it.'] : []),
      ...(access.wholeTenant ? ['Keys that are limited to relying parties may not call it.'] : []),
    ].join(' ');
  }

  canActivate(context: ExecutionContext): boolean {
    const access = accessOf(this.reflector, context.getClass(), context.getHandler());
    const request = context.switchToHttp().getRequest<Request>();
    const account = callerOf(request);
    if (account.key && !access.keys) throw new ApiError('E0043R', 'applicationKey.closed');
    // First, so that a refusal names the permission that the change needs.
    const ofChange = changePermission(access, request);
    if (ofChange) ensureMay(account, ofChange);
    ensureMay(account, ...access.anyOf);
    if (account.tenants && access.allTenants) {
      throw new ApiError('E0043R', 'permission.limitedAccount');
    }
    if (account.key?.relyingParties && access.wholeTenant) {
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
    const access = accessOf(this.reflector, context.getClass(), context.getHandler());
    if (changePermission(access, request) !== undefined) refuseCrossSite(request);
    return true;
  }
}

/** @param access what the controller or handler states */
const deciding = (access: Partial<Access>) => [
  AccessBy(access),
  ...(access.keys ? [ApiBearerAuth()] : []),
  ...(access.change ? [UseGuards(ChangeGuard)] : []),
];

/**
 * Lets only callers with a permission call a controller of the console. Requires HTTP Basic, a session or an
 * application key (E0042R); refuses changes that another site could have caused, and forms without our token (E0043R).
 * Place it below other guards: Nest runs the guards of the lowest decorator first.
 */
export const Allow = (permission: Permission, options: CallerOptions = {}) =>
  applyDecorators(
    UseGuards(CallerGuard, PermissionGuard, CrossSiteGuard, FormTokenGuard),
    UseGuards(NoJsonFormGuard, DryRunGuard),
    UseInterceptors(WholeListsInterceptor, UnknownNamesInterceptor),
    ...deciding({ ...options, anyOf: [permission] }),
    ApiBasicAuth(),
  );

/**
 * For one handler: replaces the permission of its controller's `Allow`. One of several permissions is enough to be
 * admitted; the handler checks the one that a call needs.
 */
export const AllowHere = (
  anyOf: Permission | readonly Permission[] | undefined,
  options: CallerOptions = {},
) => applyDecorators(...deciding({ ...options, ...(anyOf && { anyOf: [anyOf].flat() }) }));
