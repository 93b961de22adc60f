import type { DisabledPosition } from '../../credentials/disabled-search.js';
import { ApiError } from '../../errors/api-error.js';
import { isDomain } from '../../validation/domain.js';

const CURSOR = /^(?<domain>[^/]{1,253})\/(?<after>[0-9a-f]{32})$/;

/** A position in the list of those who have a disabled key, as the page's address has it. */
export const disabledCursorOf = ({ domain, after }: DisabledPosition): string =>
  `${domain}/${after.toString('hex')}`;

/** @throws ApiError E0045R for a text that no page had in its address */
export function disabledPositionOf(cursor: string): DisabledPosition {
  const { domain = '', after = '' } = CURSOR.exec(cursor)?.groups ?? {};
  if (!isDomain(domain)) throw new ApiError('E0045R', '"cursor" must be that of a page.');
  return { domain, after: Buffer.from(after, 'hex') };
}
