import { ValidateBy } from 'class-validator';
import type { Code } from '../errors/catalogue.js';

/** What is wrong with a value: a code, or a code and the sentence that helps most. */
export type Fault = Code | readonly [code: Code, sentence: string];

/** Judges one field of a body; `undefined` when it is as it should be. */
export type Judge = (value: unknown, body: object) => Fault | undefined;

/**
 * A field of a DTO and its rule, as a class-validator decorator. The rule is one function, so that
 * the order of its checks is visible, and it names the code of the first one broken.
 */
export function Field(judge: Judge): PropertyDecorator {
  return ValidateBy(
    {
      name: 'field',
      validator: { validate: (value, args) => judge(value, args?.object ?? {}) === undefined },
    },
    { context: { judge } },
  );
}

/** Reads a rule that `Field` left in class-validator's metadata. */
export function judgeOf(context: unknown): Judge | undefined {
  const isJudged = typeof context === 'object' && context !== null && 'judge' in context;
  return isJudged ? (context.judge as Judge) : undefined;
}

export const optional =
  (judge: Judge): Judge =>
  (value, body) =>
    value === undefined ? undefined : judge(value, body);

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
