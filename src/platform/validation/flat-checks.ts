import type { Type } from '@nestjs/common';
import {
  IS_OPTIONAL,
  ValidationTypes,
  getMetadataStorage,
  type ValidatorConstraintInterface,
} from 'class-validator';
import type { ValidationMetadata } from 'class-validator/types/metadata/ValidationMetadata.js';
import { closestName } from '../common/closest-name.js';
import { problem, type Problem } from '../errors/reasons.js';
import { USUAL_CODE, isObject, type CodedOptions, type FieldFault } from './field-validator.js';

type Check = (value: unknown, body: object) => FieldFault | undefined;

/** The checks of one field, by its decorators. */
interface FieldChecks {
  readonly field: string;
  /** `@IsOptional()`: `null` counts as absent. */
  readonly isOptional: boolean;
  /** `@ValidateIf(…)` and `@IsOptional()`. */
  readonly conditions: readonly ((body: object, value: unknown) => boolean)[];
  /** In the order in which the decorators are read, from top to bottom. */
  readonly checks: readonly Check[];
  /** `@ValidateNested(…)`: the class of the field's type. */
  readonly nested?: Type | undefined;
}

/** Maximum number of unknown fields that are compared with an absent one; the first ones show what is wrong. */
const MAX_UNKNOWN = 10;

const checksByDto = new WeakMap<Type, readonly FieldChecks[]>();

/**
 * The checks of a DTO class as its decorators registered them with class-validator, in the order of its
 * fields; inherited fields come last. They are cached: class-validator groups and filters them at each call, which
 * costs a sign-in more than all checks of its body.
 */
function checksOf(dto: Type): readonly FieldChecks[] {
  const known = checksByDto.get(dto);
  if (known) return known;
  const byField = new Map<string, ValidationMetadata[]>();
  for (const metadata of metadataOf(dto)) {
    const others = byField.get(metadata.propertyName) ?? [];
    // Decorators are evaluated from bottom to top.
    byField.set(metadata.propertyName, [metadata, ...others]);
  }
  const checks = [...byField].map(([field, metadata]) => fieldChecks(dto, field, metadata));
  checksByDto.set(dto, checks);
  return checks;
}

const metadataOf = (dto: Type) =>
  getMetadataStorage()
    .getTargetValidationMetadatas(dto, '', false, false)
    .filter(({ type }) => type !== ValidationTypes.WHITELIST);

function fieldChecks(dto: Type, field: string, all: readonly ValidationMetadata[]): FieldChecks {
  const conditional = all.filter(({ type }) => type === ValidationTypes.CONDITIONAL_VALIDATION);
  const others = all.filter(({ type }) => type !== ValidationTypes.CONDITIONAL_VALIDATION);
  const nested = others.some(({ type }) => type === ValidationTypes.NESTED_VALIDATION)
    ? (Reflect.getMetadata('design:type', dto.prototype as object, field) as Type)
    : undefined;
  return {
    field,
    isOptional: conditional.some(({ name }) => name === IS_OPTIONAL),
    conditions: conditional.map(({ constraints }) => constraints[0] as () => boolean),
    checks: others.map((metadata) =>
      metadata.type === ValidationTypes.NESTED_VALIDATION
        ? nestedCheck(metadata, nested)
        : checkOf(dto, metadata, limitsIn(others)),
    ),
    nested,
  };
}

function checkOf(dto: Type, metadata: ValidationMetadata, limits: Limits): Check {
  const { propertyName: field, name = '', constraints = [], constraintCls } = metadata;
  const [constraint] = getMetadataStorage().getTargetValidatorConstraints(constraintCls);
  const { code, problemOf } = contextOf(metadata);
  if (!constraint) throw new TypeError(`${dto.name}.${field} has a decorator without a check`);
  const validator = constraint.instance as ValidatorConstraintInterface;
  const given = { targetName: dto.name, property: field, constraints };
  return (value, body) => {
    if (validator.validate(value, { ...given, value, object: body }) === true) return undefined;
    const stock = STOCK_PROBLEMS[name];
    return {
      code,
      problem: problemOf ? problemOf(field, value, body) : stock?.(field, constraints, limits),
    };
  };
}

/** The first wrong member becomes the field's fault. */
function nestedCheck(metadata: ValidationMetadata, nested: Type | undefined): Check {
  const { propertyName: field } = metadata;
  const { code } = contextOf(metadata);
  return (value) => {
    if (!isObject(value)) return { code, problem: problem('field.object', { field }) };
    const fault = nested && firstFault(nested, value);
    return fault && { code: fault.code, problem: fault.problem && within(field, fault.problem) };
  };
}

