import { ApiError } from '../../platform/errors/api-error.js';
import { problem } from '../../platform/errors/reasons.js';
import { Rule } from '../../platform/validation/rule.js';
import type { Coded } from '../../platform/validation/rule.js';
import { originAllowed } from '../../webauthn/origin.js';

const MAX_URL = 500;
const COLOUR = /^#[0-9a-f]{6}$/i;
/** An address without a fragment, since that is where the code of an invitation goes. */
const HTTPS_ADDRESS = /^https:\/\/[\x21\x22\x24-\x7e]+$/;

function isEnrolmentUrl(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > MAX_URL || !HTTPS_ADDRESS.test(value)) {
    return false;
  }
  if (!URL.canParse(value)) return false;
  const { username, password } = new URL(value);
  return username === '' && password === '';
}

/** The address of a relying party's own page for invitations, or `null`. */
export const IsEnrolmentUrl = (options: Coded): PropertyDecorator =>
  Rule(
    'isEnrolmentUrl',
    options,
    (value) => value === null || isEnrolmentUrl(value),
    (field) => problem('field.enrolmentUrl', { field, most: MAX_URL }),
  );

/** The colour of pages, or `null`. */
export const IsColour = (options: Coded): PropertyDecorator =>
  Rule(
    'isColour',
    options,
    (value) => value === null || (typeof value === 'string' && COLOUR.test(value)),
    (field) => problem('field.colour', { field }),
  );

/**
 * Refuses a page for invitations that is elsewhere: a link that carries an invitation's code must lead
 * only to pages that may register keys anyway.
 *
 * @throws ApiError E0045R
 */
export function ensureOnOrigin(enrolmentUrl: string | null, origins: readonly string[]): void {
  if (enrolmentUrl === null || originAllowed(new URL(enrolmentUrl).origin, origins)) return;
  throw new ApiError('E0045R', 'enrolmentUrl.otherOrigin', {}, { field: 'enrolmentUrl' });
}
