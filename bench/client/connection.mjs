import { connect } from 'node:net';

const HEADER_END = Buffer.from('\r\n\r\n');

/**
 * A persistent HTTP/1.1 connection that sends one request at a time. The bench has its own client because a
 * general one would use more CPU than the bare server.
 */
export class Connection {
  #socket;
  #waiting;
  #received = Buffer.alloc(0);

  constructor(port) {
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket.on('data', (chunk) => this.#take(chunk));
    this.#socket.on('error', (error) => this.#fail(error));
    this.#socket.on('close', () => this.#fail(new Error('the server closed the connection')));
  }

  /** Passes a connection to `use`, and closes it afterwards. */
  static async during(port, use) {
    const connection = new Connection(port);
    try {
      return await use(connection);
    } finally {
      connection.close();
    }
  }

  /** Sends a JSON body; returns `{ status, cookie, head, body }`, head and body as texts. */
  post(path, body, headers) {
    const length = Buffer.byteLength(body);
    this.#socket.write(
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n` +
        `${headers}Content-Length: ${length}\r\n\r\n${body}`,
    );
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      if (this.#socket.destroyed) this.#fail(new Error('the connection is closed'));
    });
  }

  get closed() {
    return this.#socket.destroyed;
  }

  close() {
    this.#socket.destroy();
  }

  #take(chunk) {
    this.#received = this.#received.length ? Buffer.concat([this.#received, chunk]) : chunk;
    const end = this.#received.indexOf(HEADER_END);
    if (end < 0) return;
    const head = this.#received.toString('latin1', 0, end + 2);
    const length = /\r\ncontent-length: *(\d+)\r\n/i.exec(head)?.[1];
    if (length === undefined) {
      this.#socket.destroy(new Error(`an answer without length: ${head}`));
      return;
    }
    const start = end + HEADER_END.length;
    if (this.#received.length < start + Number(length)) return;
    const body = this.#received.toString('utf8', start, start + Number(length));
    this.#received = this.#received.subarray(start + Number(length));
    const cookie = /\r\nset-cookie: *([^;\r]+)/i.exec(head)?.[1];
    const { resolve } = this.#waiting;
    this.#waiting = undefined;
    resolve({ status: Number(head.slice(9, 12)), cookie, head, body });
  }

  #fail(error) {
    this.#waiting?.reject(error);
    this.#waiting = undefined;
  }
}
