import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A web site of somebody else: one empty page, on a port of its own under any loopback name. */
export class OtherSite {
  private constructor(private readonly server: Server) {}

  static async open(): Promise<OtherSite> {
    const server = createServer((_request, response) => {
      response.setHeader('Content-Type', 'text/html; charset=utf-8');
      response.end(
        '<!doctype html><title>Shop</title><link rel="icon" href="data:,"><h1>Shop</h1>',
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new OtherSite(server);
  }

  /** @param host `localhost`, a name below it, or `127.0.0.1` */
  address(host: string): string {
    return `http://${host}:${(this.server.address() as AddressInfo).port}/`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
