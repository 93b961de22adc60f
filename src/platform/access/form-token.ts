import { createHmac, timingSafeEqual } from 'node:crypto';
import {
  Injectable,
  type CanActivate,
  type ExecutionContext,
  type OnModuleInit,
} from '@nestjs/common';
import type { Request } from 'express';
import { Clock } from '../common/clock.js';
import { SecretStore } from '../database/secrets/secret-store.js';
import { ApiError, Refuses } from '../errors/api-error.js';
import { HOUR_MS } from '../common/durations.js';
import { callerOf, type Account } from './accounts/account.js';
import { isFromPage, isReading } from './cross-site.guard.js';

/** A token is valid in the period that issued it and in the next: four to eight hours. */
const PERIOD_MS = 4 * HOUR_MS;
/** Content types of forms as HTML sends them; JSON from another site would need a preflight, which is not granted. */
const FORM = /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\s*(?:;|$)/i;

declare module 'express-serve-static-core' {
  interface Request {
    /** The token for the forms of the page that answers this request. */
    formToken?: string;
  }
}

/**
 * Tokens against forged forms. HTTP Basic has no session in which to store a token, so a token is the HMAC of the
 * account and the time, under a secret that all instances share. The token of a browser with a session is
 * valid in that session only.
 */
@Injectable()
export class FormTokens implements OnModuleInit {
  private secret = '';

  constructor(
    private readonly secrets: SecretStore,
    private readonly clock: Clock,
  ) {}

  async onModuleInit(): Promise<void> {
    this.secret = await this.secrets.findOrCreate('form-token');
  }

  issue(account: Account): string {
    return this.tokenOf(account, this.period);
  }

  matches(account: Account, token: unknown): boolean {
    const given = Buffer.from(typeof token === 'string' ? token : '');
    // The next period may have begun at another instance, whose clock is ahead.
    return [this.period, this.period - 1, this.period + 1].some((period) => {
      const expected = Buffer.from(this.tokenOf(account, period));
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
  }

  private get period(): number {
    return Math.floor(this.clock.now() / PERIOD_MS);
  }

  private tokenOf({ name, session }: Account, period: number): string {
    const whose = session === undefined ? name : `${session} ${name}`;
    return createHmac('sha256', this.secret).update(`${period} ${whose}`).digest('base64url');
  }
}

/**
 * Refuses a browser's form without the token of our own page (E0043R): in the field `formToken`, for an upload in the
 * query, or as `X-Form-Token`. `X-Requested-With` is accepted instead: a script of another site would need a
 * preflight for it. Programs send neither `Origin` nor `Sec-Fetch-Site`, and need no token.
 */
@Injectable()
@Refuses('E0043R')
export class FormTokenGuard implements CanActivate {
  constructor(private readonly tokens: FormTokens) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    const account = callerOf(request);
    request.formToken = this.tokens.issue(account);
    if (isReading(request) || !isForm(request) || !isFromPage(request)) return true;
    if (request.headers['x-requested-with'] !== undefined) return true;
    if (this.tokens.matches(account, sentToken(request))) return true;
    throw new ApiError('E0043R', 'form.noToken');
  }
}

const isForm = ({ headers }: Request): boolean => FORM.test(headers['content-type'] ?? '');

function sentToken({ headers, body, query }: Request): unknown {
  const fields = body as { formToken?: unknown } | undefined;
  return headers['x-form-token'] ?? fields?.formToken ?? query['formToken'];
}
