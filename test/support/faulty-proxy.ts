import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** The packet of MariaDB's error 1129, after which the server does not try to connect again. */
export const REFUSAL = Buffer.from('\x0e\0\0\0\xff\x69\x04#HY000Ended', 'latin1');

/** The fault for the next chunk that contains the expected words. */
type Fault =
  /** Passes it on, and cuts the line before the answer gets through. */
  | 'lose-answer'
  /** Cuts the line instead of passing it on. */
  | 'lose-question'
  /** Passes it on; the line stays open, and nothing comes back through it any more. */
  | 'silence';

/** A connection to a database or session store that can be cut at a chosen moment. */
export class FaultyProxy {
  private readonly sockets = new Set<Socket>();
  private fault: { readonly words: string; readonly kind: Fault; passes: number } | undefined;
  private rewriting: { readonly words: string; readonly others: string } | undefined;
  /** The number of further requests until all connections end for good. */
  private left = Infinity;
  /** What new connections are answered after that. */
  private refusal: Buffer | undefined;
  /** Called in place of ending the connections. */
  private onHeld: (() => void) | undefined;
  /** How long new connections take to open. */
  connectMs = 0;
  /** How often a fault struck. */
  struck = 0;
  /** The number of answers that faults withheld from the caller. The target has executed their requests. */
  lost = 0;

  private constructor(
    private readonly server: Server,
    private target: URL,
  ) {}

  /** @param target its URL; a proxy on a free port stands before it */
  static async before(target: string): Promise<FaultyProxy> {
    const server = createServer();
    const proxy = new FaultyProxy(server, new URL(target));
    server.on('connection', (client) => {
      // A caller that is refused, or gives up while it waits, may reset its connection.
      client.on('error', () => client.destroy());
      if (proxy.left <= 0 && proxy.refusal) client.resume().end(proxy.refusal);
      else if (proxy.connectMs === 0) proxy.join(client);
      else setTimeout(() => proxy.join(client), proxy.connectMs);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  /** The target's URL, by way of the proxy. */
  urlOf(target: string): string {
    const url = new URL(target);
    url.host = `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return url.href;
  }

  /** Makes the fault strike once: at the next request with these words, after the given number of such requests. */
  arm(words: string, kind: Fault, passes = 0): void {
    this.fault = { words, kind, passes };
  }

  disarm(): void {
    this.fault = undefined;
  }

  /** From now on, replaces words in every request with others of the same length. */
  rewrite(words: string, others: string): void {
    this.rewriting = { words, others };
  }

  /** Cuts all lines; new ones may come. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  /**
   * Passes on that many further requests, then none until `revive`: as if the calling process were killed.
   *
   * @param refusal the answer to new connections, so that the caller does not retry for long
   */
  dieAfter(questions: number, refusal?: Buffer): void {
    this.left = questions;
    this.refusal = refusal;
  }

  /**
   * Passes on that many further requests, and keeps all others back until `revive`, so that a test can kill the calling
   * process between two of its requests.
   *
   * @returns a promise that resolves when the first one is kept back
   */
  holdAfter(questions: number): Promise<void> {
    this.left = questions;
    return new Promise((resolve) => (this.onHeld = resolve));
  }

  /** Ends all connections, and refuses new ones until `revive`. */
  die(refusal = Buffer.alloc(0)): void {
    this.dieAfter(0, refusal);
    this.cut();
  }

  revive(): void {
    this.left = Infinity;
    this.refusal = undefined;
    this.onHeld = undefined;
  }

  /** From now on, connects to another target, as after a failover. */
  moveTo(target: string): void {
    this.target = new URL(target);
    this.cut();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private join(client: Socket): void {
    if (client.destroyed) return;
    const { hostname, port } = this.target;
    const target = connect(Number(port), hostname);
    const both = [client, target];
    const end = () => both.forEach((socket) => socket.destroy());
    for (const socket of both) {
      this.sockets.add(socket);
      socket.on('error', end).on('close', () => this.sockets.delete(socket) && end());
    }
    let mute = false;
    let silent = false;
    client.on('data', (piece) => {
      this.left -= 1;
      if (this.left < 0) return this.onHeld ? this.onHeld() : this.cut();
      const { fault, rewriting } = this;
      const at = rewriting ? piece.indexOf(rewriting.words) : -1;
      if (rewriting && at !== -1) piece.write(rewriting.others, at);
      if (!fault || !piece.includes(fault.words)) return target.write(piece);
      fault.passes -= 1;
      if (fault.passes >= 0) return target.write(piece);
      this.fault = undefined;
      this.struck += 1;
      if (fault.kind === 'lose-question') return end();
      mute = true;
      silent = fault.kind === 'silence';
      return target.write(piece);
    });
    target.on('data', (piece) => {
      if (mute) this.lost += 1;
      else client.write(piece);
      if (mute && !silent) end();
    });
  }
}
