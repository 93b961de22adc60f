/**
 * Cursors of lists: of users, of a search, and of events read backward. The cursors of events read forward, which a
 * restored backup does not reuse, are in `events/forward-events.ts`.
 */
import type { WalkPlace } from '../users/list/walk.js';
import type { SearchPlace } from '../users/search/name-search.js';
import { ApiError } from '../platform/errors/api-error.js';
import { isDomain } from '../platform/validation/values/domain.js';
import { foldedBytes } from '../platform/validation/values/folded-name.js';
import { MAX_NAME_BYTES } from '../platform/validation/values/names.js';
import { decodeBase64Url } from '../webauthn/base64url.js';
import type { EventPosition } from '../events/event-log.js';

/** One byte more than the longest folded name also occurs: as the position just after that name. */
const MAX_BYTES = foldedBytes(MAX_NAME_BYTES) + 1;

/**
 * Encodes a position in a list of users for callers: the domain, a zero byte and the bytes of a name, or of an
 * entry of another index, in Base64URL. It is not signed, since it grants nothing: each page contains only
 * what the account may see.
 */
export const cursorOf = ({ domain, at }: WalkPlace): string =>
  Buffer.concat([Buffer.from(`${domain}\0`, 'latin1'), at]).toString('base64url');

/** @throws ApiError E0045R for a text that cannot be the `next` of an answer */
export function positionOf(cursor: string): WalkPlace {
  const bytes = decodeBase64Url(cursor);
  const end = bytes?.indexOf(0) ?? -1;
  const domain = bytes?.toString('latin1', 0, Math.max(end, 0)) ?? '';
  const at = bytes?.subarray(end + 1);
  if (!at || !isDomain(domain) || at.length > MAX_BYTES) {
    throw new ApiError('E0045R', 'cursor.wrong');
  }
  return { domain, at };
}

/** Encodes the position at which a search by words continues. */
export const searchCursor = ({ domain, lookedAt }: SearchPlace): string =>
  cursorOf({ domain, at: Buffer.from(String(lookedAt)) });

/** @throws ApiError E0045R for a text that cannot be the `next` of an answer */
export function searchPlaceOf(cursor: string): SearchPlace {
  const { domain, at } = positionOf(cursor);
  const lookedAt = Number(at.toString('latin1'));
  if (!Number.isSafeInteger(lookedAt) || lookedAt < 0) throw new ApiError('E0045R', 'cursor.wrong');
  return { domain, lookedAt };
}

const TIME_BYTES = 6;
const ID_BYTES = 16;

/** Encodes a position in the ledger for callers: six bytes of time and the event's ID, in Base64URL. */
export function eventCursorOf({ at, id }: EventPosition): string {
  const time = Buffer.alloc(TIME_BYTES);
  time.writeUIntBE(at, 0, TIME_BYTES);
  return Buffer.concat([time, id]).toString('base64url');
}

/** @throws ApiError E0045R for a text that cannot be the `next` of an answer */
export function eventPositionOf(cursor: string): EventPosition {
  const bytes = decodeBase64Url(cursor);
  if (bytes?.length !== TIME_BYTES + ID_BYTES) {
    throw new ApiError('E0045R', 'cursor.wrong');
  }
  return { at: bytes.readUIntBE(0, TIME_BYTES), id: bytes.subarray(TIME_BYTES) };
}

/** A domain, a slash and a position in hex. A domain contains no slash; no index of users has longer entries. */
const CURSOR = /^(?<domain>[^/]{1,253})\/(?<at>(?:[0-9a-f]{2}){0,1024})$/;
const OFFSET = /^\d{1,6}$/;

/** Encodes a position among the users for the page's address. */
export const walkPlaceText = ({ domain, at }: WalkPlace): string =>
  `${domain}/${at.toString('hex')}`;

/**
 * @param isPlace whether the bytes can be a position of the requested walk
 * @throws ApiError E0045R for a text that no page had in its address
 */
export function parseWalkPlace(cursor: string, isPlace: (at: Buffer) => boolean): WalkPlace {
  const { domain = '', at = '' } = CURSOR.exec(cursor)?.groups ?? {};
  const bytes = Buffer.from(at, 'hex');
  if (!isDomain(domain) || !isPlace(bytes)) throw notOfPage();
  return { domain, at: bytes };
}

/** Whether the text is a position among users sorted in memory. */
export const isOffset = (cursor: string): boolean => OFFSET.test(cursor);

/** The number of users on the previous pages. */
export function offsetIn(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  if (!isOffset(cursor)) throw notOfPage();
  return Number(cursor);
}

const notOfPage = () => new ApiError('E0045R', 'cursor.notOfPage');
