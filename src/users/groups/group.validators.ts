import { problem } from '../../platform/errors/reasons.js';
import { isListOf } from '../../platform/validation/decorators.js';
import { FieldValidator } from '../../platform/validation/field-validator.js';
import { isName, normalizeName } from '../../platform/validation/values/names.js';

/** Maximum number of groups of a user. */
export const MAX_GROUPS = 50;

/** Whether the value is a list of different names, as users may have. */
export const isGroups = (value: unknown): value is string[] =>
  isListOf(value, isName, { min: 0, max: MAX_GROUPS }) &&
  new Set(value.map((name) => normalizeName(String(name)))).size === value.length;

export const groupsProblem = (field: string) =>
  problem('field.groups', { field, most: MAX_GROUPS });

export const IsGroups = FieldValidator('isGroups', isGroups, groupsProblem);
