import { Injectable } from '@nestjs/common';
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { Request } from 'express';
import { mergeMap } from 'rxjs';
import type { Observable } from 'rxjs';
import { Banners } from './banners.js';
import { completePage } from './page.js';
import type { PageView } from './page.view.js';
import { OptionalSignIn } from './optional-sign-in.js';

/** Completes pages, for controllers whose handlers are all pages (`@Render`). */
@Injectable()
export class PageInterceptor implements NestInterceptor<PageView> {
  constructor(
    private readonly banners: Banners,
    private readonly recognition: OptionalSignIn,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler<PageView>): Observable<PageView> {
    const request = context.switchToHttp().getRequest<Request>();
    return next.handle().pipe(
      mergeMap(async (view) => {
        await this.recognition.recognise(request);
        return completePage({ ...view, banner: this.banners.take(request) }, request);
      }),
    );
  }
}
