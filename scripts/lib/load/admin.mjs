/** The administration of a server, authenticated by its password, with the time of each answer. */
export class Admin {
  #server;

  /** @param server anything with a `url` */
  constructor(server, password) {
    this.#server = server;
    this.authorization = `Basic ${btoa(`admin:${password}`)}`;
  }

  /** @returns the answer's body and the milliseconds until it was complete */
  manage(parameters) {
    return this.get(`/userapi/manageusers?${new URLSearchParams(parameters)}`);
  }

  get(path, headers = {}) {
    return this.#json(path, { headers: { accept: 'application/json', ...headers } });
  }

  post(path, body) {
    return this.send('POST', path, JSON.stringify(body));
  }

  /** Changes the policy of a relying party of the first tenant. */
  setPolicy(domain, policy) {
    const path = `/tenantapi/tenants/default/relying-parties/${domain}`;
    return this.send('PATCH', path, JSON.stringify({ policy }));
  }

  send(method, path, body, type = 'application/json') {
    return this.#json(path, { method, headers: { 'content-type': type }, body });
  }

  upload(path, text) {
    const body = new FormData();
    body.set('file', new Blob([text]), 'list.txt');
    return this.#json(path, { method: 'POST', body });
  }

  /** For pages, which are not JSON. @throws Error with the answer if it is not successful */
  async text(path, init) {
    const began = performance.now();
    const answer = await this.open(path, init);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text.slice(0, 500)}`);
    return { text, ms: performance.now() - began };
  }

  open(path, { headers, ...init } = {}) {
    const authorised = { authorization: this.authorization, ...headers };
    return fetch(this.#server.url + path, { ...init, headers: authorised });
  }

  async #json(path, init) {
    const { text, ms } = await this.text(path, init);
    return { body: JSON.parse(text), ms };
  }
}
