import { registerDecorator } from 'class-validator';
import type { ValidationOptions } from 'class-validator';
import { CATALOGUE } from '../errors/catalogue.js';
import type { Code } from '../errors/catalogue.js';

/** What is wrong with a value: a code, or a code and the sentence that helps most. */
export type Fault = Code | readonly [code: Code, sentence: string];

/** Validates one field of a body; returns `undefined` when it is right. */
export type Check = (value: unknown, body: object) => Fault | undefined;

/** Options of a decorator whose `context` names the code or codes of breaking its rule. */
export interface Coded<Name extends string = 'code'> extends ValidationOptions {
  readonly context: Readonly<Record<Name, Code>>;
}

/**
 * The code of a rule that can be broken in one way only: `@IsName(code('E0001R'))`.
 *
 * @param sentence for the people who fill in a form; absent, the rule's own sentence counts
 */
export const code = (code: Code, sentence?: string): Coded => ({
  context: { code },
  ...(sentence !== undefined && { message: sentence }),
});

/** The codes of a rule, by what breaks it: `@IsCredentialId(codes({ missing: …, malformed: … }))`. */
export const codes = <Name extends string>(byFault: Readonly<Record<Name, Code>>): Coded<Name> => ({
  context: byFault,
});

/** Applies the rule only to a field that is present: an absent field is allowed, `null` is not. */
export const optional = <Options extends ValidationOptions>(options: Options): Options => ({
  ...options,
  validateIf: (_, value) => value !== undefined,
});

/**
 * Makes a decorator of class-validator for one field. Its rule is one function, so that the order of the
 * checks is visible, and it returns the code of the first check that fails. A field has one decorator with
 * all its codes, since two decorators of one kind would share one `context`.
 *
 * @param name class-validator's name of the constraint
 */
export const Field =
  (name: string, options: Coded<string>, checkOf: (property: string) => Check): PropertyDecorator =>
  (prototype, key) => {
    const propertyName = String(key);
    const check = checkOf(propertyName);
    registerDecorator({
      name,
      target: prototype.constructor,
      propertyName,
      options,
      constraints: [check],
      validator: {
        validate: (value, given) => check(value, given?.object ?? {}) === undefined,
        defaultMessage: (given) => sentenceOf(check(given?.value, given?.object ?? {})),
      },
    });
  };

/** A decorator whose rule can be broken in one way only, and says so in one sentence. */
export const Rule = (
  name: string,
  { context, ...options }: Coded,
  isRight: (value: unknown) => boolean,
  says: string,
): PropertyDecorator =>
  Field(name, { ...options, context }, (property) => {
    const fault: Fault = [context.code, `"${property}" ${says}.`];
    return (value) => (isRight(value) ? undefined : fault);
  });

/** A decorator whose rule looks at the other fields too, and says in a sentence what is wrong. */
export const RuleAmong = (
  name: string,
  { context, ...options }: Coded,
  saysOf: (value: unknown, body: object) => string | undefined,
): PropertyDecorator =>
  Field(name, { ...options, context }, (): Check => (value, body) => {
    const sentence = saysOf(value, body);
    return sentence === undefined ? undefined : [context.code, sentence];
  });

/** The sentence of a fault; the catalogue's where it has none of its own. */
export function sentenceOf(fault: Fault | undefined): string {
  if (fault === undefined) return '';
  return typeof fault === 'string' ? CATALOGUE[fault][1] : fault[1];
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
