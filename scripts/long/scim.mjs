/**
 * `npm run long -- scim [LEAVERS --store sqlite|mariadb]` lets a directory work beside sign-ins on two instances (one on
 * SQLite). First it changes users at a tenth of LEAVERS a second while users sign in at a fifth of LEAVERS a second: with
 * the usual 1,000 that is 100 changes beside 200 sign-ins. Then it suspends LEAVERS users at once. Fails if a change or a
 * sign-in fails, if the changes make the sign-ins' p95 more than a tenth longer, or if an instance accepts a sign-in of a
 * user after the answer that suspends the user.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { ORIGIN } from '../../bench/client/authenticator.mjs';
import { Connection } from '../../bench/client/connection.mjs';
import { Visitor } from '../../bench/client/visitor.mjs';
import { median, percentile } from '../../bench/statistics.mjs';
import { printFigures } from '../lib/harness.mjs';
import { runLoad } from '../lib/load/run-load.mjs';
import { OwnServer } from '../lib/own-server.mjs';
import { say } from '../lib/project.mjs';

const TURNS = 3;
const TURN_MS = 10_000;
/** Users who sign in during the whole run. */
const REGULARS = 64;
/** Connections on which the directory suspends the leavers. */
const AT_ONCE = 32;
const LONGEST_GROWTH = 1.1;
/** Failures that are printed. */
const SHOWN = 5;

async function measure({ size, server, store }) {
  const options = [...store.options, '--domain', 'localhost', '--origin', ORIGIN, '--scim', 'on'];
  await server.start(options);
  const other = store.name === 'MariaDB' ? new OwnServer() : undefined;
  try {
    await other?.start(options);
    const ports = [server.port, (other ?? server).port];
    say(`${store.name}: ${size} leavers`);
    const regulars = await registered(server.port, 'regular', REGULARS);
    const leavers = await registered(server.port, 'leaver', size);
    const directory = await Directory.start(server);
    const [signIns, changes] = [size / 5, size / 10];
    const load = new SignIns(ports, regulars, signIns);
    const alone = [];
    const beside = [];
    for (let turn = 0; turn < TURNS; turn += 1) {
      alone.push(await load.during(() => pause(TURN_MS)));
      beside.push(await load.during(() => directory.change(regulars, changes)));
    }
    const leaving = await load.during(() => directory.suspend(leavers, ports));
    const [before, after] = [alone, beside].map((turns) => median(turns.map(p95Of)));
    const refused = [...alone, ...beside, leaving].flatMap(({ failures }) => failures);
    for (const failure of [...refused, ...directory.failures].slice(0, SHOWN)) say(failure);
    const figures = {
      leavers: size,
      'suspended a second': Math.round(size / leaving.result.seconds),
      'accepted afterwards': leaving.result.accepted,
      'sign-ins a second': signIns,
      'changes a second': changes,
      'p95 ms alone': before.toFixed(2),
      'beside changes': after.toFixed(2),
      'beside leavers': p95Of(leaving).toFixed(2),
      failed: refused.length,
      'changes failed': directory.failures.length,
    };
    const { failed, 'accepted afterwards': accepted, 'changes failed': unchanged } = figures;
    const isGood = failed + accepted + unchanged === 0 && after <= before * LONGEST_GROWTH;
    printFigures(`scim on ${store.name}`, figures, isGood);
  } finally {
    await other?.remove();
  }
}

const p95Of = ({ durations }) => percentile(durations, 0.95);

/** Users who have registered a key each. */
async function registered(port, name, count) {
  const visitors = Array.from({ length: count }, (_, n) => new Visitor(`${name}-${n}@example.com`));
  await Connection.during(port, async (connection) => {
    for (const visitor of visitors) await visitor.register(connection);
  });
  return visitors;
}

/** Sign-ins that begin at fixed times, whether or not earlier ones have ended. */
class SignIns {
  #ports;
  #visitors;
  #everyMs;
  #turn = 0;

