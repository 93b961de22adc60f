import '../register-typescript.mjs';
import { setTimeout as pause } from 'node:timers/promises';
import { RP_ID } from '../../../bench/client/authenticator.mjs';
import { Connection } from '../../../bench/client/connection.mjs';
import { Visitor } from '../../../bench/client/visitor.mjs';
import { Admin } from '../load/admin.mjs';
import { PASSWORD } from '../own-server.mjs';

const { WebhookReceiver } = await import('../../../test/support/webhook-receiver.ts');

const PAUSE_MS = 100;
/** Events are numbered about a second after they happen, late ones within a minute. */
const LONGEST_WAIT_MS = 90_000;
/** Kinds of events that the webhook receives. */
const DELIVERED = ['registration', 'disabled', 'enabled'];
/** The user whose key is disabled and enabled, and who does not sign in. */
const TOGGLED_USER = 'toggled@example.com';

/**
 * Activity besides the users: an administrator disables and enables a key, a program reads events, a webhook
 * receives them, and finance issues invoices.
 */
export class AdminLoad {
  failures = [];
  /** The current phase of the instances, for failure messages. */
  phase = 'before the first replacement';
  #admin;
  #balancer;
  #changes = 0;
  #invoices = 0;
  #tenants = 0;
  #read = [];
  #cursor = '0';
  #isRunning = false;
  #work;
  #receiver = new WebhookReceiver();

  /** @param balancer in front of the instances */
  constructor(balancer) {
    this.#admin = new Admin(balancer, PASSWORD);
    this.#balancer = balancer;
  }

  /** Adds the webhook, and registers the key of the toggled user. */
  async prepare() {
    await this.#receiver.start();
    const { url } = this.#receiver;
    await this.#admin.post('/tenantapi/webhooks', { tenant: 'default', url, events: DELIVERED });
    const { port } = new URL(this.#balancer.url);
    await Connection.during(port, (connection) => new Visitor(TOGGLED_USER).register(connection));
  }

  start() {
    this.#isRunning = true;
    const actions = [this.#change, this.#readEvents, this.#invoice];
    this.#work = Promise.all(actions.map((action) => this.#repeat(action, () => this.#isRunning)));
  }

  /** @returns the figures; events are read until all of them have appeared, or the longest wait ends */
  async stop(registered) {
    this.#isRunning = false;
    await this.#work;
    const deadline = Date.now() + LONGEST_WAIT_MS;
    const isIncomplete = () => Object.values(this.#missing(registered)).some((n) => n > 0);
    await this.#repeat(this.#readEvents, () => isIncomplete() && Date.now() < deadline);
    await this.#receiver.kill();
    const changes = this.#changes;
    const invoices = this.#invoices;
    return { changes, invoices, 'events read': this.#read.length, ...this.#missing(registered) };
  }

  async #repeat(action, goesOn) {
    while (goesOn()) {
      await action().catch((error) => this.failures.push(`${this.phase}: ${error.message}`));
      await pause(PAUSE_MS);
    }
  }

  #change = async () => {
    const type = this.#changes % 2 === 0 ? 'disableall' : 'enableall';
    await this.#admin.post('/userapi/manageusers', { filter: TOGGLED_USER, type });
    this.#changes += 1;
  };

  #readEvents = async () => {
    const path = `/userapi/events?after=${this.#cursor}&limit=1000`;
    // The webhook belongs to its tenant, and users of another tenant register too.
    const { body } = await this.#admin.get(path, { 'x-servicefido-relyingparty': RP_ID });
    this.#read.push(...body.events);
    this.#cursor = body.next;
  };

  /** A new tenant gets a statement of today: the numbers have no gap. */
  #invoice = async () => {
    // Another one for each try: an answer may be lost although the tenant is stored.
    const tenant = `load-${(this.#tenants += 1)}`;
    await this.#admin.post('/tenantapi/tenants', { tenant, displayName: tenant });
    const { body } = await this.#admin.post('/userapi/invoice', { tenant, invoicelog: 'yes' });
    const found = body.invoice.number;
    const expected = `S-${this.#invoices + 1}`;
    if (found !== expected) throw new Error(`${found} in the place of ${expected}`);
    this.#invoices += 1;
  };

  #missing(registered) {
    const received = new Set(this.#receiver.received.map(({ id }) => id));
    const lacks = ({ id, kind }) => DELIVERED.includes(kind) && !received.has(id);
    return {
      unread: registered - this.#read.filter(({ kind }) => kind === 'registration').length,
      'read twice': this.#read.length - new Set(this.#read.map(({ id }) => id)).size,
      undelivered: this.#read.filter(lacks).length,
    };
  }
}
