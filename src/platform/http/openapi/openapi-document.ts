import type { INestApplication } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { VERSION } from '../../project.js';
import {
  answersOf,
  completeOperations,
  operationsOf,
  partFiles,
  showExamples,
} from './openapi-operations.js';
import { closeAnswers, modernise } from './openapi-schemas.js';
import type { Schema } from './openapi-schemas.js';
import { takeDecorations } from './openapi.js';
import { samples } from './operation.js';
import { READERS } from '../body/readers.js';
import { refusalExamples, responseOf } from './refusal.openapi.js';

type Swagger = typeof import('@nestjs/swagger');

/**
 * Makes the OpenAPI 3.1 document of the application's HTTP interfaces from the decorators of its controllers
 * and DTOs. `npm run openapi` writes it to dist/openapi.json.
 */
export async function describeInterfaces(app: INestApplication): Promise<OpenAPIObject> {
  const swagger = await import('@nestjs/swagger');
  for (const decorate of takeDecorations()) decorate(swagger);
  const document = swagger.SwaggerModule.createDocument(app, frameOf(swagger));
  completeOperations(document, (refusal) => responseOf(swagger, [refusal]));
  Object.assign(document.components ?? {}, { examples: refusalExamples() });
  const answers = operationsOf(document).flatMap(answersOf);
  closeAnswers(
    document,
    answers.flatMap(({ schema }) => schema ?? []),
  );
  const { schemas = {} } = document.components ?? {};
  for (const schema of Object.values(schemas)) modernise(schema as Schema);
  partFiles(document);
  showExamples(document, samples);
  return document;
}

function frameOf(swagger: Swagger) {
  const builder = new swagger.DocumentBuilder()
    .setOpenAPIVersion('3.1.1')
    .setTitle('ServiceFido')
    .setDescription('Self-hosted FIDO2 / WebAuthn server for many tenants and relying parties.')
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .setVersion(VERSION)
    .addServer('/', 'this server')
    .addBasicAuth({ type: 'http', scheme: 'basic', description: 'accounts: people and scripts' })
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'application keys: sfk_…' })
    .addCookieAuth('servicefido', { type: 'apiKey', in: 'cookie' }, 'servicefido');
  for (const [reader, says] of Object.entries(READERS)) builder.addTag(reader, says);
  return builder.build();
}
