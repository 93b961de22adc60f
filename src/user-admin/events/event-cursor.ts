import { ApiError } from '../../platform/errors/api-error.js';
import type { EventPosition } from '../../events/event-log.js';
import { decodeBase64Url } from '../../webauthn/base64url.js';

const TIME_BYTES = 6;
const ID_BYTES = 16;

/** A position in the ledger as callers see it: six bytes of time and the event's ID, in Base64URL. */
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
