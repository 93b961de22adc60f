const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const NAME = new RegExp(`^(?=.{1,253}$)${LABEL}(?:\\.${LABEL})*$`);
/** URL parsers read a name whose last label is a number as an IP address. */
const ENDS_IN_NUMBER = /(?:^|\.)(?:\d+|0x[0-9a-f]*)$/;

/** Whether the text is a host name that can be an RP ID: lower-case A-labels, no IP address. */
export function isDomain(text: string): boolean {
  return NAME.test(text) && !ENDS_IN_NUMBER.test(text);
}

const WEB_ORIGIN = /^https?:\/\/(?:\*\.)?([^/:*?#@\\]+)(?::(?:\d{1,5}|\*))?$/;
const APP_ORIGIN = /^(?:android:apk-key-hash:[\w-]+|ios:bundle-id:[\w.-]+)$/;

/** The host of a web origin in a list, `example.com` for `https://*.example.com` too; an app has none. */
export const hostOfOrigin = (entry: string): string | undefined => WEB_ORIGIN.exec(entry)?.[1];

/** Exact origins, `https://*.example.com`, `http://localhost:*`, or an app's origin. */
export function isOrigin(entry: unknown): entry is string {
  if (typeof entry !== 'string') return false;
  const host = hostOfOrigin(entry);
  return host === undefined ? APP_ORIGIN.test(entry) : isDomain(host);
}

/**
 * Reads an http or https address without user information.
 *
 * @param value anything that was sent
 * @returns `undefined` for anything else, and for an address of more than `maxLength` characters
 */
export function webAddress(value: unknown, maxLength: number): URL | undefined {
  if (typeof value !== 'string' || value.length > maxLength || !URL.canParse(value)) {
    return undefined;
  }
  const url = new URL(value);
  const hasWebScheme = url.protocol === 'https:' || url.protocol === 'http:';
  return hasWebScheme && url.username === '' && url.password === '' ? url : undefined;
}
