import { Injectable, SetMetadata, UseGuards, applyDecorators } from '@nestjs/common';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { ApiError } from '../errors/api-error.js';
import { ApiBasicAuth } from '../http/openapi.js';
import { ANYBODY, accountOf } from './account.js';
import type { Role } from './account.js';
import { BasicAuthGuard } from './basic-auth.guard.js';
import { CrossSiteGuard } from './cross-site.guard.js';
import { FormTokenGuard } from './form-token.js';

const ALLOWED_ROLES = 'servicefido:roles';
const ALL_TENANTS = 'servicefido:all-tenants';

/**
 * Lets the roles in that `Allow` names, on the handler or else on its controller, and accounts that
 * are limited to tenants where nothing concerns all of them (E0043R).
 */
@Injectable()
export class RoleGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const targets = [context.getHandler(), context.getClass()];
    const roles = this.reflector.getAllAndOverride<readonly Role[]>(ALLOWED_ROLES, targets);
    const account = accountOf(context.switchToHttp().getRequest<Request>()) ?? ANYBODY;
    const { role, tenants } = account;
    if (role !== 'admin' && !roles.includes(role)) {
      throw new ApiError('E0043R', `The role "${role}" may not do this.`);
    }
    if (tenants && this.reflector.getAllAndOverride<boolean>(ALL_TENANTS, targets)) {
      throw new ApiError('E0043R', 'An account that is limited to tenants may not do this.');
    }
    return true;
  }
}

/**
 * Who may call a controller of the administration: administrators and the roles named. Asks for
 * HTTP Basic (E0042R), refuses changes that another site could have caused (E0043R) and forms without
 * our page's token (E0043R). Stands below other guards: Nest runs those of the lowest decorator first.
 */
export const Allow = (...roles: Role[]) =>
  applyDecorators(
    SetMetadata(ALLOWED_ROLES, roles),
    UseGuards(BasicAuthGuard, RoleGuard, CrossSiteGuard, FormTokenGuard),
    ApiBasicAuth(),
  );

/** Narrows or widens, for one handler, the roles that its controller's `Allow` names. */
export const AllowHere = (...roles: Role[]) => SetMetadata(ALLOWED_ROLES, roles);

/** For what concerns all tenants: accounts that are limited to some may not do it (E0043R). */
export const AllTenants = () => SetMetadata(ALL_TENANTS, true);
