/** Elements that are not the page's own text: names (isolated), technical words, and text marked as English. */
const NOT_OURS =
  /<(bdi|code|kbd|style|script|textarea|q lang|time)\b[^>]*>.*?<\/\1>|<(?!html)(\w+) lang="en"[^>]*>.*?<\/\2>/gs;
const SPOKEN = /\s(?:title|alt|aria-label|placeholder|data-label)="([^"]+)"/g;
/** Names of products and files, which have no language. */
const NAMES =
  /ServiceFido|HTTP Basic|HTTPS|FIDO2|WebAuthn|AAGUID|UTC|\b(?:CSV|JSON|API|Excel|Windows|Linux|Chrome|Firefox)\b|&\w+;/g;

/** All texts of a page: in elements, and in attributes that are shown or read out. */
export function textsOf(html: string): string[] {
  const own = html.replaceAll(NOT_OURS, '');
  return [
    ...[...own.matchAll(SPOKEN)].map(([, text = '']) => text),
    ...own.split(/<[^>]*>/).map((text) => text.replaceAll(/\s+/g, ' ').trim()),
  ].filter((text) => /\p{L}{2}/u.test(text.replaceAll(NAMES, '')));
}
