import { request } from 'node:http';
import { Readable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';

const JSON_TYPE = 'application/json';
const BOUNDARY = 'servicefido-upload';
const OPEN = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="list.txt"\r\n\r\n`;
const CLOSE = `\r\n--${BOUNDARY}--\r\n`;

/**
 * The administration of a server, authenticated by its password, with the time of each answer. It has no time limit,
 * and it streams files that are larger than memory.
 */
export class Admin {
  #server;

  /** @param server anything with a `url` */
  constructor(server, password) {
    this.#server = server;
    this.authorization = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`;
  }

  /** The first call derives the password and compiles the code: its time is not representative. */
  async warmUp() {
    for (let n = 0; n < 30; n += 1) await this.manage({ limit: '100' });
  }

  /** @returns the answer's body and the milliseconds until it was complete */
  manage(parameters) {
    return this.get(`/userapi/manageusers?${new URLSearchParams(parameters)}`);
  }

  get(path) {
    return this.#json(path, { headers: { accept: JSON_TYPE } });
  }

  post(path, body) {
    return this.send('POST', path, JSON.stringify(body));
  }

  /** Changes the policy of a relying party of the first tenant. */
  setPolicy(domain, policy) {
    const path = `/tenantapi/tenants/default/relying-parties/${domain}`;
    return this.send('PATCH', path, JSON.stringify({ policy }));
  }

  send(method, path, body, type = JSON_TYPE) {
    return this.#json(path, { method, headers: { 'content-type': type }, body });
  }

  /** @param chunks of the file */
  upload(path, chunks) {
    const type = `multipart/form-data; boundary=${BOUNDARY}`;
    return this.send('POST', path, multipart(chunks), type);
  }

  /** For pages, which are not JSON. @throws Error with the answer if it is not successful */
  async text(path, init) {
    const began = performance.now();
    const answer = await this.open(path, init);
    const text = await textOf(answer);
    const { statusCode } = answer;
    if (statusCode >= 300) throw new Error(`${path}: ${statusCode} ${text.slice(0, 500)}`);
    return { text, ms: performance.now() - began };
  }

  /** Returns the answer as a stream. @param init `method`, `headers`, and `body`: a text, or chunks of one */
  open(path, { method, headers, body } = {}) {
    const sending = request(this.#server.url + path, {
      method,
      headers: { authorization: this.authorization, ...headers },
    });
    const answered = new Promise((resolve, reject) => {
      sending.once('response', resolve).once('error', reject);
    });
    // If the server dies, the answer fails and reports it.
    if (typeof body === 'object') pipeline(Readable.from(body), sending).catch(() => undefined);
    else sending.end(body);
    return answered;
  }

  async #json(path, init) {
    const { text, ms } = await this.text(path, init);
    return { body: JSON.parse(text), ms };
  }
}

function* multipart(chunks) {
  yield OPEN;
  yield* chunks;
  yield CLOSE;
}
