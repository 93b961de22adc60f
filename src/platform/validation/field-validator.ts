import { registerDecorator, type ValidationOptions } from 'class-validator';
import { ApiError } from '../errors/api-error.js';
import type { Code } from '../errors/catalogue.js';
import type { Problem } from '../errors/reasons.js';

/** Describes a wrong value; `undefined` if the sentence of the code is enough. */
type ProblemOf = (field: string, value: unknown, body: object) => Problem | undefined;

/** The options of each decorator on a DTO: `context` contains the error code of a wrong value. */
export interface CodedOptions extends ValidationOptions {
  readonly context: {
    readonly code: Code;
    /** Replaces the decorator's own problem. */
    readonly problemOf?: ProblemOf;
  };
}

/**
 * The options of a decorator whose code is not E0045R, the usual one: `@IsString(code('E0001R'))`.
 *
 * @param problem for readers of a form, who do not know the names of fields
 */
export const code = (errorCode: Code, problem?: Problem): CodedOptions => ({
  context: { code: errorCode, ...(problem !== undefined && { problemOf: () => problem }) },
});

/** `@ValidateIf(isPresent)`: the field may be absent, but not `null`. */
export const isPresent = (_body: object, value: unknown): boolean => value !== undefined;

/** For a decorator without options. */
export const USUAL_CODE = code('E0045R');

/** A decorator on a field of a DTO: `@IsName()`. */
type FieldDecorator = (options?: CodedOptions) => PropertyDecorator;

/**
 * Creates a decorator of class-validator for a check that none of its own decorators makes.
 *
 * @param name class-validator's name of the constraint
 * @param problemOf describes a wrong value
 */
export const FieldValidator =
  (
    name: string,
    isRight: (value: unknown, body: object) => boolean,
    problemOf?: ProblemOf,
  ): FieldDecorator =>
  ({ context, ...options } = USUAL_CODE) =>
  (prototype, key) =>
    registerDecorator({
      name,
      target: prototype.constructor,
      propertyName: String(key),
      options: { ...options, context: { ...(problemOf && { problemOf }), ...context } },
      validator: { validate: (value, given) => isRight(value, given?.object ?? {}) },
    });

/** Checks a field as no other field is checked: `FieldValidator` for one use. */
export const Fits = (
  isRight: (value: unknown, body: object) => boolean,
  problemOf: ProblemOf,
  options?: CodedOptions,
): PropertyDecorator => FieldValidator('fits', isRight, problemOf)(options);

/**
 * Creates a decorator that reads the other fields too.
 *
 * @param problemOf returns `undefined` for a valid value
 */
export const CrossFieldValidator = (
  name: string,
  problemOf: (value: unknown, body: object) => Problem | undefined,
): FieldDecorator =>
  FieldValidator(
    name,
    (value, body) => problemOf(value, body) === undefined,
    (_field, value, body) => problemOf(value, body),
  );

export interface FieldFault {
  readonly code: Code;
  readonly problem: Problem | undefined;
}

export const errorOf = (fault: FieldFault): ApiError =>
  fault.problem ? ApiError.of(fault.code, fault.problem) : new ApiError(fault.code);

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
