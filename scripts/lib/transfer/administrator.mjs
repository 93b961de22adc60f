import { request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { text } from 'node:stream/consumers';
import { PASSWORD } from '../own-server.mjs';

const BOUNDARY = 'servicefido-transfer';
const OPEN = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="users.jsonl"\r\n\r\n`;
const CLOSE = `\r\n--${BOUNDARY}--\r\n`;

/** The administration of a server, for files larger than memory. */
export class Administrator {
  #port;

  constructor({ port }) {
    this.#port = port;
  }

  /** Streams a file that is generated on the fly; resolves with the answer's body. */
  async import(chunks) {
    const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
    const sending = this.#request('POST', '/userapi/import', headers);
    const answered = responseOf(sending);
    // If the server dies, the answer fails and reports it.
    pipeline(Readable.from(multipart(chunks)), sending).catch(() => undefined);
    const body = JSON.parse(await text(await answered));
    if (body.status !== 'ok') throw new Error(`import: ${JSON.stringify(body)}`);
    return body;
  }

  /** The answer of GET /userapi/import; undefined if there was no import. */
  async progress() {
    const sending = this.#request('GET', '/userapi/import');
    sending.end();
    return JSON.parse(await text(await responseOf(sending))).import;
  }

  /** Returns the number of lines and bytes of the export, its last line, and its duration. */
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