  constructor(ports, visitors, perSecond) {
    this.#ports = ports;
    this.#visitors = visitors.map((visitor) => ({ visitor, last: Promise.resolve() }));
    this.#everyMs = 1000 / perSecond;
  }

  /** @returns the work's result; durations in ms from the time at which each sign-in was due; failures */
  async during(work) {
    const [durations, failures, all] = [[], [], []];
    const connections = this.#ports.map(() => []);
    let isOver = false;
    const working = work().finally(() => (isOver = true));
    for (let due = performance.now(); !isOver; due += this.#everyMs) {
      await pause(Math.max(0, due - performance.now()));
      const one = this.#visitors[this.#turn % this.#visitors.length];
      const at = this.#turn % this.#ports.length;
      this.#turn += 1;
      // A user signs in once at a time.
      one.last = one.last.then(async () => {
        const connection = connections[at].pop() ?? new Connection(this.#ports[at]);
        try {
          await one.visitor.authenticate(connection);
          durations.push(performance.now() - due);
          connections[at].push(connection);
        } catch (error) {
          failures.push(error.message);
          connection.close();
        }
      });
      all.push(one.last);
    }
    await Promise.all(all);
    for (const connection of connections.flat()) connection.close();
    return { result: await working, durations, failures };
  }
}

/** A directory that finds users by their names and changes them. */
class Directory {
  failures = [];
  #server;
  #headers;
  #ids = new Map();

  static async start(server) {
    const directory = new Directory();
    const request = { tenant: 'default', name: 'directory', scopes: ['scim'] };
    const { body } = await server.admin.post('/tenantapi/keys', request);
    directory.#server = server;
    directory.#headers = {
      authorization: `Bearer ${body.secret}`,
      'content-type': 'application/scim+json',
    };
    return directory;
  }

  /** Changes users' display names in turn, at fixed times, for the time of a turn. */
  async change(visitors, perSecond) {
    for (const { username } of visitors) await this.#idOf(username);
    const count = Math.round((perSecond * TURN_MS) / 1000);
    const began = performance.now();
    const all = [];
    for (let n = 0; n < count; n += 1) {
      await pause(Math.max(0, began + (n * 1000) / perSecond - performance.now()));
      const { username } = visitors[n % visitors.length];
      const value = `Name ${n} of ${username}`;
      all.push(this.#patch(username, { op: 'replace', path: 'displayName', value }));
    }
    await Promise.all(all);
  }

  /** Suspends all at once; after each answer the user tries to sign in at every instance. */
  async suspend(visitors, ports) {
    for (const { username } of visitors) await this.#idOf(username);
    const waiting = [...visitors];
    let accepted = 0;
    const began = performance.now();
    const work = async () => {
      const connections = ports.map((port) => new Connection(port));
      for (let one = waiting.pop(); one; one = waiting.pop()) {
        await this.#patch(one.username, { op: 'replace', path: 'active', value: false });
        for (const connection of connections) {
          accepted += await one.authenticate(connection).then(
            () => 1,
            () => 0,
          );
        }
      }
      for (const connection of connections) connection.close();
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return { accepted, seconds: (performance.now() - began) / 1000 };
  }

  async #idOf(username) {
    if (this.#ids.has(username)) return;
    const filter = encodeURIComponent(`userName eq "${username}"`);
    const answer = await this.#send('GET', `/Users?filter=${filter}`);
    this.#ids.set(username, (await answer.json()).Resources[0].id);
  }

  async #patch(username, operation) {
    const body = JSON.stringify({ Operations: [operation] });
    const answer = await this.#send('PATCH', `/Users/${this.#ids.get(username)}`, body);
    const text = await answer.text();
    if (!answer.ok) this.failures.push(text);
  }

  #send(method, path, body) {
    const url = `${this.#server.url}/scim/v2/default/localhost${path}`;
    return fetch(url, { method, headers: this.#headers, body });
  }
}

await runLoad({ usual: 1000 }, measure);
