import { setTimeout as pause } from 'node:timers/promises';
import { Connection } from '../../../bench/client/connection.mjs';
import { Visitor } from '../../../bench/client/visitor.mjs';

const REST_MS = 20;
/** After this number of sign-ins, each of them registers two more, one of them with a `keypair`. */
const REGISTERS_AFTER = 10;
const KEYPAIR = { model: 'a key of the upgrade' };

/** People who sign in and register all the time, and what came of it. */
export class People {
  signIns = [];
  registered = 0;
  /** Registrations with a `keypair` that two versions shared, and that had to begin anew. */
  begunAnew = 0;
  failures = [];
  /** What goes on, for the failures. */
  phase = 'at first';
  #port;
  #serial = 0;
  #visitors = [];
  #busy = false;
  #work;

  /** @param port of a server or a balancer */
  constructor(port) {
    this.#port = port;
  }

  /**
   * Registers users who will sign in, and one who will not.
   *
   * @param bystander the name of the one
   */
  async join(count, bystander) {
    const connection = new Connection(this.#port);
    for (let n = 0; n < count; n += 1) await this.#register(connection, {});
    if (bystander) await new Visitor(bystander).register(connection);
    connection.close();
  }

  /** From now on all who joined sign in again and again. */
  begin() {
    this.#busy = true;
    this.#work = Promise.all(this.#visitors.map((visitor) => this.#live(visitor)));
  }

  async end() {
    this.#busy = false;
    await this.#work;
  }

  /** Lets everybody who was ever registered sign in once, on whatever listens at the port. */
  async everybodySignsIn(port = this.#port) {
    const connection = new Connection(port);
    for (const visitor of this.#visitors) await this.#signIn(visitor, connection);
    connection.close();
  }

  async #live(visitor) {
    const connection = new Connection(this.#port);
    for (let n = 1; this.#busy; n += 1) {
      await this.#signIn(visitor, connection);
      if (n % REGISTERS_AFTER === 0) {
        await this.#register(connection, {});
        await this.#register(connection, { keypair: KEYPAIR });
      }
      await pause(REST_MS);
    }
    connection.close();
  }

  async #signIn(visitor, connection) {
    const began = performance.now();
    await visitor.authenticate(connection).then(
      () => this.signIns.push(performance.now() - began),
      (error) => this.#fail(error),
    );
  }

  async #register(connection, more) {
    this.#serial += 1;
    const visitor = new Visitor(`upgrade-${this.#serial}@example.com`);
    try {
      await visitor.register(connection, more);
      this.#visitors.push(visitor);
      this.registered += 1;
    } catch (error) {
      if (more.keypair && error.message.includes('E0024R')) this.begunAnew += 1;
      else this.#fail(error);
    }
  }

  #fail(error) {
    this.failures.push(`${this.phase}: ${error.message}`);
  }
}
