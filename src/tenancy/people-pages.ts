import { ApiError } from '../errors/api-error.js';
import { Rule } from '../validation/field.js';
import type { Coded } from '../validation/field.js';
import { originAllowed } from '../webauthn/origin.js';

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
    `must be null or an address of up to ${MAX_URL} characters that begins with https:// and has no #`,
  );

/** The colour of pages, or `null`. */
export const IsColour = (options: Coded): PropertyDecorator =>
  Rule(
    'isColour',
    options,
    (value) => value === null || (typeof value === 'string' && COLOUR.test(value)),
    'must be null or a colour such as #1f6feb',
  );

/**
 * Refuses a page for invitations that is elsewhere: a link that carries an invitation's code must lead
 * only to pages that may register keys anyway.
 *
 * @throws ApiError E0045R
 */
export function ensureOnOrigin(enrolmentUrl: string | null, origins: readonly string[]): void {
  if (enrolmentUrl === null || originAllowed(new URL(enrolmentUrl).origin, origins)) return;
  throw new ApiError('E0045R', '"enrolmentUrl" must be on one of the relying party\'s origins.');
}
