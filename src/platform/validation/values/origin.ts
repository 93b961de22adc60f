import { isDomain } from './domain.js';

const WEB_ORIGIN = /^https?:\/\/(?:\*\.)?([^/:*?#@\\]+)(?::(?:\d{1,5}|\*))?$/;
const APP_ORIGIN = /^(?:android:apk-key-hash:[\w-]+|ios:bundle-id:[\w.-]+)$/;

/** The host of a listed web origin, `example.com` of `https://*.example.com` too; of an app none. */
export const hostOfOrigin = (entry: string): string | undefined => WEB_ORIGIN.exec(entry)?.[1];

/** Exact origins, `https://*.example.com`, `http://localhost:*`, or an app's origin. */
export function isOrigin(entry: unknown): entry is string {
  if (typeof entry !== 'string') return false;
  const host = hostOfOrigin(entry);
  return host === undefined ? APP_ORIGIN.test(entry) : isDomain(host);
}
