import {
  createServer,
  type IncomingMessage,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { NestApplicationOptions } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Express, type Request } from 'express';
import { forwardedAddress } from '../common/network/address-group.js';

/**
 * Turns of the event loop that requests wait. An idle turn takes microseconds; under load each turn brings
 * requests that have just arrived.
 */
const TURNS = 2;

/**
 * Lets requests that arrive within a few turns of the event loop continue together, step by step, so that
 * each step finds its code and data in the processor's caches, warm from the previous request. Under load this
 * saves a sixth of the cost of a login; a lone request hardly waits.
 */
export class RequestBatcher {
  private departure: Promise<void> | undefined;

  /** Resolves for all waiting requests at once. */
  together(): Promise<void> {
    return (this.departure ??= this.gather());
  }

  private async gather(): Promise<void> {
    for (let turn = 0; turn < TURNS; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.departure = undefined;
  }
}

const ABSOLUTE_FORM = /^https?:\/\/([^/?#]*)(.*)$/is;
/** The request target that is not a path (RFC 9112 §3.2.4) and therefore has no route. */
const ASTERISK_FORM = '*';

/**
 * Converts a request target to origin-form, which all code that reads paths expects. A target in
 * absolute-form, as sent to proxies, contains the host too, which then replaces the Host header (RFC 9112
 * §3.2.2). An address of another scheme has no path here, although Express would find one in it.
 */
function normalizeTarget(request: IncomingMessage): void {
  const { url = '/' } = request;
  if (url.startsWith('/')) return;
  const [, authority, rest] = ABSOLUTE_FORM.exec(url) ?? [];
  if (authority === undefined || rest === undefined) {
    request.url = ASTERISK_FORM;
    return;
  }
  request.headers.host = authority;
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
}

/** Time limits in ms: slow clients are disconnected, and idle connections are closed. */
const LIMITS: ServerOptions = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 65_000,
};

const HANDSHAKE_MS = 10_000;

/**
 * Waits until Node has sent the answers to all earlier requests of the connection. Otherwise a client that sends many
 * requests and reads nothing would fill the memory with answers. Node also closes no response that still waits when its
 * connection is lost, so whatever ends with a response would never end.
 */
const turnOf = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => response.once('socket', () => resolve()));

/** Nest's Express adapter, with time limits for the server and requests in batches, one at a time of a connection. */
export class ServerAdapter extends ExpressAdapter {
  constructor() {
    const app = express();
    app.disable('x-powered-by');
    app.disable('etag');
    // Each path has only one spelling, so that middleware by prefix and routes agree.
    app.enable('case sensitive routing');
    super(app);
  }

  override initHttpServer({ httpsOptions }: NestApplicationOptions): void {
    const app = this.getInstance<Express>();
    const batcher = new RequestBatcher();
    const serve = async (request: IncomingMessage, response: ServerResponse) => {
      normalizeTarget(request);
      await batcher.together();
      if (!response.socket) await turnOf(response);
      // Node still emits the requests that arrived together with the one that ended the connection.
      if (!request.socket.destroyed) app(request, response);
    };
    this.setHttpServer(
      httpsOptions
        ? createTlsServer({ ...LIMITS, handshakeTimeout: HANDSHAKE_MS, ...httpsOptions }, serve)
        : createServer(LIMITS, serve),
    );
  }
}

/**
 * Makes `request.ip` an IP address, whatever `X-Forwarded-For` contains. It may be any text if a proxy passes on what
 * it received, and `request.ip` identifies callers in limits and events. Without an address in it, the connection's
 * address is used. Makes `request.protocol` lower case: proxies may write `HTTPS` (RFC 3986 §3.1).
 */
export function readForwardedAddresses({ request }: Express): void {
  const ofExpress: object = Object.getPrototypeOf(request);
  Object.defineProperty(request, 'ip', {
    configurable: true,
    get(this: Request): string | undefined {
      const forwarded = Reflect.get(ofExpress, 'ip', this) as string | undefined;
      return forwardedAddress(forwarded ?? '') ?? this.socket.remoteAddress;
    },
  });
  Object.defineProperty(request, 'protocol', {
    configurable: true,
    get(this: Request): string {
      return String(Reflect.get(ofExpress, 'protocol', this)).toLowerCase();
    },
  });
}
