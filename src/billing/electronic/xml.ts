import Builder from 'fast-xml-builder';

/** An element: its text, or its attributes (`@name`), text (`#text`) and children, in order. */
export type XmlNode =
  string | undefined | readonly XmlNode[] | { readonly [name: string]: XmlNode };

const builder = new Builder({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  format: true,
});

/** An XML document in UTF-8. Elements that are `undefined` are omitted. */
export const writeXml = (root: string, content: XmlNode): Buffer =>
  Buffer.from(
    builder.build({ '?xml': { '@version': '1.0', '@encoding': 'UTF-8' }, [root]: content }),
  );
