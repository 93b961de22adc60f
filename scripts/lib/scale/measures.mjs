import { Connection } from '../../../bench/client/connection.mjs';
import { Load } from '../../../bench/client/load.mjs';
import { Visitor } from '../../../bench/client/visitor.mjs';
import { cpuSeconds } from '../../../bench/process-meter.mjs';
import { spread } from '../harness.mjs';
import { searchText, usernameOf } from '../load/names.mjs';
import { say } from '../project.mjs';
import { leaverOf, visitorOf } from './population.mjs';

const COUNTED = 1000;
const CONCURRENCY = 8;
const SECONDS = 15;
/** More users than can sign in during a measurement: each signs in once. */
const STRANGERS = 30_000;
const REGULARS = 200;
const DELETIONS = 200;

const pathOf = (path, parameters) => `${path}?${new URLSearchParams(parameters)}`;
const manage = (parameters) => pathOf('/userapi/manageusers', parameters);

/** Calls of the administration: a title, their number, and the path of the kth of them. */
const CALLS = [
  ['pages of 100 users', 200, (_k, { last }) => nextPage(100, last)],
  ['pages of 1000 users', 200, (_k, { last }) => nextPage(1000, last)],
  ['pages of the newest users', 20, () => '/userapi?sort=-created'],
  ['pages of disabled keys', 20, () => '/userapi?state=disabled'],
  ['pages of who never signed in', 20, () => '/userapi?used=never'],
  ['searches', 200, search('/userapi/users?limit=50&search=')],
  ['searches at all relying parties', 200, search('/userapi?filter=')],
  ['events of a user', 200, eventsOfUser],
  ['the newest events', 20, () => '/userapi/events?limit=50'],
  ['the newest refusals', 3, () => '/userapi/events?limit=50&outcome=refused'],
  ['invoice', 5, () => '/userapi/invoice'],
  ['estimate of an invoice', 5, () => '/userapi/invoiceest'],
  ['adoption', 2, () => '/userapi/adoption?relyingParty=localhost'],
  ['metrics', 3, () => '/metrics'],
  ['dashboard', 3, () => '/'],
];

/** The page after the previous answer; after the last page, the first one. */
function nextPage(limit, last = '{}') {
  const { next: cursor } = JSON.parse(last);
  return manage({ limit, ...(cursor ? { cursor } : {}) });
}

function search(path) {
  return (k, { users }) => path + encodeURIComponent(searchText(k, users));
}

function eventsOfUser(k, { users }) {
  return pathOf('/userapi/events', { limit: 50, user: usernameOf((k * 7919 * 5) % users) });
}

/** The measurements at one size, printed line by line. */
export class Measures {
  failures = [];

  /** @param place server, filling (its notes), counters, mariadb, users */
  constructor(place) {
    Object.assign(this, place);
  }

  async all() {
    await this.#count('a login', this.#visitors(COUNTED), 'authenticate');
    await this.#count('a registration', newcomers(COUNTED), 'register');
    const visitors = this.#visitors(STRANGERS);
    // First users who are not cached, and then the same few repeatedly.
    await this.#logins('logins, each of somebody else', visitors);
    await this.#logins(`logins of the same ${REGULARS}`, visitors.slice(-REGULARS));
    await this.#withCpu('registrations', this.#load([]).freshRegistrations(SECONDS, 0));
    for (const [title, count, path] of CALLS) await this.#call(title, count, path);
    await this.#deletions();
  }

  /** Users who have not signed in before. */
  #visitors(count) {
    const { keyPair } = this.filling;
    const first = this.filling.take('visited', count);
    return Array.from({ length: count }, (_, k) => visitorOf(this.users, first + k, keyPair));
  }

  /** One ceremony after another, each of a different user: the cost of one in the database. */
  #count(title, visitors, ceremony) {
    const all = async (connection) => {
      for (const visitor of visitors) await visitor[ceremony](connection);
    };
    const work = () => Connection.during(this.server.port, all);
    return this.counters.each(title, visitors.length, work);
  }

  async #deletions() {
    const first = this.filling.take('deleted', DELETIONS);
    const path = (k) => manage({ type: 'deluser', filter: leaverOf(this.users, first + k) });
    await this.counters.each('a deletion', DELETIONS, () =>
      this.#call('deletions of a user', DELETIONS, path),
    );
  }

  #load(visitors) {
    const prefix = `new-${Date.now()}`;
    return new Load({ port: this.server.port, visitors, concurrency: CONCURRENCY, prefix });
  }

  #logins(title, visitors) {
    return this.#withCpu(title, () => this.#load(visitors).logins(SECONDS));
  }

  async #withCpu(title, work) {
    const pids = [this.server.pid, this.mariadb.pid];
    const before = pids.map(cpuSeconds);
    const durations = await work();
    const [server, database] = pids
      .map((pid, n) => cpuSeconds(pid) - before[n])
      .map((seconds) => Math.round((seconds / durations.length) * 1e6));
    const cpu = `CPU µs each: server ${server}, database ${database}`;
    const how = `${title}, ${CONCURRENCY} at a time`;
    say(`${how}: ${durations.length}, ${spread(durations)}, ${cpu}`);
  }

  async #call(title, count, path) {
    const durations = [];
    let last;
    for (let k = 0; k < count; k += 1) {
      const began = performance.now();
      try {
        last = (await this.server.admin.text(path(k, { users: this.users, last }))).text;
      } catch (error) {
        // A run at another size may have deleted the same user.
        if (!error.message.includes('E0044R')) this.failures.push(`${title}: ${error}`);
      }
      durations.push(performance.now() - began);
    }
    say(`${title}: ${count}, ${spread(durations)}`);
  }
}

const newcomers = (count) =>
  Array.from({ length: count }, (_, n) => new Visitor(`new-${Date.now()}-${n}@load.example`));
