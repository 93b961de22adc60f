import {
  Injectable,
  StreamableFile,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { map } from 'rxjs';
import { ApiError } from '../../errors/api-error.js';
import type { Reason } from '../../errors/reasons.js';
import { type Account, callerOf } from '../accounts/account.js';

const RETRY_SECONDS = 5;

/** Counts the work in progress of each account and application key in this process, and refuses more than a few. */
export class ConcurrencyLimit {
  private readonly counts = new Map<string, number>();

  /** @param reason of the refusal; its sentence has the value `most` */
  constructor(
    private readonly most: number,
    private readonly reason: Extract<Reason, 'lists.tooManyReaders' | 'lists.tooManyUploads'>,
  ) {}

  /**
   * @returns a function that ends the work that begins now; it must be called once
   * @throws ApiError E0040R if the account has too much work in progress
   */
  begin({ name, key }: Account): () => void {
    const whose = key?.id ?? name;
    const count = this.counts.get(whose) ?? 0;
    if (count >= this.most) {
      const headers = { 'Retry-After': `${RETRY_SECONDS}` };
      throw new ApiError('E0040R', this.reason, { most: this.most }, { headers });
    }
    this.counts.set(whose, count + 1);
    return () => this.end(whose);
  }

  private end(whose: string): void {
    const left = (this.counts.get(whose) ?? 1) - 1;
    if (left > 0) this.counts.set(whose, left);
    else this.counts.delete(whose);
  }
}

/** Lists of one account that may be written at the same time: each keeps the database busy until it ends. */
const MAX_READERS = 4;

/** The whole lists that are being written, over all modules: Nest makes an interceptor for each. */
@Injectable()
export class ListReaders extends ConcurrencyLimit {
  constructor() {
    super(MAX_READERS, 'lists.tooManyReaders');
  }
}

/**
 * Limits the number of answers that are written while they are read, for example whole lists of users and exports. An
 * answer ends when its response closes: it was sent, it failed, or the caller disconnected.
 */
@Injectable()
export class WholeListsInterceptor implements NestInterceptor {
  constructor(private readonly readers: ListReaders) {}

  /** @throws ApiError E0040R if the account reads too many at a time; the list is not read further then */
  intercept(context: ExecutionContext, next: CallHandler) {
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    return next.handle().pipe(
      map((answer: unknown) => {
        if (!(answer instanceof StreamableFile) || response.closed) return answer;
        try {
          response.once('close', this.readers.begin(callerOf(request)));
        } catch (error) {
          answer.getStream().destroy();
          throw error;
        }
        return answer;
      }),
    );
  }
}
