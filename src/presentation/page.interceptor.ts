import { Injectable } from '@nestjs/common';
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { Request } from 'express';
import { map } from 'rxjs';
import type { Observable } from 'rxjs';
import { completePage } from './page.js';
import type { PageView } from './page.view.js';

/** For controllers whose handlers are pages only (`@Render`). */
@Injectable()
export class PageInterceptor implements NestInterceptor<PageView> {
  intercept(context: ExecutionContext, next: CallHandler<PageView>): Observable<PageView> {
    const request = context.switchToHttp().getRequest<Request>();
    return next.handle().pipe(map((view) => completePage(view, request)));
  }
}
