import { IncomingMessage, ServerResponse, createServer } from 'node:http';
import type { ServerOptions as HttpOptions } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { NestApplicationOptions } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Response } from 'express';
import express from 'express';

/** Slow clients are cut off; a socket serves many requests, but not for ever. */
const LIMITS: HttpOptions = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 65_000,
};

/**
 * Express gives each request and answer another prototype, and on Node 20 an object whose prototype
 * changed is slow for the rest of its life: 300 µs a login. So the server makes them with the right
 * prototype from the start; what Express then sets is what it is already.
 */
function bornWith<T extends object>(base: object, prototype: T): never {
  function Born(this: unknown, ...args: unknown[]): unknown {
    return Reflect.construct(base as () => unknown, args, Born);
  }
  Born.prototype = prototype;
  return Born as never;
}

export class LeanExpressAdapter extends ExpressAdapter {
  constructor() {
    const app = express();
    app.disable('x-powered-by');
    app.disable('etag');
    super(app);
  }

  override initHttpServer({ httpsOptions }: NestApplicationOptions): void {
    const app = this.getInstance<express.Express>();
    const classes = {
      IncomingMessage: bornWith(IncomingMessage, app.request),
      ServerResponse: bornWith(ServerResponse, app.response),
    };
    const options = { ...LIMITS, ...classes };
    this.setHttpServer(
      httpsOptions
        ? createTlsServer({ ...options, ...httpsOptions }, app)
        : createServer(options, app),
    );
  }

  /** JSON is written once, with its length; all else as Nest does. */
  override reply(response: Response, body: unknown, statusCode?: number): unknown {
    if (typeof body !== 'object' || body === null || Buffer.isBuffer(body)) {
      return super.reply(response, body, statusCode);
    }
    if (statusCode !== undefined) response.statusCode = statusCode;
    const json = Buffer.from(JSON.stringify(body), 'utf8');
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    response.setHeader('Content-Length', json.length);
    return response.end(json);
  }
}
