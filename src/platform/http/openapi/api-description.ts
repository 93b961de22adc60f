import { createHash } from 'node:crypto';
import { Injectable, type INestApplication } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { OpenAPIObject } from '@nestjs/swagger';
import { PRODUCT_VERSION } from '../../project.js';
import { completeOperations, partFiles, showExamples } from './openapi-operations.js';
import { modernise, type Schema } from './openapi-schemas.js';
import { takeDecorations } from './openapi.js';
import { answerSamples, isDescribed, AUDIENCES } from './operation.js';
import { addWebhooks, sentClasses } from './sent-message.js';
import { refusalExamples, responseOf } from './refusal.answer.js';

type Swagger = typeof import('@nestjs/swagger');

/**
 * Creates the OpenAPI 3.1 document of the application's HTTP interfaces from the decorators of its controllers
 * and DTOs. `npm run openapi` writes it to dist/openapi.json.
 */
export async function describeInterfaces(app: INestApplication): Promise<OpenAPIObject> {
  const swagger = await import('@nestjs/swagger');
  for (const decorate of takeDecorations()) decorate(swagger);
  excludePages(app, swagger);
  const document = swagger.SwaggerModule.createDocument(app, frameOf(swagger), {
    extraModels: sentClasses(),
  });
  completeOperations(document, (refusal) => responseOf(swagger, [refusal]));
  Object.assign(document.components ?? {}, { examples: refusalExamples() });
  const { schemas = {} } = document.components ?? {};
  for (const schema of Object.values(schemas)) modernise(schema as Schema);
  partFiles(document);
  showExamples(document, answerSamples);
  addWebhooks(document, swagger);
  return document;
}

function excludePages(app: INestApplication, { ApiExcludeController }: Swagger): void {
  for (const { controllers } of app.get(ModulesContainer).values()) {
    for (const { metatype } of controllers.values()) {
      if (metatype && !isDescribed(metatype)) ApiExcludeController()(metatype);
    }
  }
}

function frameOf(swagger: Swagger) {
  const builder = new swagger.DocumentBuilder()
    .setOpenAPIVersion('3.1.1')
    .setTitle('ServiceFido')
    .setDescription('Self-hosted FIDO2 / WebAuthn server for many tenants and relying parties.')
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .setVersion(PRODUCT_VERSION)
    .addServer('/', 'this server')
    .addBasicAuth({ type: 'http', scheme: 'basic', description: 'name and password of an account' })
    .addBearerAuth({
      type: 'http',
      scheme: 'bearer',
      description: 'secret of an application key (sfk_…)',
    })
    .addCookieAuth('servicefido', { type: 'apiKey', in: 'cookie' }, 'servicefido');
  for (const [audience, purpose] of Object.entries(AUDIENCES)) builder.addTag(audience, purpose);
  return builder.build();
}

/** The document in the form in which it is sent. */
interface DescriptionFile {
  readonly json: string;
  /** Entity tag, with which clients can check whether their copy is current (RFC 9110 §8.8.3). */
  readonly etag: string;
}

/** The OpenAPI document of this server, created on the first request, since most servers never receive one. */
@Injectable()
export class ApiDescription {
  private app: INestApplication | undefined;
  private document: Promise<OpenAPIObject> | undefined;
  private written: Promise<DescriptionFile> | undefined;

  /** Sets the application to describe, which its own providers cannot inject. */
  of(app: INestApplication): this {
    this.app = app;
    return this;
  }

  read(): Promise<OpenAPIObject> {
    if (!this.app) throw new Error('nobody has said which application is described');
    return (this.document ??= describeInterfaces(this.app));
  }

  /** The document as JSON of half a megabyte, which is written only once. */
  file(): Promise<DescriptionFile> {
    return (this.written ??= this.read().then((document) => {
      const json = JSON.stringify(document);
      return { json, etag: `"${createHash('sha256').update(json).digest('base64url')}"` };
    }));
  }
}
