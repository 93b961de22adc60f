/** One or more lower-case LDH labels, as browsers serialize host names. */
const SUB_LABELS = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+$/;
const PORT = /^:[1-9][0-9]{0,4}$/;
const MAX_PORT = 65535;
const WILDCARD_HOST = '://*.';
const WILDCARD_PORT = ':*';

/**
 * Whether an origin is on the list (WebAuthn L3 §13.4.9 "Validating the origin of a credential").
 *
 * Entries are compared as strings, never as URLs: URL parsers turn many spoofed texts into the expected
 * host. An entry may contain one leading `*.` label (`https://*.example.com`: any number of
 * sub-labels, never the bare domain) or `:*` as its port (any port, or none).
 */
export function originAllowed(origin: string, list: readonly string[]): boolean {
  return list.some((entry) => matches(origin, entry));
}

/** A pattern is not an origin: an origin that reads `https://*.example.com` matches no entry. */
function matches(origin: string, entry: string): boolean {
  if (entry.endsWith(WILDCARD_PORT)) {
    const base = entry.slice(0, -WILDCARD_PORT.length);
    return origin.startsWith(base) && isPort(origin.slice(base.length));
  }
  const star = entry.indexOf(WILDCARD_HOST);
  if (star < 0) return origin === entry;
  const scheme = entry.slice(0, star + 3);
  const domain = entry.slice(star + WILDCARD_HOST.length);
  if (!origin.startsWith(scheme) || !origin.endsWith(`.${domain}`)) return false;
  return SUB_LABELS.test(origin.slice(scheme.length, origin.length - domain.length));
}

function isPort(text: string): boolean {
  return text === '' || (PORT.test(text) && Number(text.slice(1)) <= MAX_PORT);
}
