import { Injectable } from '@nestjs/common';
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { Request } from 'express';
import { map } from 'rxjs';
import type { Observable } from 'rxjs';
import { VERSION } from '../config/project.js';
import type { PageView } from './page.view.js';

/** Adds to each page's model what the footer shows: the version and the request's ID. */
@Injectable()
export class PageInterceptor implements NestInterceptor<PageView> {
  intercept(context: ExecutionContext, next: CallHandler<PageView>): Observable<PageView> {
    const { requestId } = context.switchToHttp().getRequest<Request>();
    return next.handle().pipe(map((view) => ({ ...view, version: VERSION, requestId })));
  }
}
