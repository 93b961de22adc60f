import type { Type } from '@nestjs/common';
import { getMetadataStorage } from 'class-validator';
import type { Fault, Judge } from './field.js';

type Check = readonly [property: string, judge: Judge];

const checksByDto = new WeakMap<Type, readonly Check[]>();

/**
 * The rules of a DTO class as its decorators registered them with class-validator, in the order of its
 * fields; those that it inherits come last. Read once: class-validator itself groups and filters them
 * anew at each call, which costs a sign-in more than all that its body is then held against.
 */
function checksOf(dto: Type): readonly Check[] {
  const known = checksByDto.get(dto);
  if (known) return known;
  const checks = getMetadataStorage()
    .getTargetValidationMetadatas(dto, '', false, false)
    .map(({ propertyName, constraints, validateIf }): Check => {
      const judge: unknown = constraints?.[0];
      if (typeof judge !== 'function') {
        throw new TypeError(`${dto.name}.${propertyName} has a decorator that is not ours`);
      }
      const check = judge as Judge;
      if (!validateIf) return [propertyName, check];
      return [
        propertyName,
        (value, body) => (validateIf(body, value) ? check(value, body) : undefined),
      ];
    });
  checksByDto.set(dto, checks);
  return checks;
}

/** The first broken rule of a body, in the order of the DTO's fields; nothing is copied or converted. */
export function faultOf(dto: Type, body: object): Fault | undefined {
  for (const [property, judge] of checksOf(dto)) {
    const value: unknown = Reflect.get(body, property);
    const fault = judge(value, body);
    if (fault) return fault;
  }
  return undefined;
}
