import { performance } from 'node:perf_hooks';
import { Connection } from './connection.mjs';
import { Visitor } from './visitor.mjs';

/** Keeps `concurrency` ceremonies in flight against one server. */
export class Load {
  #visitors;
  #connections;
  #prefix;
  #serial = 0;

  constructor({ port, users, concurrency, prefix }) {
    this.#prefix = prefix;
    this.#visitors = Array.from({ length: users }, () => this.#newVisitor());
    this.#connections = Array.from({ length: concurrency }, () => new Connection(port));
  }

  /** Registers every user, and makes sure that a wrong signature is refused. */
  async prepare() {
    const waiting = [...this.#visitors];
    await this.#inParallel(async (connection) => {
      for (let next = waiting.pop(); next; next = waiting.pop()) await next.register(connection);
    });
    await this.#visitors[0].expectRefusal(this.#connections[0]);
  }

  /** Whole logins for so many seconds; answers each one's duration in ms. */
  async logins(seconds) {
    // A user is taken from the queue while signing in, so nobody does so twice at a time.
    const free = this.#visitors;
    return await this.#repeat(seconds, async (connection) => {
      const visitor = free.shift();
      await visitor.authenticate(connection);
      free.push(visitor);
    });
  }

  /** Makes the keys of new users; answers what registers them for so many seconds. */
  freshRegistrations(seconds, expected) {
    const fresh = Array.from({ length: expected }, () => this.#newVisitor());
    return () =>
      this.#repeat(seconds, async (connection) => {
        const visitor = fresh.pop() ?? this.#newVisitor();
        await visitor.register(connection);
      });
  }

  close() {
    for (const connection of this.#connections) connection.close();
  }

  #newVisitor() {
    this.#serial += 1;
    return new Visitor(`${this.#prefix}-${this.#serial}@example.com`);
  }

  async #repeat(seconds, once) {
    const durations = [];
    const end = performance.now() + seconds * 1000;
    await this.#inParallel(async (connection) => {
      for (let start = performance.now(); start < end;) {
        await once(connection);
        const now = performance.now();
        durations.push(now - start);
        start = now;
      }
    });
    return durations;
  }

  async #inParallel(work) {
    await Promise.all(this.#connections.map((connection) => work(connection)));
  }
}
