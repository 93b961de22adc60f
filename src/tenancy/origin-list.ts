import { isDomain } from '../validation/domain.js';

const WEB_ORIGIN = /^https?:\/\/(?:\*\.)?([^/:*?#@\\]+)(?::(?:\d{1,5}|\*))?$/;
const APP_ORIGIN = /^(?:android:apk-key-hash:[\w-]+|ios:bundle-id:[\w.-]+)$/;
export const MAX_ORIGINS = 100;

/** The host of a listed web origin, `example.com` of `https://*.example.com` too; of an app none. */
export const hostOfOrigin = (entry: string): string | undefined => WEB_ORIGIN.exec(entry)?.[1];

/** Exact origins, `https://*.example.com`, `http://localhost:*`, or an app's origin. */
function isOriginEntry(entry: unknown): entry is string {
  if (typeof entry !== 'string') return false;
  const host = hostOfOrigin(entry);
  return host === undefined ? APP_ORIGIN.test(entry) : isDomain(host);
}

/** Whether the value can be the allowed origins of a relying party, or its top origins. */
export const isOriginList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length <= MAX_ORIGINS && value.every(isOriginEntry);

/** Browsers trust these without TLS (W3C Secure Contexts §3.1). */
const isOfThisMachine = (host: string): boolean =>
  host === 'localhost' || host.endsWith('.localhost');

/** Warnings for administrators about allowed origins, as sentences; empty where there is none. */
export function originWarnings(origins: readonly string[]): readonly string[] {
  const open = origins.filter((origin) => {
    const host = origin.startsWith('http:') ? hostOfOrigin(origin) : undefined;
    return host !== undefined && !isOfThisMachine(host);
  });
  if (open.length === 0) return [];
  return [
    `Not encrypted: ${open.join(', ')}. Browsers offer no keys on such pages, and whoever is on the way can change them: write https://.`,
  ];
}
