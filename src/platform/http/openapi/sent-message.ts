import type { Type } from '@nestjs/common';
import type * as Swagger from '@nestjs/swagger';
import { exampleOf } from './openapi-operations.js';

interface MessageDocs {
  readonly summary: string;
  readonly description: string;
  /** Descriptions of the message's headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** What the receiver's answers mean, by status. */
  readonly answers: Readonly<Record<string, string>>;
}

const messages = new Map<string, MessageDocs & { readonly body: Type }>();

/** Describes a message that the server posts to others, in the section `webhooks` of the OpenAPI document. */
export const SentMessage =
  (name: string, docs: MessageDocs) =>
  (body: Type): void => {
    messages.set(name, { ...docs, body });
  };

/** The classes of all messages. */
export const sentClasses = (): Type[] => [...messages.values()].map(({ body }) => body);

/** Adds the messages to a document that has their schemas. */
export function addWebhooks(document: Swagger.OpenAPIObject, swagger: typeof Swagger): void {
  document.webhooks = Object.fromEntries(
    [...messages].map(([name, { body, headers, answers, ...docs }]) => {
      const schema = { $ref: swagger.getSchemaPath(body) };
      const example = exampleOf(document, schema, true);
      const post = {
        ...docs,
        operationId: `${name}Message`,
        tags: ['integrator'],
        security: [],
        parameters: Object.entries(headers).map(([header, description]) => ({
          name: header,
          in: 'header' as const,
          required: true,
          description,
          schema: { type: 'string' as const },
        })),
        requestBody: { required: true, content: { 'application/json': { schema, example } } },
        responses: Object.fromEntries(
          Object.entries(answers).map(([status, description]) => [status, { description }]),
        ),
      };
      return [name, { post }];
    }),
  );
}
