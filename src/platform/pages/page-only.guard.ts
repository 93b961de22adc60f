import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

declare module 'express-serve-static-core' {
  interface Request {
    /** Set for pages and forms that have no JSON form. */
    isPageOnly?: boolean;
  }
}

/** Marks the requests of pages without a JSON form: their errors are pages for every caller that prefers HTML. */
@Injectable()
export class PageOnlyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    context.switchToHttp().getRequest<Request>().isPageOnly = true;
    return true;
  }
}
