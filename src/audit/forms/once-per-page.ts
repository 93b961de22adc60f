import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import {
  Injectable,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request } from 'express';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { ANYBODY, accountOf } from '../../platform/access/accounts/account.js';
import { Clock } from '../../platform/common/clock.js';
import { SharedRecords } from '../../platform/database/shared-records.js';
import { ApiError } from '../../platform/errors/api-error.js';

const PREFIX = 'once ';
/** How long an answer is kept for a second submit. */
const KEPT_MS = 60_000;
const LONGEST_WAIT_MS = 10_000;
const PAUSE_MS = 50;

/** A form that one page sent: the same name and key for the same fields. */
interface SentOnce {
  readonly name: string;
  readonly key: Buffer;
}

/**
 * A double click without scripts sends a form twice, and the browser shows only the second answer. That answer is
 * the first one again: a second secret would be made in vain, or end the one that receivers still use. Answers are
 * kept for a minute among the shared records, sealed with a key that only the page can make.
 */
@Injectable()
class OncePerPageInterceptor implements NestInterceptor {
  constructor(
    private readonly records: SharedRecords,
    private readonly clock: Clock,
  ) {}

  /** @throws ApiError E0052R where the first submit does not end */
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request>();
    const sent = sentOnce(request);
    return sent ? from(this.answer(sent, request, next)) : next.handle();
  }

  private async answer(sent: SentOnce, request: Request, next: CallHandler): Promise<unknown> {
    const { name, key } = sent;
    const began = this.clock.now();
    await this.records.removeBefore(PREFIX, String(began - KEPT_MS));
    for (let waited = 0; waited < LONGEST_WAIT_MS; waited += PAUSE_MS) {
      if (await this.records.create(name, String(began))) return this.first(sent, began, next);
      const [, sealed] = (await this.records.find(name))?.split(' ') ?? [];
      if (sealed !== undefined) {
        // This submit changes nothing.
        request.auditNote = undefined;
        return open(sealed, key);
      }
      await pause(PAUSE_MS);
    }
    throw new ApiError('E0052R', 'form.underWay', {}, { headers: { 'Retry-After': '1' } });
  }

  private async first({ name, key }: SentOnce, began: number, next: CallHandler): Promise<unknown> {
    try {
      const answer: unknown = await lastValueFrom(next.handle());
      await this.records.replace(name, String(began), `${began} ${seal(answer, key)}`);
      return answer;
    } catch (error) {
      await this.records.remove(name);
      throw error;
    }
  }
}

/** `undefined` for a program's form, which no page has shown. */
function sentOnce(request: Request): SentOnce | undefined {
  const fields = request.body as { readonly once?: unknown } | undefined;
  if (typeof fields?.once !== 'string' || fields.once === '') return undefined;
  const { name } = accountOf(request) ?? ANYBODY;
  const key = hash('sha256', JSON.stringify([name, request.path, fields]), 'buffer');
  return { name: PREFIX + hash('sha256', key, 'base64url'), key };
}

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

function seal(answer: unknown, key: Buffer): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv);
  const text = cipher.update(deflateRawSync(JSON.stringify(answer)));
  return Buffer.concat([iv, text, cipher.final(), cipher.getAuthTag()]).toString('base64url');
}

function open(sealed: string, key: Buffer): unknown {
  const bytes = Buffer.from(sealed, 'base64url');
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  const text = decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES));
  return JSON.parse(inflateRawSync(Buffer.concat([text, decipher.final()])).toString());
}

/**
 * For a form that makes a secret and answers with a page: `{{> once}}` is among its fields, and the decorator comes
 * first, so that the page is completed for each request.
 */
export const OncePerPage = () => UseInterceptors(OncePerPageInterceptor);
