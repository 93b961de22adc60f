import { problem } from '../../platform/errors/reasons.js';
import { isText } from '../../platform/validation/values/texts.js';
import { decodeBase64Url } from '../../webauthn/base64url.js';
import { scimError } from './scim-error.js';

/** Maximum length of `externalId` and of a manager's ID, in bytes of UTF-8. */
const MAX_ID_BYTES = 255;
const ROW_ID_BYTES = 16;

/**
 * An ID that a directory gives; `null` for none.
 *
 * @throws ApiError E0045R `invalidValue`
 */
export function idOf(field: string, value: unknown): string | null {
  if (value === null || value === '') return null;
  if (isText(value) && Buffer.byteLength(value) <= MAX_ID_BYTES) return value;
  throw scimError('invalidValue', problem('field.utf8', { field, most: MAX_ID_BYTES }));
}

/** The same as it is stored. */
export const idBytes = (id: string | null): Buffer | null => (id === null ? null : Buffer.from(id));

/** The row that the `id` of a resource names; `undefined` for a text that no resource has. */
export function rowIdOf(id: string): Buffer | undefined {
  const bytes = decodeBase64Url(id);
  return bytes?.length === ROW_ID_BYTES ? bytes : undefined;
}
