import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsInt, Max, Min, ValidateIf } from 'class-validator';
import { problem } from '../errors/reasons.js';
import { FieldValidator, isPresent } from './field-validator.js';
import {
  displayNameProblem,
  isDisplayName,
  isKnownName,
  isName,
  nameProblem,
} from './values/names.js';
import { isText } from './values/texts.js';

/** What a list may contain: the number of its items, and whether equal items are refused. */
interface ListBounds {
  readonly min: number;
  readonly max: number;
  readonly unique?: boolean;
}

/**
 * Whether a value is a list within the bounds.
 *
 * @param fits whether an item is allowed
 */
export const isListOf = (
  value: unknown,
  fits: (item: unknown) => boolean,
  { min, max, unique = false }: ListBounds,
): value is unknown[] =>
  Array.isArray(value) &&
  value.length >= min &&
  value.length <= max &&
  (!unique || new Set(value).size === value.length) &&
  value.every(fits);

export const isOneOf = (words: readonly string[], value: unknown): boolean =>
  typeof value === 'string' && words.includes(value);

/** A name of a user or of anything else, as `names.ts` allows it. */
export const IsName = FieldValidator('isName', isName, nameProblem);

/** A name with a maximum number of characters. */
export const IsShortName = (most: number): PropertyDecorator =>
  FieldValidator(
    'isShortName',
    (value) => isName(value) && value.length <= most,
    (field) => problem('field.visibleName', { field, most }),
  )();

/** The name of a user who exists. */
export const IsKnownName = FieldValidator('isKnownName', isKnownName, nameProblem);

export const IsDisplayName = FieldValidator('isDisplayName', isDisplayName, displayNameProblem);

/** Maximum length of a text; no address or form of ours needs as many characters. */
const MAX_TEXT = 4096;

/** Reads a field that a form may send any number of times, for example checkboxes: a single one arrives as a text. */
export const ReadsTicks = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? [value] : value));

/** Whether the value is a single text from an address or a form. */
export const isOneText = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAX_TEXT && value.isWellFormed();

export const IsOneText = FieldValidator('isOneText', isOneText, (field) =>
  problem('field.once', { field }),
);

/** A parameter of an address or a form that may be empty or absent. */
export const MayBeEmpty = (): PropertyDecorator =>
  applyDecorators(ReadsEmptyAsAbsent(), ValidateIf(isPresent));

/** A text from an address or a form that may be empty or absent. */
export const MayBeText = (): PropertyDecorator => applyDecorators(MayBeEmpty(), IsOneText());

export const IsWithin = (min: number, max: number): PropertyDecorator =>
  applyDecorators(Max(max), Min(min), IsInt());

/** Maximum length of the reason that an account gives for a change. */
export const MAX_REASON = 200;

export const IsReason = FieldValidator(
  'isReason',
  (reason) => isText(reason) && reason.length <= MAX_REASON,
  (field, reason) =>
    typeof reason !== 'string' || isText(reason)
      ? problem('field.maxCharacters', { field, most: MAX_REASON })
      : problem('field.characters', { field }),
);

/** A position in a list: the ID of a row, 16 bytes. */
export const IsRowPosition = FieldValidator(
  'isRowPosition',
  (value) => Buffer.isBuffer(value) && value.length === 16,
  (field) => problem('field.position', { field }),
);

/** Treats an empty text as absent, since forms send one for an empty field. */
export const ReadsEmptyAsAbsent = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => (value === '' ? undefined : value));

/**
 * Converts a text with a function. A text that it cannot read stays unchanged, and a value that is not a text
 * becomes `null`, so that the field's validator refuses both.
 */
export const Reads = (read: (text: string) => unknown): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => {
    if (value === undefined) return undefined;
    return typeof value === 'string' ? (read(value) ?? value) : null;
  });

const WHOLE_NUMBER = /^(?:0|[1-9]\d{0,14})$/;

/** Reads a whole number that a query contains as a text; numbers of JSON stay unchanged. */
export const ReadsNumber = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' && WHOLE_NUMBER.test(value) ? Number(value) : value,
  );
