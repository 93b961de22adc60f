import { ApiError } from '../../platform/errors/api-error.js';

/** The detail of a refusal, which only the help desk sees. */
export const SUSPENDED_USER = 'user-suspended';

/** E0034R for a key that is disabled, or whose user is suspended: callers do not learn which. */
export const disabledKey = ({ isSuspended }: { readonly isSuspended: boolean }): ApiError =>
  isSuspended
    ? new ApiError('E0034R', 'credential.disabled', {}, { detail: SUSPENDED_USER })
    : new ApiError('E0034R');

/** @throws ApiError E0043R for a registration of a suspended user */
export function ensureNotSuspended(user: { readonly isSuspended: boolean } | undefined): void {
  if (user?.isSuspended) throw new ApiError('E0043R', 'user.suspended');
}
