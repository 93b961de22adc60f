import { Injectable, Redirect, UseInterceptors, applyDecorators } from '@nestjs/common';
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { map } from 'rxjs';
import type { Observable } from 'rxjs';
import type { RedirectWithBanner } from './banner.js';
import { Banners } from './banners.js';

/** Leaves a banner that says what was done, for the page that the handler leads to. */
@Injectable()
class BannerInterceptor implements NestInterceptor<RedirectWithBanner, { url: string }> {
  constructor(private readonly banners: Banners) {}

  intercept(
    context: ExecutionContext,
    next: CallHandler<RedirectWithBanner>,
  ): Observable<{ url: string }> {
    const http = context.switchToHttp();
    return next.handle().pipe(
      map(({ url, banner }) => {
        this.banners.leave(http.getRequest<Request>(), http.getResponse<Response>(), banner);
        return { url };
      }),
    );
  }
}

/** For the handler of a form, which answers `Led`: leads to a page (303) that says once what was done. */
export const LeadsToPage = () =>
  applyDecorators(Redirect('/', 303), UseInterceptors(BannerInterceptor));
