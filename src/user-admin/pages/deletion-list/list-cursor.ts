import type { WalkPlace } from '../../../users/list/walk.js';
import { ApiError } from '../../../platform/errors/api-error.js';
import { isDomain } from '../../../platform/validation/values/domain.js';

/** A domain, a slash and a position in hex. A domain contains no slash; no index of users has longer entries. */
const CURSOR = /^(?<domain>[^/]{1,253})\/(?<at>(?:[0-9a-f]{2}){0,1024})$/;
const OFFSET = /^\d{1,6}$/;

/** Encodes a position among the users for the page's address. */
export const placeText = ({ domain, at }: WalkPlace): string => `${domain}/${at.toString('hex')}`;

/**
 * @param isPlace whether the bytes can be a position of the requested walk
 * @throws ApiError E0045R for a text that no page had in its address
 */
export function placeIn(cursor: string, isPlace: (at: Buffer) => boolean): WalkPlace {
  const { domain = '', at = '' } = CURSOR.exec(cursor)?.groups ?? {};
  const bytes = Buffer.from(at, 'hex');
  if (!isDomain(domain) || !isPlace(bytes)) throw notOfPage();
  return { domain, at: bytes };
}

/** The number of users on the previous pages. */
export function offsetIn(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  if (!OFFSET.test(cursor)) throw notOfPage();
  return Number(cursor);
}

const notOfPage = () => new ApiError('E0045R', 'cursor.notOfPage');
