const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const NAME = new RegExp(`^(?=.{1,253}$)${LABEL}(?:\\.${LABEL})*$`);
/** URL parsers read a name whose last label is a number as an IP address. */
const ENDS_IN_NUMBER = /(?:^|\.)(?:\d+|0x[0-9a-f]*)$/;

/** Whether the text is a host name that can be an RP ID: lower-case A-labels, no IP address. */
export function isDomain(text: string): boolean {
  return NAME.test(text) && !ENDS_IN_NUMBER.test(text);
}

/** Whether a host is the domain or one of its sub-domains; both in lower case. */
export const isAtOrBelow = (host: string, domain: string): boolean =>
  host === domain || host.endsWith(`.${domain}`);

const URL_HOST = /^https?:\/\/([^/?#@\\:]+)(?::\d{1,5})?(?:[/?#].*)?$/i;

/** The host that a text names, in lower case: the text itself, or the host of a URL. It need not be a domain. */
export const namedHost = (text: string): string => (URL_HOST.exec(text)?.[1] ?? text).toLowerCase();

const WEB_ORIGIN = /^https?:\/\/(?:\*\.)?([^/:*?#@\\]+)(?::(?:\d{1,5}|\*))?$/;
const SHELLS = '(?:chrome|moz|safari-web)-extension|capacitor|ionic|tauri';
const APP_ORIGIN = new RegExp(
  `^(?:android:apk-key-hash:[\\w-]+|ios:bundle-id:[\\w.-]+|(?:${SHELLS})://[\\w.-]+(?::\\d{1,5})?)$`,
);
const WRITTEN_ORIGIN = /^(https?):\/\/([^/:?#@\\]+)(?::(\d{1,5}|\*))?\/?$/i;
const WRITTEN_SHELL = new RegExp(`^(${SHELLS})(://[^/]+)/?$`, 'i');
const DEFAULT_PORTS: Readonly<Record<string, number>> = { http: 80, https: 443 };

/**
 * An origin as browsers write it (RFC 6454 §6.2): scheme and host in lower case, without the default port and a lone
 * `/`. Anything else is returned unchanged: the host of an app's origin is compared exactly.
 */
export function normalizeOrigin(entry: string): string {
  const [, scheme, host, port] = WRITTEN_ORIGIN.exec(entry) ?? [];
  if (scheme === undefined || host === undefined) {
    return entry.replace(
      WRITTEN_SHELL,
      (_, shell: string, rest: string) => shell.toLowerCase() + rest,
    );
  }
  const protocol = scheme.toLowerCase();
  const isDefault = port === undefined || Number(port) === DEFAULT_PORTS[protocol];
  return `${protocol}://${host.toLowerCase()}${isDefault ? '' : `:${port}`}`;
}

/** The origins as browsers write them, without duplicates. */
export const normalizeOrigins = (entries: readonly string[]): string[] => [
  ...new Set(entries.map(normalizeOrigin)),
];

/** The host of a web origin in a list, `example.com` for `https://*.example.com` too; an app has none. */
export const hostOfOrigin = (entry: string): string | undefined => WEB_ORIGIN.exec(entry)?.[1];

/** Whether it is the origin of an extension or an app shell, which many apps share. */
export const isShellOrigin = (origin: string): boolean => WRITTEN_SHELL.test(origin);

/** Exact origins, `https://*.example.com`, `http://localhost:*`, or an app's origin, which need not be normalized. */
export function isOrigin(written: unknown): written is string {
  if (typeof written !== 'string') return false;
  const entry = normalizeOrigin(written);
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