/** The same problem, with the complete path to the member: `authenticatorSelection.residentKey`. */
const within = (field: string, { reason, values, advice }: Problem): Problem => ({
  reason,
  values: 'field' in values ? { ...values, field: `${field}.${values['field']}` } : values,
  ...(advice && { advice: within(field, advice) }),
});

const contextOf = ({ context }: ValidationMetadata): CodedOptions['context'] =>
  (context as CodedOptions['context'] | undefined) ?? USUAL_CODE.context;

/** Limits of `@Min` and `@Max` beside `@IsInt`, so that one sentence names both. */
interface Limits {
  readonly min: number;
  readonly max: number;
}

function limitsIn(metadata: readonly ValidationMetadata[]): Limits {
  const limit = (name: string, otherwise: number) =>
    (metadata.find((one) => one.name === name)?.constraints[0] as number | undefined) ?? otherwise;
  return { min: limit('min', 0), max: limit('max', Number.MAX_SAFE_INTEGER) };
}

const wholeNumber = (field: string, _: unknown, limits: Limits): Problem =>
  problem('field.wholeNumber', { field, ...limits });

/** The problem that each of class-validator's own decorators reports, by its name. */
const STOCK_PROBLEMS: Readonly<
  Record<string, (field: string, constraints: readonly unknown[], limits: Limits) => Problem>
> = {
  isString: (field) => problem('field.text', { field }),
  isBoolean: (field) => problem('field.flag', { field }),
  isObject: (field) => problem('field.object', { field }),
  isIn: (field, [words]) => problem('field.oneOf', { field, words: (words as []).join(', ') }),
  isInt: wholeNumber,
  min: wholeNumber,
  max: wholeNumber,
};

const fieldsByDto = new WeakMap<Type, ReadonlySet<string>>();

/** The names of a DTO class's fields, including those without a check (`@Allow`); cached. */
export function fieldsOf(dto: Type): ReadonlySet<string> {
  const known = fieldsByDto.get(dto);
  if (known) return known;
  const metadata = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
  const fields = new Set(metadata.map(({ propertyName }) => propertyName));
  fieldsByDto.set(dto, fields);
  return fields;
}

const nestedByDto = new WeakMap<Type, readonly (readonly [field: string, nested: Type])[]>();

/** The fields of a DTO class whose values are DTOs too (`@ValidateNested`), with their classes; cached. */
export function nestedFieldsOf(dto: Type): readonly (readonly [field: string, nested: Type])[] {
  const known = nestedByDto.get(dto);
  if (known) return known;
  const found = checksOf(dto).flatMap(({ field, nested }) =>
    nested ? [[field, nested] as const] : [],
  );
  nestedByDto.set(dto, found);
  return found;
}

/** Removes optional members that are `null`, which .NET and Java serializers send. */
export function dropNulls(dto: Type, body: object): void {
  for (const { field, isOptional, nested } of checksOf(dto)) {
    const value: unknown = Reflect.get(body, field);
    if (value === null && isOptional) Reflect.deleteProperty(body, field);
    else if (nested && isObject(value)) dropNulls(nested, value);
  }
}

function faultIn({ field, conditions, checks }: FieldChecks, body: object): FieldFault | undefined {
  const value: unknown = Reflect.get(body, field);
  for (const applies of conditions) if (!applies(body, value)) return undefined;
  for (const check of checks) {
    const fault = check(value, body);
    if (fault) return fault;
  }
  return undefined;
}

/**
 * The first failed check of a body, in the order of the DTO's fields; nothing is copied or converted. The fault of an
 * absent field names a sent one that is written alike.
 */
export function firstFault(dto: Type, body: object): FieldFault | undefined {
  for (const checks of checksOf(dto)) {
    const fault = faultIn(checks, body);
    if (fault) return namingMisspelt(fault, misspeltFor(checks.field, dto, body));
  }
  return undefined;
}

function namingMisspelt(fault: FieldFault, misspelt: string | undefined): FieldFault {
  if (!fault.problem || misspelt === undefined) return fault;
  const advice = problem('field.misspelt', { field: misspelt });
  return { ...fault, problem: { ...fault.problem, advice } };
}

/** The sent field that was probably meant for an absent one. */
function misspeltFor(field: string, dto: Type, body: object): string | undefined {
  if (Reflect.get(body, field) !== undefined) return undefined;
  const known = fieldsOf(dto);
  const unknown = Object.keys(body).filter((name) => !known.has(name));
  return unknown.slice(0, MAX_UNKNOWN).find((name) => closestName(name, [field]) !== undefined);
}

/** The first failed check of each field, in the order of the DTO's fields. */
export const faultsOf = (dto: Type, body: object): [field: string, fault: FieldFault][] =>
  checksOf(dto).flatMap((checks) => {
    const fault = faultIn(checks, body);
    return fault ? [[checks.field, fault]] : [];
  });
