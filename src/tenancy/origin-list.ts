import { isDomain } from '../validation/domain.js';

const WEB_ORIGIN = /^https?:\/\/(?:\*\.)?([^/:*?#@\\]+)(?::(?:\d{1,5}|\*))?$/;
const APP_ORIGIN = /^(?:android:apk-key-hash:[\w-]+|ios:bundle-id:[\w.-]+)$/;
export const MAX_ORIGINS = 100;

/** Exact origins, `https://*.example.com`, `http://localhost:*`, or an app's origin. */
function isOriginEntry(entry: unknown): entry is string {
  if (typeof entry !== 'string') return false;
  const host = WEB_ORIGIN.exec(entry)?.[1];
  return host === undefined ? APP_ORIGIN.test(entry) : isDomain(host);
}

/** Whether the value can be the allowed origins of a relying party, or its top origins. */
export const isOriginList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length <= MAX_ORIGINS && value.every(isOriginEntry);
