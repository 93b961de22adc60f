import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { Response } from 'express';
import { tap, type Observable } from 'rxjs';
import { fromRequest } from '../common/from-request.js';
import { ApiError } from '../errors/api-error.js';
import { ApiHeader } from './openapi/openapi.js';

/** A value that differs between two states of a resource. */
export type Version = number | string;

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

/**
 * The tags in `If-Match` (RFC 9110 §13.1.1). Weak tags are kept, but match nothing.
 *
 * OUT OF SPEC: a tag without quotes counts as one with quotes, since it is the `version` of an answer as it is; the
 * comparison stays exact.
 */
export function expectedTags(header: string | undefined): ExpectedTags {
  if (header === undefined || header.trim() === '*') return undefined;
  return header.match(TAG) ?? header.split(',').map((bare) => tagOf(bare.trim()));
}

/** The tags in the request's `If-Match`. */
export const IfMatch = fromRequest(
  ({ headers }): ExpectedTags => expectedTags(headers['if-match']),
  describeIfMatch,
);

/** The version in a page's form; any version if a program sends none. */
export const ShownVersion = fromRequest(({ body }): ExpectedTags => {
  const fields = body as { readonly version?: unknown } | undefined;
  return typeof fields?.version === 'string' ? [fields.version] : undefined;
});

/** The forms of tags: a version, that of an application key, and in SCIM that of a group and of a user. */
const FORMS = [/^"\d+"$/, /^"\d+-\d+"$/, /^W\/"\d+"$/, /^W\/"[\w-]{20}"$/];

/**
 * Call it with the version that the change's statement then compares.
 *
 * @throws ApiError as `ensureTag`
 */
export const ensureExpected = (expected: ExpectedTags, version: Version): void =>
  ensureTag(expected, tagOf(version));

/** @throws ApiError E0053R with the current tag; its reason says whether any expected tag can be one of ours */
export function ensureTag(expected: ExpectedTags, tag: string): void {
  if (expected === undefined || expected.includes(tag)) return;
  const form = FORMS.find((one) => one.test(tag));
  const isTag = expected.some((one) => form?.test(one));
  const reason = isTag ? 'resource.changed' : 'resource.noTag';
  throw new ApiError('E0053R', reason, {}, { headers: { ETag: tag } });
}

/** Sets the `ETag` of a handler's answers; `versionOf` of `Operation` adds it. */
export class ETagInterceptor<Answer> implements NestInterceptor<Answer, Answer> {
  constructor(private readonly versionOf: (answer: Answer) => Version) {}

  intercept(context: ExecutionContext, next: CallHandler<Answer>): Observable<Answer> {
    const response = context.switchToHttp().getResponse<Response>();
    return next
      .handle()
      .pipe(tap((answer) => response.setHeader('ETag', tagOf(this.versionOf(answer)))));
  }
}
