import { performance } from 'node:perf_hooks';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { Connection } from './connection.mjs';
import { Visitor } from './visitor.mjs';

/** A timer may come this much late; nearer moments are waited for turn by turn. */
const LATE_MS = 2;

/** Signs users in at one server: so many at a time, or as they come. */
export class Load {
  #visitors;
  #port;
  #concurrency;
  #prefix;
  #serial = 0;

  /** @param visitors how many, or who: users who are there already */
  constructor({ port, visitors, concurrency, prefix }) {
    this.#prefix = prefix;
    this.#visitors = Array.isArray(visitors)
      ? [...visitors]
      : Array.from({ length: visitors }, () => this.#newVisitor());
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

  /**
   * Logins that begin at random moments, so many a second in the mean, whether or not others are under
   * way: as people come. Answers each one's duration in ms, from the moment that was its own.
   */
  async arrivals(perSecond, seconds) {
    const idle = [];
    const durations = [];
    const login = async (arrived) => {
      const visitor = this.#visitors.shift();
      if (visitor === undefined) throw new Error('More people come than there are visitors.');
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

/** A Poisson process: each moment as it comes. */
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
