import { ApiError } from '../../platform/errors/api-error.js';
import type { SentForm } from '../../platform/validation/dto.pipe.js';

/**
 * Returns the new password in a form untrimmed, unlike other fields.
 *
 * @throws ApiError E0045R if it begins or ends with a blank, or the two fields differ
 */
export function newPasswordIn(fields: SentForm['fields']): string {
  const password = String(fields['password']);
  const again = String(fields['again']);
  if (password.trim() !== password) throw new ApiError('E0045R', 'account.passwordBlank');
  if (again !== password) throw new ApiError('E0045R', 'account.passwordsDiffer');
  return password;
}
