import type { Type } from '@nestjs/common';
import { getMetadataStorage } from 'class-validator';
import type { Fault, Check } from './field.js';

type BoundCheck = readonly [property: string, check: Check];

const checksByDto = new WeakMap<Type, readonly BoundCheck[]>();

/**
 * The rules of a DTO class as its decorators registered them with class-validator, in the order of its
 * fields; those that it inherits come last. They are read once: class-validator groups and filters them anew
 * at each call, which costs a sign-in more than all checks of its body.
 */
function checksOf(dto: Type): readonly BoundCheck[] {
  const known = checksByDto.get(dto);
  if (known) return known;
  const checks = getMetadataStorage()
    .getTargetValidationMetadatas(dto, '', false, false)
    .map(({ propertyName, constraints, validateIf }): BoundCheck => {
      const rule: unknown = constraints?.[0];
      if (typeof rule !== 'function') {
        throw new TypeError(`${dto.name}.${propertyName} has a decorator that is not ours`);
      }
      const check = rule as Check;
      if (!validateIf) return [propertyName, check];
      return [
        propertyName,
        (value, body) => (validateIf(body, value) ? check(value, body) : undefined),
      ];
    });
  checksByDto.set(dto, checks);
  return checks;
}

const fieldsByDto = new WeakMap<Type, ReadonlySet<string>>();

/** The names of a DTO class's fields; read once. */
export function fieldsOf(dto: Type): ReadonlySet<string> {
  const known = fieldsByDto.get(dto);
  if (known) return known;
  const fields = new Set(checksOf(dto).map(([property]) => property));
  fieldsByDto.set(dto, fields);
  return fields;
}

/** The first broken rule of a body, in the order of the DTO's fields; nothing is copied or converted. */
export function faultOf(dto: Type, body: object): Fault | undefined {
  for (const [property, check] of checksOf(dto)) {
    const value: unknown = Reflect.get(body, property);
    const fault = check(value, body);
    if (fault) return fault;
  }
  return undefined;
}
