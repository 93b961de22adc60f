import { createHmac, timingSafeEqual } from 'node:crypto';
import {
  Injectable,
  Redirect,
  UseGuards,
  UseInterceptors,
  applyDecorators,
  type ExecutionContext,
  type OnModuleInit,
  type CallHandler,
  type NestInterceptor,
} from '@nestjs/common';
import type { CookieOptions, Request, Response } from 'express';
import { map, type Observable } from 'rxjs';
import { Clock } from '../common/clock.js';
import type { Problem } from '../errors/reasons.js';
import { SecretStore } from '../database/secrets/secret-store.js';
import { cookieIn } from '../http/cookies.js';
import { ApiExcludeEndpoint } from '../http/openapi/openapi.js';
import { callerOf, type Account } from '../access/accounts/account.js';
import { PageOnlyGuard } from './page-only.guard.js';
import { problemPhrase, type Phrase, type Text } from './languages/phrase.js';

export interface BannerChange {
  readonly what: Text;
  readonly before: Text;
  readonly after: Text;
}

/** The message that a page shows once about an action on the page before. */
export interface Banner {
  readonly tone: 'good' | 'warn' | 'bad';
  readonly icon: 'check' | 'warning' | 'cross';
  readonly text: Text;
  /** What the user should still change, although the form was processed. */
  readonly warning?: Text;
  readonly changes?: readonly BannerChange[];
  /** Number of further changes for which there is no room. */
  readonly more?: number;
  /** For a deletion: how to undo it, and the user whose page the undo leads to. */
  readonly undo?: { readonly occasion: string; readonly name?: string; readonly rp?: string };
  /** Set if a form was not processed because it needed a sign-in first; the layout shows it on every page. */
  readonly undone?: true;
  /** For a form that was not confirmed: the entered reason, so that it need not be typed twice. */
  readonly typed?: { readonly reason: string };
}

/** Answer of a form's handler: the page to redirect the browser to, and its banner. */
export interface RedirectWithBanner {
  readonly url: string;
  /** Absent if the page itself shows the result. */
  readonly banner?: Banner;
}

export const successBanner = (text: Text, changes?: readonly BannerChange[]): Banner => ({
  tone: 'good',
  icon: 'check',
  text,
  ...(changes && { changes }),
});

export const warnedBanner = (banner: Banner, found: Problem | undefined): Banner =>
  found ? { ...banner, tone: 'warn', icon: 'warning', warning: problemPhrase(found) } : banner;

export const failureBanner = (text: Text): Banner => ({
  tone: 'bad',
  icon: 'cross',
  text,
});

const COOKIE = 'servicefido-done';
const LIFE_MS = 60_000;
/** Maximum size of the changes in bytes: a cookie has at most 4 KiB, and Base64URL makes them a third longer. */
const MAX_BYTES = 2200;
const MAX_TEXT = 80;

/** The content of a banner's cookie, with the time after which it is no longer shown. */
interface SealedBanner {
  readonly until: number;
  readonly banner: Banner;
}

const optionsFor = ({ secure }: Request): CookieOptions => ({
  httpOnly: true,
  sameSite: 'strict',
  path: '/',
  secure,
});

const cookieOf = (request: Request): string | undefined => cookieIn(request, COOKIE);

/**
 * Passes a banner from the handler of a form to the page that the browser is redirected to, in a cookie. It is signed
 * for the account, so that it cannot be forged; the page that shows it deletes it, so that neither a reload nor a
 * link shows it again.
 */
@Injectable()
export class Banners implements OnModuleInit {
  private secret = '';

  constructor(
    private readonly secrets: SecretStore,
    private readonly clock: Clock,
  ) {}

  async onModuleInit(): Promise<void> {
    this.secret = await this.secrets.findOrCreate('banner');
  }

  /** @param reader the account whose page shows it */
  leave(
    request: Request,
    response: Response,
    banner: Banner,
    reader: Account = callerOf(request),
  ): void {
    const sealed: SealedBanner = { until: this.clock.now() + LIFE_MS, banner: fitting(banner) };
    const text = Buffer.from(JSON.stringify(sealed)).toString('base64url');
    const value = `${text}.${this.seal(reader, text).toString('base64url')}`;
    response.cookie(COOKIE, value, { ...optionsFor(request), maxAge: LIFE_MS });
  }

  /** Returns the banner for this account, and deletes its cookie. */
  take(request: Request): Banner | undefined {
    const value = cookieOf(request);
    if (value === undefined) return undefined;
    request.res?.clearCookie(COOKIE, optionsFor(request));
    const [text = '', seal = ''] = value.split('.');
    const given = Buffer.from(seal, 'base64url');
    const expected = this.seal(callerOf(request), text);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    const { until, banner } = JSON.parse(Buffer.from(text, 'base64url').toString()) as SealedBanner;
    return until >= this.clock.now() ? banner : undefined;
  }

  private seal({ name }: Account, text: string): Buffer {
    return createHmac('sha256', this.secret).update(`${name} ${text}`).digest();
  }
}

/** Whether a form redirected to this page: its banner's cookie was sent. */
export const hasBanner = (request: Request): boolean => cookieOf(request) !== undefined;

/** Truncates a banner to the size of a cookie; the audit trail contains everything. */
function fitting(banner: Banner): Banner {
  const changes = banner.changes?.map(shortened) ?? [];
  if (changes.length === 0) return banner;
  const shown = [...changes];
  while (Buffer.byteLength(JSON.stringify(shown)) > MAX_BYTES) shown.pop();
  const left = changes.length - shown.length;
  return {
    ...banner,
    changes: shown,
    ...(left > 0 && { more: left }),
  };
}

const short = (text: string): string =>
  text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 1).toWellFormed()}…` : text;

function cut(text: Text): Text {
  if (typeof text === 'string') return short(text);
  const values = Object.entries(text.values ?? {}).map(([name, value]) => [
    name,
    typeof value === 'number' || (typeof value === 'object' && 'moment' in value)
      ? value
      : cut(value),
  ]);
  return { ...text, values: Object.fromEntries(values) as NonNullable<Phrase['values']> };
}

const shortened = ({ what, before, after }: BannerChange): BannerChange => ({
  what,
  before: cut(before),
  after: cut(after),
});

/** Sets the banner in the handler's answer for the page that the handler redirects to. */
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
        if (banner)
          this.banners.leave(http.getRequest<Request>(), http.getResponse<Response>(), banner);
        return { url };
      }),
    );
  }
}

/** For the handler of a form: redirects (303) to a page that shows the result once. */
export const LeadsToPage = () =>
  applyDecorators(
    Redirect('/', 303),
    UseGuards(PageOnlyGuard),
    UseInterceptors(BannerInterceptor),
    ApiExcludeEndpoint(),
  );
