import { setTimeout as pause } from 'node:timers/promises';
import { Authenticator, RP_ID } from '../../../bench/client/authenticator.mjs';

/** The wait before another attempt. */
const AGAIN_MS = 50;
const PATIENCE_MS = 15_000;
/** One sign-in in this number is replayed, which must never be accepted. */
const REPLAY_EVERY = 10;
/** Codes that a client with a genuine key, used once at a time, must never receive. */
const FALSE_ALARMS = ['E0032R', 'E0033R', 'E0034R', 'E0035R', 'E0036R'];

/**
 * Users who register and sign in one after another through the load balancer, which distributes the
 * calls to the available instances, and a journal of acknowledged calls.
 */
export class Population {
  /** User name → `{ count }`: the signature counter of the last acknowledged sign-in. */
  journal = new Map();
  refusals = new Map();
  falseAlarms = 0;
  replaysTaken = 0;
  replays = 0;
  logins = 0;
  #url;
  #stopped = false;
  #workers;
  #serial = 0;
  #lastGood = performance.now();
  #longestGap = 0;

  constructor(url, concurrency) {
    this.#url = url;
    this.#workers = Array.from({ length: concurrency }, (_, index) => this.#work(index));
  }

  get refusalCount() {
    return [...this.refusals.values()].reduce((sum, times) => sum + times, 0);
  }

  /** Returns the longest time without a successful sign-in during `event`, in ms. */
  async during(event) {
    this.#lastGood = performance.now();
    this.#longestGap = 0;
    await event();
    const seen = this.logins;
    const deadline = performance.now() + 60_000;
    while (this.logins < seen + 20) {
      if (performance.now() > deadline) throw new Error('nobody could sign in for a minute');
      await pause(20);
    }
    return Math.round(this.#longestGap);
  }

  async stop() {
    this.#stopped = true;
    await Promise.all(this.#workers);
  }

  async #work(worker) {
    while (!this.#stopped) {
      this.#serial += 1;
      const username = `user-${worker}-${this.#serial}`;
      const authenticator = new Authenticator();
      if (!(await this.#register(username, authenticator))) continue;
      for (let login = 0; login < 10 && !this.#stopped; login += 1) {
        await this.#signIn(username, authenticator);
      }
    }
  }

  /** Whether the key is registered now, by this call or by an earlier one with unknown outcome. */
  async #register(username, authenticator) {
    const begin = { username, displayName: username };
    const done = await this.#ceremony('register', begin, (challenge) =>
      authenticator.register(challenge),
    );
    if (done) this.journal.set(username, { count: 0 });
    return done !== undefined;
  }

  async #signIn(username, authenticator) {
    const done = await this.#ceremony('authenticate', { username }, (challenge) =>
      authenticator.authenticate(challenge),
    );
    if (!done) return;
    const now = performance.now();
    this.#longestGap = Math.max(this.#longestGap, now - this.#lastGood);
    this.#lastGood = now;
    this.logins += 1;
    this.journal.get(username).count = done.answer.signCount;
    if (this.logins % REPLAY_EVERY === 0) await this.#replay(done);
  }

  async #replay({ complete }) {
    this.replays += 1;
    const { status } = await post(this.#url, ...complete).catch(() => ({ status: 0 }));
    if (status === 200) this.replaysTaken += 1;
  }

  /** Tries until the ceremony is acknowledged; stops when the test has ended. */
  async #ceremony(name, begin, answer) {
    const deadline = performance.now() + PATIENCE_MS;
    let unknown = false;
    while (!this.#stopped && performance.now() < deadline) {
      try {
        const options = await post(this.#url, `/fidoapi/${name}/begin`, begin);
        if (options.status === 200) {
          const cookie = options.headers.getSetCookie()[0]?.split(';')[0];
          const complete = [`/fidoapi/${name}/complete`, answer(options.body.challenge), cookie];
          const before = unknown;
          unknown = true;
          const result = await post(this.#url, ...complete);
          if (result.status === 200) return { answer: result.body, complete };
          // An earlier attempt with unknown outcome had stored the key.
          if (before && result.body.errorCode === 'E0036R') return { answer: {}, complete };
          unknown = before || result.status >= 500;
          this.#note(result);
        } else this.#note(options);
      } catch (error) {
        this.#note({ status: 0, body: { errorCode: error.cause?.code ?? error.name } });
      }
      await pause(AGAIN_MS);
    }
    return undefined;
  }

  #note({ status, body }) {
    const code = `${status} ${body?.errorCode ?? ''}`.trim();
    this.refusals.set(code, (this.refusals.get(code) ?? 0) + 1);
    if (FALSE_ALARMS.includes(body?.errorCode)) this.falseAlarms += 1;
  }
}

async function post(url, path, call, cookie) {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'X-ServiceFido-RelyingParty': RP_ID,
      ...(cookie === undefined ? {} : { cookie }),
    },
    body: JSON.stringify(call),
    signal: AbortSignal.timeout(10_000),
  });
  const { status, headers } = response;
  // The proxy answers itself while no instance behind it is ready.
  const body = await response.json().catch(() => ({ errorCode: 'by the proxy' }));
  return { status, headers, body };
}
