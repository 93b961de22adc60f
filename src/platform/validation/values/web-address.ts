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
