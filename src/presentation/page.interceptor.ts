import { Injectable } from '@nestjs/common';
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { Request } from 'express';
import { map } from 'rxjs';
import type { Observable } from 'rxjs';
import { Banners } from './banners.js';
import { completePage } from './page.js';
import type { PageView } from './page.view.js';

/** For controllers whose handlers are pages only (`@Render`). */
@Injectable()
export class PageInterceptor implements NestInterceptor<PageView> {
  constructor(private readonly banners: Banners) {}

  intercept(context: ExecutionContext, next: CallHandler<PageView>): Observable<PageView> {
    const request = context.switchToHttp().getRequest<Request>();
    return next
      .handle()
      .pipe(map((view) => completePage({ ...view, banner: this.banners.take(request) }, request)));
  }
}
