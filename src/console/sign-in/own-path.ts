/** Origin that stands for this server, whatever its name. */
const HERE = 'http://here.invalid';
/** Two slashes would begin the name of another server, and browsers take a backslash for a slash. */
const OWN_PATH = /^\/(?![/\\])/;

/**
 * The page of this server to which a sign-in leads on, whatever was asked for. It is read as browsers read
 * addresses: they leave out tabs and line ends, take `\` for `/`, and resolve `/.//other.example` to
 * `//other.example`.
 *
 * @returns path, query and fragment; `/` where `to` is anything else
 */
export function ownPath(to: unknown): string {
  if (typeof to !== 'string' || !OWN_PATH.test(to) || !URL.canParse(to, HERE)) return '/';
  const { origin, pathname, search, hash } = new URL(to, HERE);
  if (origin !== HERE || !OWN_PATH.test(pathname)) return '/';
  return `${pathname}${search}${hash}`;
}
