import { Injectable, Logger } from '@nestjs/common';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { isVisitor } from '../errors/visitor.js';
import { ANYBODY, accountOf } from './account.js';
import { BasicAuthGuard } from './basic-auth.guard.js';
import { CallerGuard } from './caller.guard.js';
import { FormTokens } from './form-token.js';

/**
 * For a page that asks nobody, and tells more to whoever is signed in: finds out who calls, and lets everybody
 * in. Whoever shows something that does not count sees what a stranger sees, as does everybody while the
 * database is away; guesses count as they do elsewhere.
 */
@Injectable()
export class OptionalCallerGuard implements CanActivate {
  constructor(
    private readonly caller: CallerGuard,
    private readonly basic: BasicAuthGuard,
    private readonly tokens: FormTokens,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    if (isVisitor(request) && this.basic.asks) return true;
    try {
      await this.caller.canActivate(context);
      request.formToken = this.tokens.issue(accountOf(request) ?? ANYBODY);
    } catch (error) {
      // A wrong password is told as where one is asked for: from where, and never the name.
      const { cause } = error as Error;
      if (cause instanceof Error) Logger.warn(cause.message, 'Security');
    }
    return true;
  }
}
