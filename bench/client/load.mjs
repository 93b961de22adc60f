import { performance } from 'node:perf_hooks';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { Connection } from './connection.mjs';
import { Visitor } from './visitor.mjs';

/** How late a timer may fire, in milliseconds. For shorter waits the client polls in the event loop. */
const LATE_MS = 2;

/** Signs users in at one server, with a fixed concurrency or at random times. */
export class Load {
  #visitors;
  #port;
  #concurrency;
  #prefix;
  #serial = 0;

  /** @param visitors their number, or existing users */
  constructor({ port, visitors, concurrency, prefix }) {
    this.#prefix = prefix;
    this.#visitors = Array.isArray(visitors)
      ? [...visitors]
      : Array.from({ length: visitors }, () => this.#newVisitor());
    this.#port = port;
    this.#concurrency = concurrency;
  }

  /** Registers every user, and checks that a wrong signature of each is refused. */
  async prepare() {
    const waiting = [...this.#visitors];
    await this.#inParallel(async (connection) => {
      for (let next = waiting.pop(); next; next = waiting.pop()) {
        await next.register(connection);
        await next.expectRefusal(connection);
      }
    });
  }

  /** Complete logins for this number of seconds; returns their durations in ms. */
  async logins(seconds) {
    // A user is removed from the queue during sign-in, so no user signs in twice at a time.
    const free = this.#visitors;
    return await this.#repeat(seconds, async (connection) => {
      const visitor = free.shift();
      await visitor.authenticate(connection);
      free.push(visitor);
    });
  }

  /**
   * Logins that begin at random times, with this mean number per second, whether or not others are
   * pending, like real users. Returns their durations in ms, measured from the scheduled time.
   */
  async arrivals(perSecond, seconds) {
    const idle = [];
    const durations = [];
    const login = async (arrived) => {
      const visitor = this.#visitors.shift();
      if (visitor === undefined) throw new Error('More users come than there are visitors.');
      const connection = idle.pop() ?? new Connection(this.#port);
      await visitor.authenticate(connection);
      durations.push(performance.now() - arrived);
      idle.push(connection);
      this.#visitors.push(visitor);
    };
    const all = [];
    let failure;
    for await (const moment of randomMoments(perSecond, seconds)) {
      if (failure) break;
      all.push(login(moment).catch((error) => (failure ??= error)));
    }
    await Promise.all(all);
    if (failure) throw failure;
    for (const connection of idle) connection.close();
    return durations;
  }

  /** Creates the keys of new users; returns a function that registers them for this number of seconds. */
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

  /** Each phase has its own connections: a server may close connections that are idle between turns. */
  async #inParallel(work) {
    const opened = Array.from({ length: this.#concurrency }, () => new Connection(this.#port));
    try {
      await Promise.all(opened.map((connection) => work(connection)));
    } finally {
      for (const connection of opened) connection.close();
    }
  }
}

/** A Poisson process: yields at each time. */
async function* randomMoments(perSecond, seconds) {
  const gap = () => (-Math.log(1 - Math.random()) * 1000) / perSecond;
  const begin = performance.now();
  const end = begin + seconds * 1000;
  for (let moment = begin + gap(); moment < end; moment += gap()) {
    for (let wait = moment - performance.now(); wait > 0; wait = moment - performance.now()) {
      await (wait > LATE_MS ? pause(wait - LATE_MS) : turn());
    }
    yield moment;
  }
}
