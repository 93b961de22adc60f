import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { Express, RequestHandler } from 'express';
import hbs from 'hbs';
import type { Logger } from 'pino';
import { AppModule } from './app.module.js';
import type { Clock } from './config/clock.js';
import { VERSION, projectPath } from './config/project.js';
import type { ServerOptions } from './config/server-options.js';
import { SecretStore } from './database/secret-store.js';
import { ErrorFilter } from './errors/error.filter.js';
import { fidoSession } from './fido/session.js';
import { allowedMethods } from './http/allowed-methods.js';
import { jsonBody } from './http/json-body.js';
import { LeanExpressAdapter } from './http/lean-express-adapter.js';
import { requestContext } from './http/request-context.js';
import { apiHeaders, pageHeaders } from './http/security-headers.js';
import { NestLog, createLog } from './logging/logger.js';
import { fidoCors } from './tenancy/cors.js';
import { TenantDirectory } from './tenancy/tenant-directory.js';
import { BodyPipe } from './validation/body.pipe.js';

const API_PATHS = [
  '/fidoapi',
  '/tenantapi',
  '/userapi',
  '/users',
  '/health',
  '/metrics',
  '/.well-known',
];
const require = createRequire(import.meta.url);

/** What tests put in the place of the real thing. */
interface Substitutes {
  clock?: Clock;
  log?: Logger;
}

/** The application, complete but not listening: for the server and for tests alike. */
export async function createApp(
  options: ServerOptions,
  { clock, log = createLog(options) }: Substitutes = {},
): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(
    AppModule.with(options, clock),
    new LeanExpressAdapter(),
    {
      bodyParser: false,
      logger: new NestLog(log),
      abortOnError: false,
      ...tlsOptions(options),
    },
  );
  const express = app.getHttpAdapter().getInstance() as Express;
  app.set('trust proxy', options.trustProxy);
  app.useGlobalPipes(new BodyPipe());
  app.useGlobalFilters(new ErrorFilter({ log, app: express, allowedMethods }));
  app.use(requestContext(log));
  await useApi(app);
  usePages(app, options);
  return app;
}

function tlsOptions({ tlsCert, tlsKey }: ServerOptions) {
  if (tlsCert === undefined || tlsKey === undefined) return {};
  return { httpsOptions: { cert: readFileSync(tlsCert), key: readFileSync(tlsKey) } };
}

/** What stands in front of the controllers that answer machines. */
async function useApi(app: NestExpressApplication): Promise<void> {
  const secret = await app
    .get(SecretStore)
    .findOrCreate('session-cookie', () => randomBytes(32).toString('base64url'));
  const json = jsonBody();
  app.use(API_PATHS, apiHeaders);
  app.use('/fidoapi', fidoCors(app.get(TenantDirectory)), json, fidoSession(secret));
  app.use(['/tenantapi', '/userapi'], json);
}

function usePages(app: NestExpressApplication, { tlsCert }: ServerOptions): void {
  app.use(unless(API_PATHS, pageHeaders(tlsCert !== undefined)));
  app.engine('hbs', hbs.__express);
  hbs.registerPartials(projectPath('views/partials'));
  app.setBaseViewsDir(projectPath('views'));
  app.setViewEngine('hbs');
  useAssets(app, '/static/', projectPath('views/public'));
  useAssets(app, '/assets/pico/', join(packageDirectory('@picocss/pico'), 'css'));
  useAssets(app, '/assets/swagger-ui/', packageDirectory('swagger-ui-dist'));
  app.useStaticAssets(projectPath('dist/sdk'), {
    prefix: '/sdk/',
    index: false,
    setHeaders: (response, path) => {
      // Known to Express as an MPEG transport stream.
      if (path.endsWith('.ts')) response.setHeader('Content-Type', 'text/plain; charset=utf-8');
      response.setHeader('Access-Control-Allow-Origin', '*');
      response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
    },
  });
  const document = openApi(app);
  app.use('/docs/openapi.json', ((_request, response) => {
    response.json(document());
  }) satisfies RequestHandler);
}

function useAssets(app: NestExpressApplication, prefix: string, directory: string): void {
  app.useStaticAssets(directory, { prefix, index: false, maxAge: '1h' });
}

const packageDirectory = (name: string) => dirname(require.resolve(`${name}/package.json`));

const unless =
  (paths: readonly string[], handler: RequestHandler): RequestHandler =>
  (request, response, next) =>
    paths.some((path) => request.path.startsWith(path)) ? next() : handler(request, response, next);

/** Made when first asked for: reading all the metadata would cost every start. */
function openApi(app: NestExpressApplication): () => OpenAPIObject {
  let document: OpenAPIObject | undefined;
  return () =>
    (document ??= SwaggerModule.createDocument(
      app,
      new DocumentBuilder()
        .setTitle('ServiceFido')
        .setDescription('Self-hosted FIDO2 / WebAuthn server')
        .setVersion(VERSION)
        .addBasicAuth()
        .addCookieAuth('servicefido', { type: 'apiKey', in: 'cookie' }, 'servicefido')
        .build(),
    ));
}
