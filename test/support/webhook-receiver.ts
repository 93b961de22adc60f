import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { text } from 'node:stream/consumers';
import { freePort } from '../../scripts/lib/services/programs.mjs';
import { listen } from './listen.js';

/** A message as a receiver gets it. */
export interface Received {
  readonly id: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly content: object;
  readonly headers: IncomingHttpHeaders;
  readonly path: string;
  /** Whether the signature is one of the secret's. */
  signedBy(secret: string): boolean;
}

type Respond = (message: Received, response: ServerResponse) => void;

const TOLERANCE_SECONDS = 300;

/** Verifies as docs/events.md tells receivers to. */
function isSigned(
  secret: string,
  { headers, body, now }: { headers: IncomingHttpHeaders; body: string; now: number },
): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signatures } = headers;
  if (Math.abs(now / 1000 - Number(at)) > TOLERANCE_SECONDS) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const mac = createHmac('sha256', key).update(`${id}.${at}.${body}`).digest();
  return String(signatures)
    .split(' ')
    .filter((signature) => signature.startsWith('v1,'))
    .map((signature) => Buffer.from(signature.slice(3), 'base64'))
    .some((signature) => signature.length === mac.length && timingSafeEqual(signature, mac));
}

/** The key and certificates of a receiver, as PEM. */
export interface ReceiverTls {
  readonly key: string;
  /** The certificate, and those between it and a root. */
  readonly cert: string;
}

/** An application that receives events: a real HTTP server, which can be stopped and started again. */
export class WebhookReceiver {
  /** In the order in which they arrived. */
  readonly received: Received[] = [];
  /** How it answers. */
  respond: Respond = (_, response) => response.writeHead(204).end();
  /** The number of connections, whatever their outcome. */
  connections = 0;
  private server: Server | undefined;
  private port = 0;

  /** @param tls speaks HTTPS with it, as `localhost` */
  constructor(
    private readonly now = () => Date.now(),
    private readonly tls?: ReceiverTls,
  ) {}

  get url(): string {
    const place = this.tls ? 'https://localhost' : 'http://127.0.0.1';
    return `${place}:${this.port}/hook?from=servicefido`;
  }

  /** At the port that it had before, if any. */
  async start(): Promise<void> {
    const take = (request: IncomingMessage, response: ServerResponse) =>
      void this.take(request, response);
    this.server = this.tls ? createTlsServer(this.tls, take) : createServer(take);
    this.server.on('connection', () => (this.connections += 1));
    this.port = await listen(this.server, this.port || (await freePort()));
  }

  /** Breaks all connections, even with pending requests. */
  async kill(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    if (!server) return;
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return;
    const { headers, url: path = '' } = request;
    const content = JSON.parse(body) as Pick<Received, 'type' | 'data'>;
    const { type, data } = content;
    const id = String(headers['webhook-id']);
    const now = this.now();
    const signedBy = (secret: string) => isSigned(secret, { headers, body, now });
    const message = { id, type, data, content, headers, path, signedBy };
    // A message without an answer has not arrived.
    if (!this.server) return;
    this.received.push(message);
    this.respond(message, response);
  }
}
