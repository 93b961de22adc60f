import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import express, { type ErrorRequestHandler, type RequestHandler, type Response } from 'express';
import hbs from 'hbs';
import type { Logger } from 'pino';
import { AppModule } from './app.module.js';
import type { Clock } from './platform/common/clock.js';
import { projectPath } from './platform/project.js';
import type { ServerOptions } from './platform/config/server-config.js';
import { AgreedSettings } from './platform/database/agreed-settings.js';
import { SecretStore } from './platform/database/secrets/secret-store.js';
import { fidoSession } from './fido/ceremonies/session.js';
import { ApiDescription } from './platform/http/openapi/api-description.js';
import {
  routeByPrefix,
  joinMiddlewares,
  keepPageWords,
  type RouteArea,
} from './platform/http/express-routing.js';
import { brotliFiles, compressed } from './platform/http/compression.js';
import { formBody, jsonBody, uncompressedOnly } from './platform/http/body/request-body.js';
import { readForwardedAddresses, ServerAdapter } from './platform/http/server-adapter.js';
import { requestContext } from './platform/http/request-context.js';
import {
  apiHeaders,
  fileHeaders,
  noStore,
  pageHeaders,
  strictTransport,
} from './platform/http/security-headers.js';
import { NestLog, createLog } from './platform/logging/logger.js';
import { fidoCors } from './tenancy/scope/cors.js';
import { currentTracer } from './platform/telemetry/tracing.js';
import { RelyingPartyCache } from './tenancy/scope/relying-party-cache.js';

const require = createRequire(import.meta.url);

/** Parts that tests replace. */
interface Substitutes {
  clock?: Clock;
  log?: Logger;
}

/** Creates the complete application without listening, for the server and for tests. */
export async function createApp(
  options: ServerOptions,
  { clock, log = createLog(options) }: Substitutes = {},
): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(
    await AppModule.with(options, { migrates: true, ...(clock && { clock }) }),
    new ServerAdapter(),
    {
      bodyParser: false,
      logger: new NestLog(log),
      abortOnError: false,
      ...tlsOptions(options),
    },
  );
  const cookieSecret = await orClosed(app, async () => {
    await app.get(AgreedSettings).announce();
    return app.get(SecretStore).findOrCreate('session-cookie');
  });
  app.get(ApiDescription).of(app);
  app.set('trust proxy', options.trustProxy);
  keepPageWords(app.getHttpAdapter().getInstance());
  if (options.trustProxy > 0) readForwardedAddresses(app.getHttpAdapter().getInstance());
  const tracer = currentTracer();
  if (tracer) app.use(tracer.request);
  app.use(requestContext(log));
  if (options.tlsCert !== undefined || options.trustProxy > 0) app.use(strictTransport);
  app.use(routeByPrefix(apiAreas(app, cookieSecret), site()));
  app.engine('hbs', hbs.__express);
  hbs.registerPartials(projectPath('views/partials'));
  app.setBaseViewsDir(projectPath('views'));
  app.setViewEngine('hbs');
  // Otherwise each page would compile its templates again. `npm run dev` shows changed templates.
  app.set('view cache', process.env['NODE_ENV'] !== 'development');
  return app;
}

/** Runs a step of the start; if it fails, closes the application before it rethrows the error. */
async function orClosed<T>(app: NestExpressApplication, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    await app.close();
    throw error;
  }
}

function tlsOptions({ tlsCert, tlsKey }: ServerOptions) {
  if (tlsCert === undefined || tlsKey === undefined) return {};
  return { httpsOptions: { cert: readFileSync(tlsCert), key: readFileSync(tlsKey) } };
}

/** Middleware in front of the controllers, by the beginning of the path. */
function apiAreas(app: NestExpressApplication, secret: string): RouteArea[] {
  const json = jsonBody();
  const cors = fidoCors(app.get(RelyingPartyCache));
  const administration = joinMiddlewares(
    pageHeaders,
    noStore,
    compressed,
    uncompressedOnly,
    json,
    formBody(),
  );
  return [
    ['/fidoapi', joinMiddlewares(apiHeaders, cors, uncompressedOnly, json, fidoSession(secret))],
    ['/tenantapi', joinMiddlewares(apiHeaders, uncompressedOnly, json)],
    ['/scim', apiHeaders],
    ['/userapi', administration],
    ['/users', administration],
    ['/adoption', administration],
    ['/findings', administration],
    ['/tenants', administration],
    ['/console', administration],
    ['/health', apiHeaders],
    ['/metrics', apiHeaders],
    ['/.well-known', apiHeaders],
    ['/wellknown', apiHeaders],
  ];
}

/** Middleware for all other paths: the files that pages load, then the headers of pages. */
function site(): RequestHandler {
  const router = express.Router();
  router.use(compressed);
  // Short, because scripts and styles of the version before an upgrade do not fit the pages of the new one.
  router.use('/static', assets(projectPath('views/public'), '1m'));
  router.use('/assets/pico', assets(join(packageDirectory('@picocss/pico'), 'css')));
  router.use('/assets/uplot', assets(join(packageDirectory('uplot'), 'dist')));
  router.use(
    '/assets/source-sans',
    assets(packageDirectory('@fontsource-variable/source-sans-3'), '30d'),
  );
  router.use(
    '/sdk',
    fileHeaders,
    express.static(projectPath('packages/browser/dist'), { index: false, setHeaders: sdkHeaders }),
  );
  router.use(pageHeaders);
  router.use(headersOfErrors);
  return router;
}

const HEADERS_OF_FILES = [
  'Cache-Control',
  'Content-Encoding',
  'Content-Type',
  'ETag',
  'Last-Modified',
];

/** A file that cannot be sent as it was asked for is answered with a page, which has its own headers. */
const headersOfErrors: ErrorRequestHandler = (error, request, response, next) => {
  for (const name of HEADERS_OF_FILES) response.removeHeader(name);
  pageHeaders(request, response, () => next(error));
};

const assets = (directory: string, maxAge = '1h') =>
  joinMiddlewares(
    fileHeaders,
    brotliFiles(directory, maxAge),
    express.static(directory, { index: false, maxAge }),
  );

/** The SDK may be loaded from any origin. */
function sdkHeaders(response: Response, path: string): void {
  // By its file name extension, Express would send TypeScript as an MPEG transport stream.
  if (path.endsWith('.ts')) response.setHeader('Content-Type', 'text/plain; charset=utf-8');
  response.setHeader('Access-Control-Allow-Origin', '*');
  response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
}

const packageDirectory = (name: string) => dirname(require.resolve(`${name}/package.json`));
