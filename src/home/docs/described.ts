import { STATUS_CODES } from 'node:http';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { AnswerContent, Schema } from '../../platform/http/openapi/openapi-schemas.js';

/** A parameter of an operation in the document. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly example?: unknown;
  readonly schema: Schema;
}

/** An answer of an operation. */
export interface DescribedResponse {
  readonly $ref?: string;
  readonly description?: string;
  readonly headers?: Readonly<Record<string, DescribedHeader>>;
  readonly content?: Readonly<Record<string, AnswerContent>>;
}

export interface DescribedHeader {
  readonly $ref?: string;
  readonly description?: string;
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

/** An entry of a list of choices. */
export interface InputChoice {
  readonly value: string;
  readonly text: string;
}

/** A field of the form that tries a call. */
export interface DescribedInput {
  readonly id: string;
  readonly place: Parameter['in'];
  readonly name: string;
  readonly required: boolean;
  readonly text: string;
  /** Its initial value; with the initial values the call is valid. */
  readonly value: string;
  readonly placeholder: string;
  readonly choices?: readonly InputChoice[] | undefined;
  /** Likely values; others are possible. */
  readonly likely?: readonly string[] | undefined;
}

export interface DescribedBody {
  readonly type: string;
  /** How it is entered: JSON and plain text in a text field, a file by selecting it. */
  readonly kind: 'json' | 'text' | 'file';
  readonly isFile: boolean;
  readonly value: string;
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
