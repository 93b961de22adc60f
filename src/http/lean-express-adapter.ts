import { IncomingMessage, ServerResponse, createServer } from 'node:http';
import type { ServerOptions as HttpOptions } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { StreamableFile } from '@nestjs/common';
import type { NestApplicationOptions } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Response } from 'express';
import express from 'express';
import { RequestBatcher } from './request-batcher.js';
import { normalizeTarget } from './request-target.js';

/** Time limits in ms: slow clients are cut off, and idle connections are closed. */
const LIMITS: HttpOptions = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 65_000,
};

/** Time limit for the TLS handshake. */
const HANDSHAKE_MS = 10_000;

/**
 * Express changes the prototype of each request and response, and on Node 20 an object whose prototype was
 * changed stays slow, which costs 60 µs per request. So the server creates them from classes that inherit
 * from Express's prototypes, and Express sets prototypes that they have already.
 */
function nativeClasses(app: express.Express) {
  class ExpressRequest extends IncomingMessage {}
  class ExpressResponse extends ServerResponse {}
  Object.setPrototypeOf(ExpressRequest.prototype, app.request);
  Object.setPrototypeOf(ExpressResponse.prototype, app.response);
  Object.assign(app, { request: ExpressRequest.prototype, response: ExpressResponse.prototype });
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
}

export class LeanExpressAdapter extends ExpressAdapter {
  constructor() {
    const app = express();
    app.disable('x-powered-by');
    app.disable('etag');
    // Each path has one spelling only, so that middleware by prefix and routes agree.
    app.enable('case sensitive routing');
    super(app);
  }

  override initHttpServer({ httpsOptions }: NestApplicationOptions): void {
    const app = this.getInstance<express.Express>();
    const options = { ...LIMITS, ...nativeClasses(app) };
    const batcher = new RequestBatcher();
    const serve = async (request: IncomingMessage, response: ServerResponse) => {
      normalizeTarget(request);
      await batcher.together();
      app(request, response);
    };
    this.setHttpServer(
      httpsOptions
        ? createTlsServer({ ...options, handshakeTimeout: HANDSHAKE_MS, ...httpsOptions }, serve)
        : createServer(options, serve),
    );
  }

  /** Sends JSON in one write with its length, bytes unchanged, and everything else as Nest does. */
  override reply(response: Response, body: unknown, statusCode?: number): unknown {
    const isJson = typeof body === 'object' && body !== null;
    if (!isJson || body instanceof StreamableFile) return super.reply(response, body, statusCode);
    if (statusCode !== undefined) response.statusCode = statusCode;
    if (Buffer.isBuffer(body)) return response.send(body);
    const json = JSON.stringify(body);
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    response.setHeader('Content-Length', Buffer.byteLength(json));
    // Node sends a string in one write with the headers; a Buffer would need a second write.
    return response.end(json);
  }
}
