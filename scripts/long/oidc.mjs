/**
 * `npm run long -- oidc [LOGINS --store sqlite|mariadb]` signs users in by OpenID Connect, each with the page and a token
 * request of the application, and by the calls of a sign-in alone. The two take turns on one server, LOGINS (600) each.
 * Prints what CPU time of the server a login takes, and the load of the machine. Fails if a login fails, or if one by
 * OpenID Connect takes more than 15 ms.
 */
import { createHash, randomBytes } from 'node:crypto';
import { loadavg } from 'node:os';
import { ORIGIN } from '../../bench/client/authenticator.mjs';
import { Connection } from '../../bench/client/connection.mjs';
import { Visitor } from '../../bench/client/visitor.mjs';
import { FOR_VISITORS } from '../../bench/contestants.mjs';
import { median } from '../../bench/statistics.mjs';
import { printFigures } from '../lib/harness.mjs';
import { runLoad } from '../lib/load/run-load.mjs';

const TURNS = 6;
const USERS = 20;
/** Code is compiled and caches fill. */
const WARM_UP = 100;
const MOST_MS = 15;
const CLIENTS = '/tenantapi/tenants/default/relying-parties/localhost/clients';
const REDIRECT_URI = 'https://shop.example/callback';

/** An application, and the browsers of its users. */
class Shop {
  #server;
  #client;

  constructor(server, { client, secret }) {
    this.#server = server;
    this.#client = { client_id: client.clientId, client_secret: secret };
  }

  /** Signs a user in, from the first redirect to the tokens. */
  async signIn(visitor, connection) {
    const verifier = randomBytes(32).toString('base64url');
    const cookies = new Map();
    const query = new URLSearchParams({
      client_id: this.#client.client_id,
      redirect_uri: REDIRECT_URI,
      response_type: 'code',
      scope: 'openid profile',
      state: 'state',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    });
    const page = await this.#redirect(`/oidc/localhost/auth?${query}`, cookies);
    await this.#open(page, cookies);
    const returnTo = await this.#complete(visitor, connection, { page, cookies });
    const back = new URL(await this.#redirect(returnTo, cookies));
    const body = new URLSearchParams({
      ...this.#client,
      grant_type: 'authorization_code',
      code: back.searchParams.get('code'),
      redirect_uri: REDIRECT_URI,
      code_verifier: verifier,
    });
    const answer = await fetch(`${this.#server.url}/oidc/localhost/token`, {
      method: 'POST',
      body,
    });
    const { id_token: token } = await answer.json();
    if (token === undefined)
      throw new Error(`The token request was answered with ${answer.status}`);
  }

  async #complete(visitor, connection, { page, cookies }) {
    const path = `${new URL(page, ORIGIN).pathname}/fidoapi/authenticate/complete`;
    const cookie = cookieOf(cookies);
    const { status, body } = await visitor.authenticateAt(connection, path, cookie);
    if (status !== 200) throw new Error(body);
    return JSON.parse(body).returnTo;
  }

  async #redirect(address, cookies) {
    const answer = await this.#open(address, cookies);
    const target = answer.headers.get('location');
    if (target === null) throw new Error(`${address} was answered with ${answer.status}`);
    return target;
  }

  async #open(address, cookies) {
    const { pathname, search } = new URL(address, ORIGIN);
    const headers = { accept: 'text/html', cookie: cookieOf(cookies) };
    const answer = await fetch(this.#server.url + pathname + search, {
      redirect: 'manual',
      headers,
    });
    await answer.arrayBuffer();
    for (const line of answer.headers.getSetCookie()) {
      const [name, value] = line.split(';')[0].split('=');
      cookies.set(name, value);
    }
    return answer;
  }
}

const cookieOf = (cookies) => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');

/** The server's CPU time in ms of one of these logins. */
async function costOf(server, logins, signIn) {
  const before = server.cpuSeconds;
  for (let n = 0; n < logins; n += 1) await signIn(n);
  return ((server.cpuSeconds - before) / logins) * 1000;
}

await runLoad({ usual: 600 }, async ({ size, server, store }) => {
  await server.start([...store.options, ...FOR_VISITORS, '--oidc', 'on', '--issuer', ORIGIN]);
  const visitors = Array.from({ length: USERS }, (_, n) => new Visitor(`user-${n}@example.com`));
  await Connection.during(server.port, async (connection) => {
    for (const visitor of visitors) await visitor.register(connection);
    const wish = { name: 'Shop', kind: 'web', redirectUris: [REDIRECT_URI] };
    const { body } = await server.admin.post(CLIENTS, wish);
    const shop = new Shop(server, body);
    const userOf = (n) => visitors[n % USERS];
    const ways = [
      (n) => shop.signIn(userOf(n), connection),
      (n) => userOf(n).authenticate(connection),
    ];
    for (const way of ways) await costOf(server, WARM_UP, way);
    const costs = ways.map(() => []);
    for (let turn = 0; turn < TURNS; turn += 1) {
      for (const [n, way] of ways.entries()) {
        costs[n].push(await costOf(server, Math.ceil(size / TURNS), way));
      }
    }
    const [byDoor, byCalls] = costs.map(median);
    const figures = {
      logins: size,
      'CPU ms by OpenID Connect': byDoor.toFixed(2),
      'by the calls': byCalls.toFixed(2),
      load: loadavg()[0].toFixed(1),
    };
    printFigures(`oidc on ${store.name}`, figures, byDoor <= MOST_MS);
  });
});
