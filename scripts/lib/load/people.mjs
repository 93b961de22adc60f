import { setTimeout as pause } from 'node:timers/promises';
import { Connection } from '../../../bench/client/connection.mjs';
import { Visitor } from '../../../bench/client/visitor.mjs';

const REST_MS = 20;
/** After this number of sign-ins a visitor registers two more users, one of them with a `keypair`. */
const REGISTERS_AFTER = 10;
const KEYPAIR = { model: 'a key of the load' };

/** Users who sign in repeatedly while something else happens, and the outcomes. */
export class People {
  registered = 0;
  /** The number of registrations with a `keypair` that two versions shared, and that had to begin again. */
  begunAgain = 0;
  /** Durations of the sign-ins since the last `during` began, in milliseconds. */
  durations = [];
  failures = [];
  /** The current phase, for failure messages. */
  phase = 'sign-in';
  #port;
  #serial = 0;
  #visitors = [];
  #isBusy = false;

  /** @param port of a server or a balancer */
  constructor(port) {
    this.#port = port;
  }

  /** Registers users who will sign in. @returns itself */
  async join(count = 8) {
    const connection = new Connection(this.#port);
    for (let n = 0; n < count; n += 1) await this.#register(connection);
    connection.close();
    return this;
  }

  /**
   * All users sign in repeatedly until the work is done.
   *
   * @param registering whether they also register further users
   * @returns the work's result, the seconds that it took, and durations and failures of the sign-ins
   */
  async during(work, { registering = false } = {}) {
    const [durations, failures] = [(this.durations = []), (this.failures = [])];
    this.#isBusy = true;
    const began = performance.now();
    const lives = this.#visitors.map((visitor) => this.#live(visitor, registering));
    const result = await work().finally(() => (this.#isBusy = false));
    const seconds = (performance.now() - began) / 1000;
    await Promise.all(lives);
    return { result, seconds, durations, failures };
  }

  /** All users who ever registered sign in once, at the given port. */
  async everybodySignsIn(port = this.#port) {
    const connection = new Connection(port);
    for (const visitor of this.#visitors) await this.#signIn(visitor, connection);
    connection.close();
  }

  async #live(visitor, registering) {
    const connection = new Connection(this.#port);
    for (let n = 1; this.#isBusy; n += 1) {
      await this.#signIn(visitor, connection);
      if (registering && n % REGISTERS_AFTER === 0) {
        await this.#register(connection).catch((error) => this.#fail(error));
        await this.#registerWithKeypair(connection);
      }
      await pause(REST_MS);
    }
    connection.close();
  }

  async #signIn(visitor, connection) {
    const began = performance.now();
    await visitor.authenticate(connection).then(
      () => this.durations.push(performance.now() - began),
      (error) => this.#fail(error),
    );
  }

  async #register(connection, more = {}) {
    this.#serial += 1;
    const visitor = new Visitor(`visitor-${this.#serial}@example.com`);
    await visitor.register(connection, more);
    this.#visitors.push(visitor);
    this.registered += 1;
  }

  async #registerWithKeypair(connection) {
    await this.#register(connection, { keypair: KEYPAIR }).catch((error) => {
      if (error.message.includes('E0024R')) this.begunAgain += 1;
      else this.#fail(error);
    });
  }

  #fail(error) {
    this.failures.push(`${this.phase}: ${error.message}`);
  }
}
