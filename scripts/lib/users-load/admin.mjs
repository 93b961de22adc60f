import { readFileSync } from 'node:fs';

/** The administration of the server, with the time that each answer took. */
export class Admin {
  #url;
  #pid;

  constructor({ port, pid }, password) {
    this.#url = `http://127.0.0.1:${port}`;
    this.#pid = pid;
    /** For pages, which are no JSON. */
    this.headers = {
      authorization: `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`,
    };
  }

  /** The first call derives the password and compiles the code: it says nothing of the others. */
  async warmUp() {
    for (let n = 0; n < 30; n += 1) await this.manage({ limit: '100' });
  }

  /** @returns the answer's body and the milliseconds until all of it was there */
  manage(parameters) {
    return this.#send(`/userapi/manageusers?${new URLSearchParams(parameters)}`, {});
  }

  get(path) {
    return this.#send(path, { headers: { accept: 'application/json' } });
  }

  post(path, body) {
    const headers = { 'content-type': 'application/json' };
    return this.#send(path, { method: 'POST', headers, body: JSON.stringify(body) });
  }

  upload(path, lines) {
    const body = new FormData();
    body.append('file', new Blob([lines.join('\n')]), 'list.txt');
    return this.#send(path, { method: 'POST', body });
  }

  /** Memory of the server's process, in MiB. */
  residentMiB() {
    const status = readFileSync(`/proc/${this.#pid}/status`, 'utf8');
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
  }

  async #send(path, init) {
    const began = performance.now();
    const headers = { ...this.headers, ...init.headers };
    const response = await fetch(this.#url + path, { ...init, headers });
    const text = await response.text();
    const ms = performance.now() - began;
    const body = JSON.parse(text);
    if (response.status !== 200 || body.status !== 'ok') throw new Error(`${path}: ${text}`);
    return { body, ms };
  }
}
