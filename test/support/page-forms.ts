import type { FormFields, Shown } from './browser-client.js';

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"' };

const decoded = (text: string): string =>
  text.replaceAll(/&(?:#x([0-9a-f]+)|(\w+));/gi, (whole, code?: string, name = '') =>
    code === undefined ? (ENTITIES[name] ?? whole) : String.fromCodePoint(parseInt(code, 16)),
  );

const attributeIn = (tag: string, name: string): string | undefined => {
  const found = new RegExp(`\\s${name}(?:="([^"]*)")?(?=[\\s>])`).exec(tag);
  return found ? decoded(found[1] ?? '') : undefined;
};

/** The fields that an element of a form sends; none for a box that is not ticked. */
function sentBy(element: string): string | undefined {
  const [tag = ''] = /^<[^>]*>/.exec(element) ?? [];
  if (tag.startsWith('<textarea'))
    return decoded(/>\n?([^]*)<\/textarea>/.exec(element)?.[1] ?? '');
  if (tag.startsWith('<select')) {
    const options = element.match(/<option[^>]*>/g) ?? [];
    const selected = options.find((one) => attributeIn(one, 'selected') !== undefined);
    return attributeIn(selected ?? options[0] ?? '', 'value');
  }
  const isBox = ['checkbox', 'radio'].includes(attributeIn(tag, 'type') ?? '');
  if (isBox && attributeIn(tag, 'checked') === undefined) return undefined;
  return attributeIn(tag, 'value') ?? '';
}

/** The fields that a browser sends with the form of this address, if the user changes nothing. */
export function fieldsOfForm(html: string, action: string): FormFields {
  const form = html
    .split(/<form\b/)
    .find((part) => attributeIn(`<form${part}`, 'action') === action);
  if (form === undefined) throw new Error(`The page has no form ${action}`);
  const [own = ''] = form.split('</form>');
  const elements = own.match(/<input\b[^>]*>|<(select|textarea)\b[^]*?<\/\1>/g) ?? [];
  const fields = new Map<string, string[]>();
  for (const element of elements) {
    const [tag = ''] = /^<[^>]*>/.exec(element) ?? [];
    const name = attributeIn(tag, 'name');
    const value = sentBy(element);
    if (name === undefined || value === undefined || attributeIn(tag, 'disabled') !== undefined)
      continue;
    fields.set(name, [...(fields.get(name) ?? []), value]);
  }
  return Object.fromEntries(fields);
}

/** The occasion that a form of the page names: what one undo takes back. */
export const occasionIn = (html: string): string =>
  /name="occasion" value="([^"]+)"/.exec(html)?.[1] ?? '';

/** The options of a ceremony that a page gave its script. */
export function optionsIn<T>({ text }: Shown, name: 'create' | 'get'): T {
  const [, json = ''] = new RegExp(`data-${name}="([^"]+)"`).exec(text) ?? [];
  return JSON.parse(decoded(json)) as T;
}

/** The changes by others that a page reports. */
export const noticeIn = ({ text }: Shown): string =>
  (/role="alert"[^]*?<\/ul>/.exec(text)?.[0] ?? '').replaceAll(/<[^>]*>/g, '');
