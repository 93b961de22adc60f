import type { Type } from '@nestjs/common';
import { closestName } from '../common/closest-name.js';
import { isObject } from './field-validator.js';
import { fieldsOf, nestedFieldsOf } from './flat-checks.js';

/** Maximum number of unknown fields in the warnings; the first ones show a caller what is wrong. */
const MAX_WARNINGS = 10;
const MAX_NAME = 64;
/** The minimum length of a name that is taken for the beginning of a longer one. */
const MIN_BEGINNING = 4;

/** Metadata key of the fields of a DTO that are objects without a DTO, by the names of their members. */
const MEMBERS = 'servicefido:members';

/** Names the members of a field that is an object without a DTO, so that a warning can say where one belongs. */
export const HasMembers =
  (members: readonly string[]): PropertyDecorator =>
  (prototype, field) => {
    const others = Reflect.getMetadata(MEMBERS, prototype) as Readonly<Record<string, string>>;
    const own = Object.fromEntries(members.map((member) => [member, String(field)]));
    Reflect.defineMetadata(MEMBERS, { ...others, ...own }, prototype);
  };

/** The path of a member that was sent beside the object to which it belongs. */
function placeOf(dto: Type | undefined, name: string): string | undefined {
  const members = dto && (Reflect.getMetadata(MEMBERS, dto.prototype as object) as object);
  return members && Object.hasOwn(members, name)
    ? `${Reflect.get(members, name)}.${name}`
    : undefined;
}

/** A sent field that the call does not know. */
export interface UnknownField {
  readonly name: string;
  /** Of a member of a nested object: the object's path with a dot at its end, else empty. */
  readonly path: string;
  /** The class of the object, and its fields: what the call knows there. */
  readonly dto: Type | undefined;
  readonly known: ReadonlySet<string>;
}

const NO_FIELDS: ReadonlySet<string> = new Set();

/** The fields of a DTO class; none without one, for a handler that takes nothing. */
export const knownFieldsOf = (dto: Type | undefined): ReadonlySet<string> =>
  dto ? fieldsOf(dto) : NO_FIELDS;

/** The members of an object, and of its nested DTOs, that a DTO class does not describe; all without a class. */
export function unknownFieldsOf(
  dto: Type | undefined,
  sent: object,
  path = '',
): readonly UnknownField[] {
  const unknown: UnknownField[] = [];
  const known = knownFieldsOf(dto);
  for (const name of Object.keys(sent)) {
    if (!known.has(name)) unknown.push({ name, path, known, dto });
  }
  if (!dto) return unknown;
  for (const [field, nested] of nestedFieldsOf(dto)) {
    const value: unknown = Reflect.get(sent, field);
    if (isObject(value)) unknown.push(...unknownFieldsOf(nested, value, `${path}${field}.`));
  }
  return unknown;
}

/** Warnings in an answer about fields of the body that are ignored; `undefined` if there are none. */
export function warningsOf(dto: Type, body: object): readonly string[] | undefined {
  const unknown = unknownFieldsOf(dto, body);
  return unknown.length === 0 ? undefined : warningsAbout(unknown);
}

/** One sentence for each of the first unknown fields, and one that counts the others. */
export function warningsAbout(unknown: readonly UnknownField[]): readonly string[] {
  const named = unknown.slice(0, MAX_WARNINGS).map((field) => sentenceAbout(field, IGNORED));
  const more = unknown.length - named.length;
  return more === 0 ? named : [...named, `${more} more fields were ignored.`];
}

/** A name in a sentence: callers may send a very long one. */
export const shortened = (name: string): string =>
  name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name;

const IGNORED = ', and was ignored';

/** The same sentences, for a caller that refuses unknown fields. */
export const mistakesAbout = (unknown: readonly UnknownField[]): readonly string[] =>
  unknown.slice(0, MAX_WARNINGS).map((field) => sentenceAbout(field, ''));

function sentenceAbout(field: UnknownField, outcome: string): string {
  const { name, path } = field;
  const sentence = `"${path}${shortened(name)}" is no field of this call${outcome}.`;
  const meant = guessField(field);
  return meant === undefined ? sentence : `${sentence} Did you mean "${path}${meant}"?`;
}

/** The field that the caller probably meant: one of another object, one that is written alike, or a longer one. */
export function guessField({ name, known, dto }: UnknownField): string | undefined {
  const longer = name.length < MIN_BEGINNING ? [] : known;
  return (
    placeOf(dto, name) ??
    closestName(name, known) ??
    [...longer].find((field) => field.startsWith(name))
  );
}
