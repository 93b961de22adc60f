import { Injectable, Render, UseInterceptors, applyDecorators } from '@nestjs/common';
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { Request } from 'express';
import { mergeMap } from 'rxjs';
import type { Observable } from 'rxjs';
import { Banners } from './banners.js';
import { completePage } from './page.js';
import type { PageView } from './page.view.js';
import { OptionalSignIn } from './optional-sign-in.js';

/** Completes the view that a handler returns. */
@Injectable()
class PageInterceptor implements NestInterceptor<PageView> {
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

/** For a handler that answers with a page: the template renders the view that it returns. */
export const Page = (template: string) =>
  applyDecorators(UseInterceptors(PageInterceptor), Render(template));
