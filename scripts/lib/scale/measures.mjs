import { Connection } from '../../../bench/client/connection.mjs';
import { Load } from '../../../bench/client/load.mjs';
import { Visitor } from '../../../bench/client/visitor.mjs';
import { cpuSeconds } from '../../../bench/process-meter.mjs';
import { spread } from '../harness.mjs';
import { say } from '../project.mjs';
import { searches, usernameOf } from '../load/names.mjs';
import { leaverOf, visitorOf } from './population.mjs';

const COUNTED = 1000;
const CONCURRENCY = 8;
const SECONDS = 15;
/** More users than can sign in during a measurement: each signs in once. */
const STRANGERS = 30_000;
const REGULARS = 200;
const SAMPLES = 200;

/** The measurements at one size, printed line by line. */
export class Measures {
  failures = [];

  /** @param place server, filling (its notes), counters, mariadb, users */
  constructor(place) {
    Object.assign(this, place);
  }

  /** One login after another, each by a different user: the cost of a login in the database. */
  async countLogins() {
    const { keyPair } = this.filling;
    const first = this.filling.take('visited', COUNTED);
    const visitors = Array.from({ length: COUNTED }, (_, k) =>
      visitorOf(this.users, first + k, keyPair),
    );
    await this.#count('a login', visitors, (visitor, connection) =>
      visitor.authenticate(connection),
    );
  }

  async countRegistrations() {
    const visitors = newcomers(COUNTED);
    await this.#count('a registration', visitors, (visitor, connection) =>
      visitor.register(connection),
    );
  }

  async #count(title, visitors, ceremony) {
    const counts = await this.counters.each(visitors.length, async () => {
      const connection = new Connection(this.server.port);
      for (const visitor of visitors) await ceremony(visitor, connection);
      connection.close();
    });
    sayCounts(title, counts);
  }

  /** Users who are not cached, and then the same few repeatedly. */
  async logins() {
    const { keyPair } = this.filling;
    const first = this.filling.take('visited', STRANGERS);
    const visitors = Array.from({ length: STRANGERS }, (_, k) =>
      visitorOf(this.users, first + k, keyPair),
    );
    await this.#atOnce('logins, each of somebody else', visitors);
    await this.#atOnce(`logins of the same ${REGULARS}`, visitors.slice(-REGULARS));
  }

  async registrations() {
    const load = new Load({
      port: this.server.port,
      visitors: [],
      concurrency: CONCURRENCY,
      prefix: `new-${Date.now()}`,
    });
    const register = load.freshRegistrations(SECONDS, 0);
    await this.#withCpu('registrations', register);
  }

  async #atOnce(title, visitors) {
    const load = new Load({ port: this.server.port, visitors, concurrency: CONCURRENCY });
    await this.#withCpu(title, () => load.logins(SECONDS));
  }

  async #withCpu(title, work) {
    const pids = [this.server.pid, this.mariadb.pid];
    const before = pids.map(cpuSeconds);
    const durations = await work();
    const [server, database] = pids.map((pid, n) => cpuSeconds(pid) - before[n]);
    const each = (seconds) => Math.round((seconds / durations.length) * 1e6);
    const more = `, CPU µs each: server ${each(server)}, database ${each(database)}`;
    this.#report(`${title}, ${CONCURRENCY} at a time`, durations, more);
  }

  async pages() {
    for (const limit of [100, 1000]) {
      let next = {};
      await this.#times(`pages of ${limit} users`, SAMPLES, async () => {
        const { body } = await this.server.admin.manage({ limit: String(limit), ...next });
        next = body.next === null ? {} : { cursor: body.next };
      });
    }
    await this.#times('pages of the newest users', 20, () => this.#page('/userapi?sort=-created'));
    await this.#times('pages of disabled keys', 20, () => this.#page('/userapi?state=disabled'));
    await this.#times('pages of who never signed in', 20, () => this.#page('/userapi?used=never'));
  }

  async search() {
    const texts = searches(this.users);
    await this.#times('searches', SAMPLES, () => {
      const query = new URLSearchParams({ search: texts.next().value, limit: '50' });
      return this.server.admin.get(`/userapi/users?${query}`);
    });
    await this.#times('searches at all relying parties', SAMPLES, () => {
      const query = new URLSearchParams({ filter: texts.next().value });
      return this.#page(`/userapi?${query}`);
    });
  }

  async events() {
    const user = (k) => encodeURIComponent(usernameOf((k * 7919 * 5) % this.users));
    const get = (query) => this.server.admin.get(`/userapi/events?limit=50&${query}`);
    await this.#times('events of a user', SAMPLES, (k) => get(`user=${user(k)}`));
    await this.#times('the newest events', 20, () => get(''));
    await this.#times('the newest refusals', 3, () => get('outcome=refused'));
  }

  async figuresOfAll() {
    await this.#times('invoice', 5, () => this.server.admin.get('/userapi/invoice'));
    await this.#times('estimate of an invoice', 5, () =>
      this.server.admin.get('/userapi/invoiceest'),
    );
    await this.#times('adoption', 2, () =>
      this.server.admin.get('/userapi/adoption?relyingParty=localhost'),
    );
    await this.#times('metrics', 3, () => this.#page('/metrics'));
    await this.#times('dashboard', 3, () => this.#page('/'));
  }

  async deletions() {
    const first = this.filling.take('deleted', SAMPLES);
    const counts = await this.counters.each(SAMPLES, () =>
      this.#times('deletions of a user', SAMPLES, (k) =>
        this.server.admin
          .manage({ type: 'deluser', filter: leaverOf(this.users, first + k) })
          .catch(unlessGone),
      ),
    );
    sayCounts('a deletion', counts);
  }

  async #times(title, count, work) {
    const durations = [];
    for (let k = 0; k < count; k += 1) {
      const began = performance.now();
      const failure = await work(k).then(() => undefined, String);
      if (failure) this.failures.push(`${title}: ${failure}`);
      durations.push(performance.now() - began);
    }
    this.#report(title, durations);
  }

  #page(path) {
    return this.server.admin.text(path);
  }

  #report(title, durations, more = '') {
    say(`${title}: ${durations.length}, ${spread(durations)}${more}`);
  }
}

/** A run at another size may have deleted the same user. */
function unlessGone(error) {
  if (!error.message.includes('E0044R')) throw error;
}

const newcomers = (count) =>
  Array.from({ length: count }, (_, n) => new Visitor(`new-${Date.now()}-${n}@load.example`));

function sayCounts(title, counts) {
  const rounded = Object.entries(counts).map(([name, n]) => `${name} ${n.toFixed(n < 20 ? 2 : 0)}`);
  say(`${title} by itself: ${rounded.join(', ')}`);
}
