import type { Document, Operation, Schema } from '../api/openapi.js';

type Closable = { -readonly [Name in keyof Schema]: Schema[Name] };

/**
 * Forbids further members in the objects of answers and of webhooks' messages, so that the tests notice a member that the document does not
 * name. The document itself allows them, since a minor version may add some.
 */
export function closeAnswers({ paths, webhooks = {}, components = {} }: Document): void {
  const closed = new Set<Schema>();
  Object.values(paths)
    .flatMap(Object.values<Operation>)
    .forEach(closeResponses);
  for (const { requestBody } of Object.values(webhooks).flatMap(Object.values<Operation>)) {
    for (const { schema } of Object.values(requestBody?.content ?? {})) close(schema);
  }
  closeResponses({ responses: (components['responses'] ?? {}) as Operation['responses'] });

  function closeResponses({ responses }: Operation): void {
    for (const response of Object.values(responses)) {
      if ('$ref' in response) continue;
      for (const { schema } of Object.values(response.content ?? {})) close(schema);
    }
  }

  function close(schema: Schema | undefined): void {
    const it = schema && resolve(schema);
    if (!it || closed.has(it)) return;
    closed.add(it);
    if (it.type === 'object' && it.properties) it.additionalProperties ??= false;
    const { additionalProperties: others, allOf = [], anyOf = [], oneOf = [] } = it;
    if (typeof others === 'object') close(others);
    [...Object.values(it.properties ?? {}), it.items, ...allOf, ...anyOf, ...oneOf].forEach(close);
  }

  function resolve(schema: Schema): Closable {
    const name = schema.$ref?.split('/').at(-1);
    return name === undefined ? schema : (components['schemas']?.[name] as Schema);
  }
}
