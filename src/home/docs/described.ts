import { STATUS_CODES } from 'node:http';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { AnswerContent, Schema } from '../../platform/http/openapi/openapi-schemas.js';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly example?: unknown;
  readonly schema: Schema;
}

export interface DescribedResponse {
  readonly $ref?: string;
  readonly description?: string;
  readonly headers?: Readonly<
    Record<string, { readonly $ref?: string; readonly description?: string }>
  >;
  readonly content?: Readonly<Record<string, AnswerContent>>;
}

/** An operation, with its path and method in the document. */
export interface DescribedOperation {
  readonly operationId: string;
  /** `GET`, `POST`, … */
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, AnswerContent>> };
  readonly responses: Readonly<Record<string, DescribedResponse>>;
}

/** All operations, in the order of the document. */
export const operationsIn = ({ paths }: OpenAPIObject): DescribedOperation[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      ...(described as Omit<DescribedOperation, 'method' | 'path'>),
      method: method.toUpperCase(),
      path,
    })),
  );

/** Resolves a reference in the document; returns anything else unchanged. */
export function dereference<T extends { readonly $ref?: string }>(
  document: OpenAPIObject,
  it: T,
): T {
  if (it.$ref === undefined) return it;
  const place = it.$ref.split('/').slice(1);
  return place.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], document) as T;
}

/** `404 Not Found` */
export const statusWords = (status: string): string => `${status} ${STATUS_CODES[status] ?? ''}`;
