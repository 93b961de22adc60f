import type { Document } from './openapi.js';

/** An example and the place of its schema, as a JSON pointer. */
type Example = readonly [pointer: string, value: unknown];

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const step = (name: string) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** All examples of an OpenAPI document: those of bodies and parameters, and those inside schemas. */
export function examplesIn(document: Document): Example[] {
  return visit(document, '');

  function visit(place: unknown, pointer: string): Example[] {
    if (!isObject(place)) return [];
    const inside = Object.entries(place)
      .filter(([name]) => name !== 'example' && name !== 'examples')
      .flatMap(([name, value]) => visit(value, pointer + step(name)));
    return [...examplesAt(place, pointer), ...inside];
  }

  function examplesAt(place: Readonly<Record<string, unknown>>, pointer: string): Example[] {
    const { schema, example, examples } = place;
    if (Array.isArray(examples)) return examples.map((value): Example => [pointer, value]);
    if (!isObject(schema)) return [];
    const values = Object.values(examples ?? {}).map(valueOf);
    if (example !== undefined) values.push(example);
    return values.map((value): Example => [`${pointer}/schema`, value]);
  }

  function valueOf(example: { readonly $ref?: string; readonly value?: unknown }): unknown {
    const name = example.$ref?.split('/').at(-1);
    if (name === undefined) return example.value;
    return (document.components?.['examples']?.[name] as typeof example).value;
  }
}
