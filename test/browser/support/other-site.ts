import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const HEAD = '<!doctype html><title>Shop</title><link rel="icon" href="data:,"><h1>Shop</h1>';

/** A foreign web site, on its own port under any loopback name. */
export class OtherSite {
  /** The content of its page after the heading. */
  content = '';

  private constructor(private readonly server: Server) {}

  static async open(): Promise<OtherSite> {
    const server = createServer((request, response) => site.answer(request, response));
    const site = new OtherSite(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return site;
  }

  /** @param host `localhost`, a name below it, or `127.0.0.1` */
  address(host: string): string {
    return `http://${host}:${(this.server.address() as AddressInfo).port}/`;
  }

  /** An address of this site that redirects to another one. */
  redirect(host: string, to: string, status = 302): string {
    return `${this.address(host)}?${new URLSearchParams({ to, status: String(status) })}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private answer({ url = '' }: IncomingMessage, response: ServerResponse): void {
    const { searchParams } = new URL(url, 'http://localhost');
    const to = searchParams.get('to');
    if (to !== null) {
      // A script may follow it with credentials and still not read the answer.
      response.writeHead(Number(searchParams.get('status')), { Location: to }).end();
      return;
    }
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.end(HEAD + this.content);
  }
}
