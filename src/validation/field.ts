import type { Type } from '@nestjs/common';
import type { Code } from '../errors/catalogue.js';

/** What is wrong with a value: a code, or a code and the sentence that helps most. */
export type Fault = Code | readonly [code: Code, sentence: string];

/** Judges one field of a body; `undefined` when it is as it should be. */
export type Judge = (value: unknown, body: object) => Fault | undefined;

type Rule = readonly [property: string, judge: Judge];

/** What stands at the fields of each class, without those that it inherits. */
const rulesByPrototype = new WeakMap<object, Rule[]>();

/**
 * A field of a DTO and its rule. The rule is one function, so that the order of its checks is visible,
 * and it names the code of the first one broken.
 */
export const Field =
  (judge: Judge): PropertyDecorator =>
  (prototype, property) => {
    const rules = rulesByPrototype.get(prototype) ?? [];
    rulesByPrototype.set(prototype, [...rules, [String(property), judge]]);
  };

/** The rules of a DTO class in the order of its fields; those that it inherits come last. */
export function rulesOf(dto: Type): readonly Rule[] {
  const rules: Rule[] = [];
  for (let level: object | null = dto.prototype; level; level = Object.getPrototypeOf(level)) {
    rules.push(...(rulesByPrototype.get(level) ?? []));
  }
  return rules;
}

export const optional =
  (judge: Judge): Judge =>
  (value, body) =>
    value === undefined ? undefined : judge(value, body);

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
