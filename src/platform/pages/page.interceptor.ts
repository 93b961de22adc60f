import {
  Controller,
  Injectable,
  Render,
  UseGuards,
  UseInterceptors,
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
  Global,
  Module,
} from '@nestjs/common';
import type { Request } from 'express';
import { mergeMap, type Observable } from 'rxjs';
import { accountOf } from '../access/accounts/account.js';
import { Allow } from '../access/allow.js';
import { BrowserSessions } from '../access/caller.guard.js';
import { FormTokens } from '../access/form-token.js';
import type { Permission } from '../access/permissions.js';
import { Banners } from './banners.js';
import { SearchFinders } from './search-finders.js';
import { MenuCounts } from './menu-counts.js';
import { PageOnlyGuard } from './page-only.guard.js';
import { completePage, errorPageHead, type PageView } from './page.view.js';

/** Completes pages with the banner of the previous form, and with the account of a browser that has a session. */
@Injectable()
export class PageCompletion {
  constructor(
    private readonly banners: Banners,
    private readonly sessions: BrowserSessions,
    private readonly tokens: FormTokens,
    private readonly menu: MenuCounts,
  ) {}

  /** @param view creates the page once the request has its account */
  async complete(request: Request, view: () => PageView): Promise<PageView> {
    await this.signIn(request);
    const account = accountOf(request);
    const counts = account && (await this.menu.of(account));
    return completePage({ ...view(), banner: this.banners.take(request) }, request, counts);
  }

  /** The header of an error page, with the menu of the account: an unknown path has not identified it yet. */
  async head(request: Request): Promise<object> {
    await this.signIn(request);
    return errorPageHead(request);
  }

  /**
   * Public pages show the menu of a signed-in account too. An account that a guard has admitted stays. A failing
   * database hides no page.
   */
  private async signIn(request: Request): Promise<void> {
    const { user, headers } = request;
    if (user !== undefined || headers.authorization !== undefined || !this.sessions.areOn) return;
    const account = await this.sessions.authenticate(request).catch(() => undefined);
    if (!account) return;
    request.user = account;
    request.formToken = this.tokens.issue(account);
  }
}

@Injectable()
class PageInterceptor implements NestInterceptor<PageView> {
  constructor(private readonly pages: PageCompletion) {}

  intercept(context: ExecutionContext, next: CallHandler<PageView>): Observable<PageView> {
    const request = context.switchToHttp().getRequest<Request>();
    return next.handle().pipe(mergeMap((view) => this.pages.complete(request, () => view)));
  }
}

type PageHandler = (...given: never[]) => PageView | Promise<PageView>;

/** For a handler that answers with a page: the template renders the view that it returns. */
export const Page = (
  template: string,
): (<Handler extends PageHandler>(
  controller: object,
  name: string,
  handler: TypedPropertyDescriptor<Handler>,
) => void) => applyDecorators(UseInterceptors(PageInterceptor), Render(template));

/** Declares a controller of pages for accounts with a permission; the OpenAPI document does not contain them. */
export const PageController = (path: string, permission: Permission) =>
  applyDecorators(Controller(path), UseGuards(PageOnlyGuard), Allow(permission));

@Global()
@Module({
  providers: [Banners, MenuCounts, PageCompletion, SearchFinders],
  exports: [Banners, MenuCounts, PageCompletion, SearchFinders],
})
export class PresentationModule {}
