import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { Request } from 'express';
import { from, lastValueFrom } from 'rxjs';
import type { Observable } from 'rxjs';
import { ApiError } from '../../errors/api-error.js';
import { Refuses } from '../../errors/refusals.js';
import type { KeyRights } from '../../security/account.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { nestsDeeper } from '../../validation/nesting.js';
import type {} from '../address-limit.guard.js';
import { markOf } from '../ceremonies/caller-mark.js';
import { KeptAnswers } from './kept-answers.js';

const HEADER = 'idempotency-key';
/** Visible ASCII. */
const FORM = /^[\x21-\x7e]{1,64}$/;
const SENTENCE = '"Idempotency-Key" must be 1 to 64 visible ASCII characters, sent once.';
/** More than any answer of an authenticator has. */
const MAX_LEVELS = 100;

/**
 * Gives an application that repeats a call with the same `Idempotency-Key` the answer that it may have
 * missed. The header is ignored for other callers: without an application key there is no name to keep an
 * answer under.
 */
@Injectable()
@Refuses('E0001R')
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(private readonly answers: KeptAnswers) {}

  /**
   * @throws ApiError E0001R for a malformed header, or a body that nests too deep to be compared, else as
   *   `KeptAnswers.answer`
   */
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request>();
    const { caller, relyingParty: rp, headers } = request;
    const key = headers[HEADER];
    if (key === undefined || !caller?.key) return next.handle();
    if (rp === undefined) throw new Error('no tenant interceptor stands before this call');
    if (typeof key !== 'string' || !FORM.test(key)) throw new ApiError('E0001R', SENTENCE);
    return from(
      this.answers.answer({
        name: nameOf(caller.key, rp, key),
        body: digestOf(request.body as object),
        run: () => lastValueFrom(next.handle()),
      }),
    );
  }
}

const digest = (text: string): string => hash('sha256', text, 'base64url');

function digestOf(body: object): string {
  if (nestsDeeper(body, MAX_LEVELS)) throw new ApiError('E0001R', 'The body nests too deep.');
  return digest(JSON.stringify(body));
}

const nameOf = ({ id }: KeyRights, rp: RelyingParty, key: string): string =>
  digest(`${id} ${rp.id.toString('base64url')} ${key}`) + markOf(digest(id));
