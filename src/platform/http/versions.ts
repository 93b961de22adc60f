import {
  Injectable,
  UseInterceptors,
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Response } from 'express';
import { tap, type Observable } from 'rxjs';
import { fromRequest } from '../common/from-request.js';
import { ApiError } from '../errors/api-error.js';
import { ApiHeader } from './openapi/openapi.js';
import { TaggedWith } from './openapi/operation.js';

/** A value that differs between two states of a resource. */
type Version = number | string;

/** The schema of a `version` in answers. */
export const VERSION = {
  type: 'integer',
  example: 1764300000000,
  description: 'version number, which rises with each change; the ETag is this number in quotes',
} as const;

/** The tags of `If-Match`, one of which must be the current one; `undefined` permits any state. */
export type ExpectedTags = readonly string[] | undefined;

/** The strong entity tag of a version (RFC 9110 §8.8.3). */
export const tagOf = (version: Version): string => `"${version}"`;

const TAG = /(?:W\/)?"[^"]*"/g;

/** Describes the header `If-Match`; operations list E0053R themselves. */
const describeIfMatch: ParameterDecorator = (prototype, name) => {
  if (name === undefined) return;
  const handler = Object.getOwnPropertyDescriptor(prototype, name);
  if (!handler) return;
  ApiHeader({
    name: 'If-Match',
    required: false,
    description:
      'expected ETag of the resource; refused with E0053R if it differs; without this header ' +
      'the last change wins',
  })(prototype, name, handler);
};

/** The tags in the request's `If-Match` (RFC 9110 §13.1.1). Weak tags are kept, but match nothing. */
export const IfMatch = fromRequest(({ headers }): ExpectedTags => {
  const header = headers['if-match'];
  if (header === undefined || header.trim() === '*') return undefined;
  return header.match(TAG) ?? [];
}, describeIfMatch);

/** The version in a page's form; any version if a program sends none. */
export const ShownVersion = fromRequest(({ body }): ExpectedTags => {
  const fields = body as { readonly version?: unknown } | undefined;
  return typeof fields?.version === 'string' ? [fields.version] : undefined;
});

/**
 * Call it with the version that the change's statement then compares.
 *
 * @throws ApiError E0053R with the current tag
 */
export function ensureExpected(expected: ExpectedTags, version: Version): void {
  const tag = tagOf(version);
  if (expected === undefined || expected.includes(tag)) return;
  throw new ApiError('E0053R', 'resource.changed', {}, { headers: { ETag: tag } });
}

/** Adds an `ETag` to a handler's answer. */
export const HasETag = <Answer>(versionOf: (answer: Answer) => Version) =>
  applyDecorators(
    TaggedWith(versionOf as (answer: unknown) => Version),
    UseInterceptors(ETagInterceptor),
  );

@Injectable()
class ETagInterceptor implements NestInterceptor {
  constructor(private readonly reflector: Reflector) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const versionOf = this.reflector.get(TaggedWith, context.getHandler());
    const response = context.switchToHttp().getResponse<Response>();
    return next
      .handle()
      .pipe(tap((answer) => response.setHeader('ETag', tagOf(versionOf(answer)))));
  }
}
