import { hash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import {
  Injectable,
  Logger,
  UseInterceptors,
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request } from 'express';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { sha256 } from '../../platform/common/sha256.js';
import { callerOf } from '../../platform/access/accounts/account.js';
import { Clock } from '../../platform/common/clock.js';
import { openBytes, sealBytes } from '../../platform/database/secrets/sealing.js';
import { SharedRecords } from '../../platform/database/shared-records.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { ApiExcludeEndpoint } from '../../platform/http/openapi/openapi.js';
import { Page } from '../../platform/pages/page.interceptor.js';
import { HOUR_MS } from '../../platform/common/durations.js';

const PREFIX = 'once ';
/** How long an answer is kept for a second submit, even if another instance's clock is an hour off. */
const KEPT_MS = 3 * HOUR_MS;
const LONGEST_WAIT_MS = 10_000;
const PAUSE_MS = 50;
/** As small as the highest quality makes these pages, in a tenth of its time. */
const COMPRESSION = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

/** A form that one page sent: the same name and key for the same fields. */
interface SentOnce {
  readonly name: string;
  readonly key: Buffer;
}

/**
 * Answers a repeated submit of a form. Without scripts, a double click sends a form twice, and the browser shows
 * only the second answer. This repeats the first answer: a second secret would be useless, or invalidate the one
 * that receivers still use. Answers are kept for three hours among the shared records, sealed with a key that only
 * the page can derive.
 */
@Injectable()
class OncePerPageInterceptor implements NestInterceptor {
  private readonly logger = new Logger(OncePerPageInterceptor.name);

  constructor(
    private readonly records: SharedRecords,
    private readonly clock: Clock,
  ) {}

  /** @throws ApiError E0052R if the first submit does not end */
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request>();
    const sent = sentOnce(request);
    return sent ? from(this.answer(sent, request, next)) : next.handle();
  }

  private async answer(sent: SentOnce, request: Request, next: CallHandler): Promise<unknown> {
    const { name } = sent;
    const began = this.clock.now();
    await this.records.removeBefore(PREFIX, String(began - KEPT_MS));
    for (let waited = 0; waited < LONGEST_WAIT_MS; waited += PAUSE_MS) {
      if (await this.records.create(name, String(began))) return this.first(sent, began, next);
      const [, sealed] = (await this.records.find(name))?.split(' ') ?? [];
      if (sealed !== undefined) {
        // This submit changes nothing.
        request.auditNote = undefined;
        return open(sealed, sent);
      }
      await pause(this.clock.timer(PAUSE_MS));
    }
    throw new ApiError('E0052R', 'form.underWay', {}, { headers: { 'Retry-After': '1' } });
  }

  private async first(sent: SentOnce, began: number, next: CallHandler): Promise<unknown> {
    let answer: unknown;
    try {
      answer = await lastValueFrom(next.handle());
    } catch (error) {
      await this.records.remove(sent.name);
      throw error;
    }
    await this.keep(sent, began, answer);
    return answer;
  }

  /** If this fails, the record remains: a second submit is refused, and creates no second secret. */
  private async keep(sent: SentOnce, began: number, answer: unknown): Promise<void> {
    try {
      await this.records.replace(sent.name, String(began), `${began} ${seal(answer, sent)}`);
    } catch (error) {
      this.logger.warn(`The answer to a form was not kept: ${String(error)}`);
    }
  }
}

/** `undefined` for the form of a program, which no page has shown. */
function sentOnce(request: Request): SentOnce | undefined {
  const fields = request.body as { readonly once?: unknown } | undefined;
  if (typeof fields?.once !== 'string' || fields.once === '') return undefined;
  const { name } = callerOf(request);
  const key = sha256(JSON.stringify([name, request.path, fields]));
  return { name: PREFIX + hash('sha256', key, 'base64url'), key };
}

/**
 * Compressed, since a column holds 64 KiB and a page with 500 links is three times as long. Each link is in its list
 * and in its file: Brotli finds them again, which Deflate forgets after 32 KiB.
 */
function seal(answer: unknown, { name, key }: SentOnce): string {
  const short = brotliCompressSync(JSON.stringify(answer), COMPRESSION);
  return sealBytes(key, short, name).toString('base64url');
}

function open(sealed: string, { name, key }: SentOnce): unknown {
  const short = openBytes(key, Buffer.from(sealed, 'base64url'), name);
  return JSON.parse(brotliDecompressSync(short).toString());
}

/**
 * Decorates a form handler that answers with a page, for example one that creates a secret: the form contains `{{>
 * once}}`. The kept answer is the view, so that the page is completed for each request.
 */
export const OncePerPage = (template: string): ReturnType<typeof Page> =>
  applyDecorators(
    Page(template) as MethodDecorator,
    UseInterceptors(OncePerPageInterceptor),
    ApiExcludeEndpoint(),
  );
