import { setTimeout as pause } from 'node:timers/promises';
import { Connection } from '../../../bench/client/connection.mjs';
import { Visitor } from '../../../bench/client/visitor.mjs';

const VISITORS = 8;
const PAUSE_MS = 20;

/** People who sign in again and again while something else goes on. */
export class Logins {
  #visitors;
  #port;
  #on = false;
  #durations = [];
  #failures = [];

  static async register(port) {
    const logins = new Logins();
    logins.#port = port;
    logins.#visitors = Array.from({ length: VISITORS }, (_, n) => new Visitor(`visitor-${n}`));
    const connection = new Connection(port);
    for (const visitor of logins.#visitors) await visitor.register(connection);
    connection.close();
    return logins;
  }

  /** People sign in while something is done: what it answered, how long it took, their durations and failures. */
  async during(work) {
    this.#durations = [];
    this.#failures = [];
    this.#on = true;
    const began = performance.now();
    const running = Promise.all(this.#visitors.map((visitor) => this.#repeat(visitor)));
    const result = await work().finally(() => (this.#on = false));
    const seconds = (performance.now() - began) / 1000;
    await running;
    return { result, seconds, durations: this.#durations, failures: this.#failures };
  }

  async #repeat(visitor) {
    const connection = new Connection(this.#port);
    while (this.#on) {
      const began = performance.now();
      await visitor.authenticate(connection).then(
        () => this.#durations.push(performance.now() - began),
        (error) => this.#failures.push(String(error)),
      );
      await pause(PAUSE_MS);
    }
    connection.close();
  }
}
