import type * as Swagger from '@nestjs/swagger';

type Decorators = {
  readonly [
    Name in keyof typeof Swagger as Name extends `Api${string}` ? Name : never
  ]: (typeof Swagger)[Name];
};
type Decorator = ClassDecorator & MethodDecorator & PropertyDecorator;

/** Decorations of loaded classes that have not been applied yet. */
const decorations: ((swagger: typeof Swagger) => void)[] = [];

/**
 * Delays a decoration until the document is created: loading the 600 files of @nestjs/swagger takes a quarter
 * of the start's time, and most servers never create their document.
 */
export const whenDescribed = (decorate: (swagger: typeof Swagger) => void): void => {
  decorations.push(decorate);
};

/** A decorator of @nestjs/swagger that is applied when the document is created. */
const deferred =
  <Name extends keyof Decorators>(name: Name) =>
  (...options: Parameters<Decorators[Name]>): Decorator =>
  (...place: unknown[]) => {
    whenDescribed((swagger) => {
      const decorate: unknown = Reflect.apply(swagger[name], undefined, options);
      Reflect.apply(decorate as Decorator, undefined, place);
    });
  };

export const ApiBasicAuth = deferred('ApiBasicAuth');
export const ApiBearerAuth = deferred('ApiBearerAuth');
export const ApiCookieAuth = deferred('ApiCookieAuth');
export const ApiExcludeEndpoint = deferred('ApiExcludeEndpoint');
export const ApiHeader = deferred('ApiHeader');
export const ApiParam = deferred('ApiParam');
export const ApiProperty = deferred('ApiProperty');
export const ApiPropertyOptional = deferred('ApiPropertyOptional');
export const ApiSecurity = deferred('ApiSecurity');
export const ApiTags = deferred('ApiTags');

/** `ApiProperty` for a number of things. */
export const ApiCount = (options: Swagger.ApiPropertyOptions = {}) =>
  ApiProperty({ type: 'integer', minimum: 0, ...options } as Swagger.ApiPropertyOptions);

/** Takes the delayed decorations, to apply them when the document is created. */
export const takeDecorations = () => decorations.splice(0);
