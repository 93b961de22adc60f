import type { Type } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { Field, Rule, isObject, optional } from './field.js';
import type { Coded, Check } from './field.js';
import { faultOf } from './flat-checks.js';
import { DISPLAY_NAME_RULE, NAME_RULE, isDisplayName, isName } from './names.js';

/** Whether the value is one of a few words. */
export const isOneOf = (words: readonly string[], value: unknown): boolean =>
  typeof value === 'string' && words.includes(value);

/** A name of a user or of anything else, as `names.ts` allows it. */
export const IsName = (options: Coded): PropertyDecorator =>
  Rule('isName', options, isName, NAME_RULE);

/** The display name of a person. */
export const IsDisplayName = (options: Coded): PropertyDecorator =>
  Rule('isDisplayName', options, isDisplayName, DISPLAY_NAME_RULE);

export const IsText = (options: Coded): PropertyDecorator =>
  Rule('isText', options, (value) => typeof value === 'string', 'must be a string');

export const IsFlag = (options: Coded): PropertyDecorator =>
  Rule('isFlag', options, (value) => typeof value === 'boolean', 'must be true or false');

export const IsOneOf = (words: readonly string[], options: Coded): PropertyDecorator =>
  Rule('isOneOf', options, (value) => isOneOf(words, value), `must be one of ${words.join(', ')}`);

export const IsJsonObject = (options: Coded): PropertyDecorator =>
  Rule('isJsonObject', options, isObject, 'must be an object');

/**
 * An object whose members another class describes; the first rule that a member breaks becomes the field's
 * fault.
 */
export const IsObjectOf = (dto: Type, options: Coded): PropertyDecorator =>
  Field('isObjectOf', options, (): Check => (value) => {
    if (!isObject(value)) return options.context.code;
    return faultOf(dto, value);
  });

export const IsWholeNumber = (
  { min, max }: { min: number; max: number },
  options: Coded,
): PropertyDecorator =>
  Rule(
    'isWholeNumber',
    options,
    (value) => Number.isInteger(value) && Number(value) >= min && Number(value) <= max,
    `must be a whole number from ${min} to ${max}`,
  );

/** The most characters of a text; no address or form of ours needs as many. */
const MAX_TEXT = 4096;

/** Whether the value is a single text from an address or a form. */
export const isOneText = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAX_TEXT && value.isWellFormed();

export const IsOneText = (options: Coded): PropertyDecorator =>
  Rule('isOneText', options, isOneText, 'must be given once, as a text');

/** A text from an address or a form that may be empty or left out. */
export const MayBeText =
  (options: Coded): PropertyDecorator =>
  (prototype, key) => {
    EmptyIsAbsent()(prototype, key);
    IsOneText(optional(options))(prototype, key);
  };

/** Treats an empty text as absent, since forms send one for a field that was left empty. */
export const EmptyIsAbsent = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => (value === '' ? undefined : value));

/**
 * Converts a text with a function. A text that it cannot read stays unchanged, and a value that is not a text
 * becomes `null`, so that the field's rule refuses both.
 */
export const Reads = (read: (text: string) => unknown): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' ? (read(value) ?? value) : value === undefined ? undefined : null,
  );

const WHOLE_NUMBER = /^(?:0|[1-9]\d{0,14})$/;

/** Reads a whole number that a query writes as a text; numbers of JSON stay as they are. */
export const ReadsNumber = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' && WHOLE_NUMBER.test(value) ? Number(value) : value,
  );
