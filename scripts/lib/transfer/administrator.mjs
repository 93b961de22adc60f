import { request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { text } from 'node:stream/consumers';
import { PASSWORD } from '../own-server.mjs';

const BOUNDARY = 'servicefido-transfer';
const OPEN = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="users.jsonl"\r\n\r\n`;
const CLOSE = `\r\n--${BOUNDARY}--\r\n`;

/** The administration of a server, whose files are larger than memory. */
export class Administrator {
  #port;

  constructor({ port }) {
    this.#port = port;
  }

  /** Sends a file while it is made; resolves with the answer's body. */
  async import(chunks) {
    const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
    const sending = this.#request('POST', '/userapi/import', headers);
    const answered = responseOf(sending);
    // Where the server dies on the way, the answer fails, and says so.
    pipeline(Readable.from(multipart(chunks)), sending).catch(() => undefined);
    const body = JSON.parse(await text(await answered));
    if (body.status !== 'ok') throw new Error(`import: ${JSON.stringify(body)}`);
    return body;
  }

  /** What GET /userapi/import tells; undefined where there was none. */
  async progress() {
    const sending = this.#request('GET', '/userapi/import');
    sending.end();
    return JSON.parse(await text(await responseOf(sending))).import;
  }

  /** How many lines and bytes the export has, its last line, and how long it takes. */
  async export() {
    const began = performance.now();
    const sending = this.#request('GET', '/userapi/export');
    sending.end();
    let [lines, bytes, tail] = [0, 0, ''];
    for await (const chunk of await responseOf(sending)) {
      bytes += chunk.length;
      for (const byte of chunk) if (byte === 0x0a) lines += 1;
      tail = (tail + chunk.toString('latin1')).slice(-200);
    }
    const seconds = (performance.now() - began) / 1000;
    return { lines, bytes, seconds, end: JSON.parse(tail.trimEnd().split('\n').at(-1)) };
  }

  #request(method, path, headers = {}) {
    const auth = `admin:${PASSWORD}`;
    return request({ host: '127.0.0.1', port: this.#port, method, path, auth, headers });
  }
}

const responseOf = (sending) =>
  new Promise((resolve, reject) => sending.once('response', resolve).once('error', reject));

function* multipart(chunks) {
  yield OPEN;
  yield* chunks;
  yield CLOSE;
}
