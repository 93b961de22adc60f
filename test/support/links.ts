/** The address that a link of a page leads to, found by its `rel`; `undefined` where there is none. */
export function linkOf(html: string, rel: string): string | undefined {
  const address = new RegExp(`href="([^"]+)" rel="${rel}"`).exec(html)?.[1];
  return address?.replaceAll('&amp;', '&').replaceAll('&#x3D;', '=');
}
