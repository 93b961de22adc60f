import { createServer } from 'node:http';
import type { IncomingMessage, ServerOptions, ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { NestApplicationOptions } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import express from 'express';
import { RequestBatcher } from './request-batcher.js';
import { normalizeTarget } from './request-target.js';

/** Time limits in ms: slow clients are cut off, and idle connections are closed. */
const LIMITS: ServerOptions = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 65_000,
};

/** Time limit for the TLS handshake. */
const HANDSHAKE_MS = 10_000;

/** Nest's Express adapter, whose server has time limits and passes requests on in batches. */
export class ServerAdapter extends ExpressAdapter {
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
    const batcher = new RequestBatcher();
    const serve = async (request: IncomingMessage, response: ServerResponse) => {
      normalizeTarget(request);
      await batcher.together();
      app(request, response);
    };
    this.setHttpServer(
      httpsOptions
        ? createTlsServer({ ...LIMITS, handshakeTimeout: HANDSHAKE_MS, ...httpsOptions }, serve)
        : createServer(LIMITS, serve),
    );
  }
}
