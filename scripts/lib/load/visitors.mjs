import { setTimeout as pause } from 'node:timers/promises';
import { Connection } from '../../../bench/client/connection.mjs';
import { Visitor } from '../../../bench/client/visitor.mjs';

const REST_MS = 20;
/** After this number of sign-ins a visitor registers two more users, one of them with a `keypair`. */
const REGISTERS_AFTER = 10;
const KEYPAIR = { model: 'a key of the load' };
/** One sign-in in this number is sent again. */
const REPLAYED = 10;

/** Users who sign in repeatedly while something else happens, and the outcomes. */
export class Visitors {
  registered = 0;
  /** The number of registrations with a `keypair` that two versions shared, and that had to begin again. */
  begunAgain = 0;
  /** Durations of the sign-ins since the last `during` began, in milliseconds. */
  durations = [];
  failures = [];
  /** The longest time without a successful sign-in since the last `during` began, in milliseconds. */
  longestGap = 0;
  replays = 0;
  replaysTaken = 0;
  /** The current phase, for failure messages. */
  phase = 'sign-in';
  #port;
  #serial = 0;
  /** All who ever registered. */
  visitors = [];
  /** The number of those who sign in repeatedly: they registered first. */
  #regulars = 0;
  #lastGood = 0;
  #isBusy = false;

  /** @param port of a server or a balancer */
  constructor(port) {
    this.#port = port;
  }

  /** Registers users who will sign in. @returns itself */
  async join(count = 8) {
    await Connection.during(this.#port, async (connection) => {
      for (let n = 0; n < count; n += 1) await this.#register(connection);
    });
    this.#regulars = count;
    return this;
  }

  /**
   * All users sign in repeatedly until the work is done.
   *
   * @param registering whether they also register further users; `replaying`: whether they also send sign-ins again
   * @returns the work's result, the seconds that it took, and durations and failures of the sign-ins
   */
  async during(work, { registering = false, replaying = false } = {}) {
    const durations = (this.durations = []);
    const failures = (this.failures = []);
    this.#isBusy = true;
    this.longestGap = 0;
    const began = (this.#lastGood = performance.now());
    const lives = this.visitors
      .slice(0, this.#regulars)
      .map((visitor) => this.#live(visitor, { registering, replaying }));
    const result = await work().finally(() => (this.#isBusy = false));
    const seconds = (performance.now() - began) / 1000;
    await Promise.all(lives);
    return { result, seconds, durations, failures };
  }

  /** All users who ever registered sign in once, at the given port. */
  everybodySignsIn(port = this.#port) {
    return Connection.during(port, async (connection) => {
      for (const visitor of this.visitors) await this.#signIn(visitor, connection);
    });
  }

  async #live(visitor, { registering, replaying }) {
    let connection = new Connection(this.#port);
    for (let n = 1; this.#isBusy; n += 1) {
      if (connection.closed) connection = new Connection(this.#port);
      const again = await this.#signIn(visitor, connection);
      if (again && replaying && n % REPLAYED === 0) await this.#replay(again);
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
    try {
      const again = await visitor.authenticate(connection);
      const now = performance.now();
      this.durations.push(now - began);
      this.longestGap = Math.max(this.longestGap, now - this.#lastGood);
      this.#lastGood = now;
      return again;
    } catch (error) {
      this.#fail(error);
      return undefined;
    }
  }

  async #replay(again) {
    this.replays += 1;
    const { status } = await again().catch(() => ({ status: 0 }));
    if (status === 200) this.replaysTaken += 1;
  }

  async #register(connection, more = {}) {
    this.#serial += 1;
    const visitor = new Visitor(`visitor-${this.#serial}@example.com`);
    await visitor.register(connection, more);
    this.visitors.push(visitor);
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
