import { decodeBase64Url } from '../../../webauthn/base64url.js';

/** Longer than any valid credential ID, handle or key. */
const MAX_BYTES = 8192;
const HEX = /^(?:\\x|0x)((?:[\da-f]{2})+)$/i;

/**
 * Reads bytes as tables and their exports write them: Base64 of either alphabet with or without padding, hex
 * after `\x` or `0x` (PostgreSQL, MySQL), an array of numbers, or JSON of a Buffer or Uint8Array.
 *
 * @returns `undefined` for any other value
 */
export function bytesOf(value: unknown): Buffer | undefined {
  if (typeof value === 'string') return bytesOfText(value);
  if (typeof value !== 'object' || value === null) return undefined;
  const list: unknown = 'data' in value ? value.data : value;
  if (typeof list !== 'object' || list === null) return undefined;
  const items: unknown[] = Array.isArray(list) ? list : Object.values(list);
  const isBytes = items.length > 0 && items.length <= MAX_BYTES && items.every(isByte);
  return isBytes ? Buffer.from(items as number[]) : undefined;
}

function bytesOfText(text: string): Buffer | undefined {
  if (text.length > 2 * MAX_BYTES + 2) return undefined;
  const hex = HEX.exec(text)?.[1];
  if (hex !== undefined) return Buffer.from(hex, 'hex');
  return decodeBase64Url(
    text
      .replace(/={1,2}$/, '')
      .replaceAll('+', '-')
      .replaceAll('/', '_'),
  );
}

const isByte = (item: unknown): boolean =>
  Number.isInteger(item) && Number(item) >= 0 && Number(item) <= 255;

/** The UTF-8 bytes of a text, or of the digits of a number. */
export function utf8Of(value: unknown): Buffer | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && text !== '' && text.isWellFormed()
    ? Buffer.from(text, 'utf8')
    : undefined;
}

/** The 16 bytes of a UUID. */
export function uuidBytes(value: unknown): Buffer | undefined {
  if (typeof value !== 'string') return undefined;
  const hex = value.replaceAll('-', '');
  return /^[\da-f]{32}$/i.test(hex) ? Buffer.from(hex, 'hex') : undefined;
}
