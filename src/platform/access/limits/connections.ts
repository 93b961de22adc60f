import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** An open connection, and whether it must not be ended. */
export class Connection {
  /** Whether it is kept, however long it is silent. */
  spared = false;
  private latest: ServerResponse | undefined;
  private due = 0;
  private readonly answered = (): void => {
    this.due -= 1;
    // Otherwise the answer would stay in memory for as long as the connection does.
    if (this.due === 0) this.latest = undefined;
  };

  constructor(
    readonly socket: Socket,
    /** The address group that it comes from. */
    readonly group: string,
  ) {}

  /** Whether a request has arrived in full and its answer is still being made. */
  get owesAnswer(): boolean {
    if (!this.latest) return false;
    const { req, writableEnded, writableNeedDrain } = this.latest;
    return this.due > 1 || (req.complete && !writableEnded && !writableNeedDrain);
  }

  /** Notes the answer to a request that has begun. */
  owe(response: ServerResponse): void {
    this.latest = response;
    this.due += 1;
    response.once('close', this.answered);
  }
}

/** Connections in the order of their latest requests (or beginnings), the longest silent first. */
export class Connections {
  private readonly order = new Set<Connection>();

  get size(): number {
    return this.order.size;
  }

  add(connection: Connection): void {
    this.order.add(connection);
  }

  delete(connection: Connection): void {
    this.order.delete(connection);
  }

  moveBack(connection: Connection): void {
    if (this.order.delete(connection)) this.order.add(connection);
  }

  /** The connection that asked for something longest ago, of those that may be ended. */
  longestSilent(): Connection | undefined {
    for (const connection of this.order) {
      if (!connection.spared && !connection.owesAnswer) return connection;
    }
    return undefined;
  }
}
