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

/** Slow clients are cut off; a socket serves many requests, but not for ever. */
const LIMITS: HttpOptions = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 65_000,
};

/** Who says nothing before TLS is agreed upon. */
const HANDSHAKE_MS = 10_000;

/**
 * Express gives each request and answer another prototype, and on Node 20 an object whose prototype
 * changed is slow for the rest of its life: 60 µs a request. So the server makes them of classes
 * that inherit from what Express would set, and Express is told that these are what it sets.
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
    // One spelling for each path, so that middleware by prefix and routes agree.
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

  /** JSON is written once, with its length; bytes as they are; all else as Nest does. */
  override reply(response: Response, body: unknown, statusCode?: number): unknown {
    const isJson = typeof body === 'object' && body !== null;
    if (!isJson || body instanceof StreamableFile) return super.reply(response, body, statusCode);
    if (statusCode !== undefined) response.statusCode = statusCode;
    if (Buffer.isBuffer(body)) return response.send(body);
    const json = JSON.stringify(body);
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    response.setHeader('Content-Length', Buffer.byteLength(json));
    // A string leaves in one write with the headers; bytes would need a second.
    return response.end(json);
  }
}
