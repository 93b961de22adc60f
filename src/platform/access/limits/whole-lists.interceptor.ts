import {
  Injectable,
  StreamableFile,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { map } from 'rxjs';
import { callerOf } from '../accounts/account.js';
import { ConcurrencyLimit } from './concurrency-limit.js';

/** Lists of one account that may be written at the same time: each keeps the database busy until it ends. */
const MAX_READERS = 4;

/**
 * Limits the number of answers that are written while they are read, for example whole lists of users and exports. An
 * answer ends when its response closes: it was sent, it failed, or the caller disconnected.
 */
@Injectable()
export class WholeListsInterceptor implements NestInterceptor {
  private readonly readers = new ConcurrencyLimit(MAX_READERS, 'lists.tooManyReaders');

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
