import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { ApiError, Refuses } from '../../errors/api-error.js';
import { operationFactsOf } from '../openapi/operation.js';

/** Names with which other servers write a list or an object: `filter[]=a`, `filter[name]=a`, `filter.name=a`. */
const NESTED_NAME = /[[.]/;

/**
 * Refuses parameters that a DTO would misread (E0045R): a name that writes a known parameter as a list would
 * be ignored, and an escape that is not UTF-8 would be read as another text. In both cases, the caller expects
 * another result.
 */
@Injectable()
@Refuses('E0045R')
export class PlainParametersGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { query, body, url } = context.switchToHttp().getRequest<Request>();
    const names = [...Object.keys(query), ...Object.keys(Object(body) as object)];
    const nested = names.find((name) => NESTED_NAME.test(name));
    if (nested !== undefined) {
      throw new ApiError('E0045R', 'parameters.nested', { name: nested });
    }
    if (isBroken(query, url)) throw new ApiError('E0045R', 'parameters.notUtf8');
    return true;
  }
}

const DRY_RUN = /^dry[-_]?run$/i;

/** Refuses a dry run that a call would not see, and so make the change (E0045R). */
@Injectable()
@Refuses('E0045R')
export class DryRunGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { query, body } = context.switchToHttp().getRequest<Request>();
    const takesIt = operationFactsOf(context.getHandler())?.takesDryRun ?? false;
    const ignored = Object.keys(query).filter((name) => !(takesIt && name === 'dryRun'));
    const names = [...ignored, ...Object.keys(Object(body) as object)];
    if (!names.some((name) => DRY_RUN.test(name))) return true;
    throw new ApiError('E0045R', takesIt ? 'parameters.dryRun' : 'parameters.noDryRun');
  }
}

/**
 * Whether a parameter had an escape that is not UTF-8: Node reads these as U+FFFD, which may also be written
 * on purpose.
 */
const isBroken = (query: Request['query'], url: string): boolean =>
  countOf(Object.entries(query).join(), /\uFFFD/g) > countOf(url, /%EF%BF%BD/gi);

const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;
