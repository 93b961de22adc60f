import { performance } from 'node:perf_hooks';
import { Connection } from './connection.mjs';
import { Visitor } from './visitor.mjs';

/** Keeps `concurrency` ceremonies in flight against one server. */
export class Load {
  #visitors;
  #port;
  #concurrency;
  #prefix;
  #serial = 0;

  constructor({ port, visitors, concurrency, prefix }) {
    this.#prefix = prefix;
    this.#visitors = Array.from({ length: visitors }, () => this.#newVisitor());
    this.#port = port;
    this.#concurrency = concurrency;
  }

  /** Registers every user, and makes sure that each one's wrong signature is refused. */
  async prepare() {
    const waiting = [...this.#visitors];
    await this.#inParallel(async (connection) => {
      for (let next = waiting.pop(); next; next = waiting.pop()) {
        await next.register(connection);
        await next.expectRefusal(connection);
      }
    });
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

  /** Each phase has connections of its own: a server may close those that idle between turns. */
  async #inParallel(work) {
    const opened = Array.from({ length: this.#concurrency }, () => new Connection(this.#port));
    try {
      await Promise.all(opened.map((connection) => work(connection)));
    } finally {
      for (const connection of opened) connection.close();
    }
  }
}
