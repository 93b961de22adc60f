import type { INestApplication } from '@nestjs/common';
import type * as Swagger from '@nestjs/swagger';
import type { OpenAPIObject } from '@nestjs/swagger';
import { VERSION } from '../config/project.js';

type Decorators = {
  readonly [
    Name in keyof typeof Swagger as Name extends `Api${string}` ? Name : never
  ]: (typeof Swagger)[Name];
};
type Decorator = ClassDecorator & MethodDecorator & PropertyDecorator;

/** The decorations of all classes that were loaded and of which no document told yet. */
const decorations: ((swagger: typeof Swagger) => void)[] = [];

/**
 * A decorator of @nestjs/swagger whose work waits for the document: that package loads 600 files, a
 * quarter of the time that a start takes, and most servers are never asked for their document.
 */
const deferred =
  <Name extends keyof Decorators>(name: Name) =>
  (...options: Parameters<Decorators[Name]>): Decorator =>
  (...place: unknown[]) => {
    decorations.push((swagger) => {
      const decorate: unknown = Reflect.apply(swagger[name], undefined, options);
      Reflect.apply(decorate as Decorator, undefined, place);
    });
  };

export const ApiBasicAuth = deferred('ApiBasicAuth');
export const ApiBearerAuth = deferred('ApiBearerAuth');
export const ApiBody = deferred('ApiBody');
export const ApiConsumes = deferred('ApiConsumes');
export const ApiCookieAuth = deferred('ApiCookieAuth');
export const ApiExcludeController = deferred('ApiExcludeController');
export const ApiExcludeEndpoint = deferred('ApiExcludeEndpoint');
export const ApiHeader = deferred('ApiHeader');
export const ApiOperation = deferred('ApiOperation');
export const ApiProduces = deferred('ApiProduces');
export const ApiProperty = deferred('ApiProperty');
export const ApiPropertyOptional = deferred('ApiPropertyOptional');
export const ApiQuery = deferred('ApiQuery');
export const ApiResponse = deferred('ApiResponse');
export const ApiTags = deferred('ApiTags');

/** Describes the application's HTTP interfaces, as the decorators of its controllers and DTOs say. */
export async function describeInterfaces(app: INestApplication): Promise<OpenAPIObject> {
  const swagger = await import('@nestjs/swagger');
  for (const decorate of decorations.splice(0)) decorate(swagger);
  return swagger.SwaggerModule.createDocument(
    app,
    new swagger.DocumentBuilder()
      .setTitle('ServiceFido')
      .setDescription('Self-hosted FIDO2 / WebAuthn server')
      .setVersion(VERSION)
      .addBasicAuth()
      .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'an application key: sfk_…' })
      .addCookieAuth('servicefido', { type: 'apiKey', in: 'cookie' }, 'servicefido')
      .build(),
  );
}
