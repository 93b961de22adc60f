/** The administration of a server, authenticated by its password, with the time of each answer. */
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
    return this.#json(path, { headers: { accept: 'application/json' } });
  }

  post(path, body) {
    return this.send('POST', path, JSON.stringify(body), 'application/json');
  }

  /** Changes the policy of a relying party of the first tenant. */
  setPolicy(domain, policy) {
    const path = `/tenantapi/tenants/default/relying-parties/${domain}`;
    return this.send('PATCH', path, JSON.stringify({ policy }), 'application/json');
  }

  send(method, path, body, type) {
    return this.#json(path, { method, headers: { 'content-type': type }, body });
  }

  upload(path, lines) {
    const body = new FormData();
    body.append('file', new Blob([lines.join('\n')]), 'list.txt');
    return this.#json(path, { method: 'POST', body });
  }

  /** For pages, which are not JSON. @throws Error with the answer if it is not successful */
  async text(path, init = {}) {
    const began = performance.now();
    const headers = { authorization: this.authorization, ...init.headers };
    const response = await fetch(this.#server.url + path, { ...init, headers });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text.slice(0, 500)}`);
    return { text, ms: performance.now() - began };
  }

  async #json(path, init) {
    const { text, ms } = await this.text(path, init);
    return { body: JSON.parse(text), ms };
  }
}
