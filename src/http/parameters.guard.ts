import { Injectable } from '@nestjs/common';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { ApiError } from '../errors/api-error.js';
import { Refuses } from '../errors/refusals.js';

/** How other servers write a list or an object: `filter[]=a`, `filter[name]=a`, `filter.name=a`. */
const NESTED_NAME = /[[.]/;

/**
 * Holds the parameters of a call to what a DTO cannot see any more: a name that looks like a list of one
 * that counts would be ignored, and an escape that is no UTF-8 read as another text. Whoever sends them
 * expects something else to be done (E0045R).
 */
@Injectable()
@Refuses('E0045R')
export class PlainParametersGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { query, body, url } = context.switchToHttp().getRequest<Request>();
    const names = [...Object.keys(query), ...Object.keys(Object(body) as object)];
    const nested = names.find((name) => NESTED_NAME.test(name));
    if (nested !== undefined) {
      throw new ApiError('E0045R', `"${nested}" is no parameter: each is one text.`);
    }
    if (isBroken(query, url)) throw new ApiError('E0045R', 'The parameters must be UTF-8.');
    return true;
  }
}

/** Node reads escapes that are no UTF-8 as U+FFFD, which somebody may also have written. */
const isBroken = (query: Request['query'], url: string): boolean =>
  Object.values(query).some((value) => String(value).includes('\uFFFD')) && !/%EF%BF%BD/i.test(url);
