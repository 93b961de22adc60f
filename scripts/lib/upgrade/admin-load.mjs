import { createServer } from 'node:http';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Connection } from '../../../bench/client/connection.mjs';
import { Visitor } from '../../../bench/client/visitor.mjs';
import { Admin } from '../load/admin.mjs';
import { PASSWORD } from '../own-server.mjs';

const PAUSE_MS = 100;
/** Events are numbered about a second after they happen, late ones within a minute. */
const LONGEST_WAIT_MS = 90_000;
const PAGE = 1000;
/** Kinds of events that the webhook receives. */
const DELIVERED = ['registration', 'disabled', 'enabled'];
/** The user whose key is disabled and enabled, and who does not sign in. */
const TOGGLED_USER = 'toggled@example.com';

/**
 * Activity besides the users: an administrator disables and enables a key, a program reads events, a webhook
 * receives them, and finance issues invoices.
 */
export class AdminLoad {
  changes = 0;
  invoices = 0;
  failures = [];
  /** The current phase of the instances, for failure messages. */
  phase = 'before the first replacement';
  #admin;
  #balancer;
  #read = [];
  #received = new Set();
  #cursor = '0';
  #isRunning = false;
  #work;
  #receiver = createServer((request, response) => {
    this.#received.add(request.headers['webhook-id']);
    request.resume().once('end', () => response.writeHead(204).end());
  });

  /** @param balancer in front of the instances */
  constructor(balancer) {
    this.#admin = new Admin(balancer, PASSWORD);
    this.#balancer = balancer;
  }

  /** Adds the webhook, and registers the key of the toggled user. */
  async prepare() {
    this.#receiver.listen(0, '127.0.0.1');
    await once(this.#receiver, 'listening');
    const url = `http://127.0.0.1:${this.#receiver.address().port}/`;
    await this.#admin.post('/tenantapi/webhooks', { tenant: 'default', url, events: DELIVERED });
    const { port } = new URL(this.#balancer.url);
    await Connection.during(port, (connection) => new Visitor(TOGGLED_USER).register(connection));
  }

  start() {
    this.#isRunning = true;
    this.#work = Promise.all([
      this.#repeat(() => this.#change()),
      this.#repeat(() => this.#readEvents()),
      this.#repeat(() => this.#invoice()),
    ]);
  }

  /** @returns the figures; events are read until all of them have appeared, or the longest wait ends */
  async stop(registered) {
    this.#isRunning = false;
    await this.#work;
    const deadline = Date.now() + LONGEST_WAIT_MS;
    const missing = () => this.#missing(registered);
    while (missing().any && Date.now() < deadline) {
      await this.#attempt(() => this.#readEvents());
      await pause(PAUSE_MS);
    }
    this.#receiver.close();
    this.#receiver.closeAllConnections();
    const { unread, undelivered, twice } = missing();
    return {
      changes: this.changes,
      invoices: this.invoices,
      'events read': this.#read.length,
      unread,
      'read twice': twice,
      undelivered,
    };
  }

  /** Repeats each action; the balancer calls a second instance if one goes away. */
  async #repeat(action) {
    while (this.#isRunning) {
      await this.#attempt(action);
      await pause(PAUSE_MS);
    }
  }

  async #attempt(action) {
    try {
      await action();
    } catch (error) {
      this.failures.push(`${this.phase}: ${error.message}`);
    }
  }

  async #change() {
    const type = this.changes % 2 === 0 ? 'disableall' : 'enableall';
    await this.#admin.post('/userapi/manageusers', { filter: TOGGLED_USER, type });
    this.changes += 1;
  }

  async #readEvents() {
    const page = `/userapi/events?after=${this.#cursor}&limit=${PAGE}`;
    const { body } = await this.#admin.get(page);
    this.#read.push(...body.events);
    this.#cursor = body.next;
  }

  /** A new tenant gets a statement of today: the numbers have no gap. */
  async #invoice() {
    const tenant = `load-${this.invoices + 1}`;
    await this.#admin.post('/tenantapi/tenants', { tenant, displayName: tenant });
    const { body } = await this.#admin.post('/userapi/invoice', { tenant, invoicelog: 'yes' });
    const [found, expected] = [body.invoice.number, `S-${this.invoices + 1}`];
    if (found !== expected) throw new Error(`${found} in the place of ${expected}`);
    this.invoices += 1;
  }

  #missing(registered) {
    const ids = this.#read.map(({ id }) => id);
    const of = (kind) => this.#read.filter((event) => event.kind === kind);
    const unread = registered - of('registration').length;
    const undelivered = this.#read.filter(
      ({ id, kind }) => DELIVERED.includes(kind) && !this.#received.has(id),
    ).length;
    const twice = ids.length - new Set(ids).size;
    return { unread, undelivered, twice, any: unread > 0 || undelivered > 0 };
  }
}
