/** Stands for this server, whatever it is called. */
const HERE = 'http://here.invalid';
/** Two slashes would begin the name of another server; a browser takes a backslash for one. */
const OWN_PATH = /^\/(?![/\\])/;

/**
 * Where a sign-in leads on to: a page of this server, whatever was asked for. It is read as browsers read
 * addresses, which leave tabs and line ends out, take `\` for `/`, and make `/.//other.example` of two parts.
 *
 * @returns path, query and fragment; `/` where `to` is anything else
 */
export function ownPath(to: unknown): string {
  if (typeof to !== 'string' || !OWN_PATH.test(to) || !URL.canParse(to, HERE)) return '/';
  const { origin, pathname, search, hash } = new URL(to, HERE);
  if (origin !== HERE || !OWN_PATH.test(pathname)) return '/';
  return `${pathname}${search}${hash}`;
}
