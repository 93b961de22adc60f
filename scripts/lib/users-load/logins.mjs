import { Connection } from '../../../bench/client/connection.mjs';
import { Visitor } from '../../../bench/client/visitor.mjs';

const VISITORS = 8;
const PAUSE_MS = 20;

/** People who sign in again and again while something else goes on. */
export class Logins {
  #visitors;
  #port;
  #on = false;
  #running;
  durations = [];
  failures = [];

  static async register(port) {
    const logins = new Logins();
    logins.#port = port;
    logins.#visitors = Array.from({ length: VISITORS }, (_, n) => new Visitor(`visitor-${n}`));
    const connection = new Connection(port);
    for (const visitor of logins.#visitors) await visitor.register(connection);
    connection.close();
    return logins;
  }

  begin() {
    this.#on = true;
    this.#running = Promise.all(this.#visitors.map((visitor) => this.#repeat(visitor)));
  }

  async end() {
    this.#on = false;
    await this.#running;
  }

  async #repeat(visitor) {
    const connection = new Connection(this.#port);
    while (this.#on) {
      const began = performance.now();
      await visitor.authenticate(connection).then(
        () => this.durations.push(performance.now() - began),
        (error) => this.failures.push(String(error)),
      );
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    connection.close();
  }
}
