import {
  Agent,
  createServer,
  request,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { listen } from './listen.js';

interface Passed {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A load balancer: instances take turns, and if one is gone, the next one gets the request. */
export class Balancer {
  url = '';
  /** Requests that went to a second instance. */
  retries = 0;
  private turn = 0;
  private readonly agent = new Agent({ keepAlive: true });
  private readonly server = createServer((incoming, outgoing) => {
    void this.pass(incoming, outgoing);
  });

  /** @param instances two; their addresses are read at each request */
  constructor(private readonly instances: readonly { readonly url: string }[]) {}

  async start(): Promise<void> {
    // A client must not get a connection that is just being closed.
    this.server.keepAliveTimeout = 60_000;
    this.url = `http://localhost:${await listen(this.server)}`;
  }

  stop(): void {
    this.agent.destroy();
    this.server.close();
    this.server.closeAllConnections();
  }

  private async pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await buffer(incoming);
    const { turn } = this;
    this.turn += 1;
    let answer = await this.ask(this.instanceAt(turn), incoming, body);
    if (!answer) {
      this.retries += 1;
      answer = await this.ask(this.instanceAt(turn + 1), incoming, body);
    }
    if (answer) outgoing.writeHead(answer.status, answer.headers).end(answer.body);
    else outgoing.writeHead(502).end();
  }

  private instanceAt(turn: number): string {
    return this.instances[turn % this.instances.length]?.url ?? '';
  }

  /** @returns `undefined` where the instance takes no connection, or closes it */
  private async ask(
    instance: string,
    { method, url, headers }: IncomingMessage,
    body: Buffer,
  ): Promise<Passed | undefined> {
    const { agent } = this;
    const sent = request(`${instance}${url}`, { method: `${method}`, headers, agent });
    try {
      const [answer] = (await once(sent.end(body), 'response')) as [IncomingMessage];
      return {
        status: answer.statusCode ?? 502,
        headers: answer.headers,
        body: await buffer(answer),
      };
    } catch {
      return undefined;
    }
  }
}
