import { Refusal } from './project.mjs';
import { findProgram } from './services/programs.mjs';

const sum = (member) => (reported) =>
  reported.reduce((total, figures) => total + (figures[member] ?? 0), 0);
const most =
  (member, counts = () => true) =>
  (reported) =>
    Math.max(...reported.filter(counts).map((figures) => figures[member] ?? 0));
const count = (reported) => reported.length;

/**
 * Suites of the ordinary tests that also run at a larger size: the default size, and the figures derived from the
 * suite's report.
 */
export const SUITES = {
  /**
   * [ROUNDS]: each race, on every database and on two instances; with lost answers of the database, a process that ends
   * between any two messages to it, clocks that jump by an hour, and a Redis that is set back, with and without INFO.
   */
  races: {
    spec: 'test/resilience/((admin-)?races|lost-connection|killed-statements|session-store-faults)\\.e2e-spec\\.ts',
    usual: 200,
    figures: { races: count, rounds: sum('rounds') },
  },
  /**
   * [COUNT]: replays one after another, 50 at once, across two instances, after a restart and after Redis was set back.
   */
  replays: {
    spec: 'test/resilience/replays.e2e-spec.ts',
    usual: 100_000,
    figures: { replays: sum('replays'), accepted: sum('accepted') },
  },
  /** [TIMES]: SIGKILL under load, on every database, and in the middle of the deletion of a list. */
  crash: {
    spec: 'test/(?:resilience/crash|user-admin/delete-list-crash)\\.e2e-spec\\.ts$',
    usual: 100,
    figures: {
      kills: sum('kills'),
      acknowledged: sum('acknowledged'),
      lost: sum('lost'),
      'deleted in spite of kills': sum('deleted'),
      'ready again within ms': most('readyMs'),
    },
  },
  /** [TIMES]: power cuts under load, on SQLite. */
  power: {
    spec: 'test/resilience/power-loss.e2e-spec.ts',
    usual: 10,
    title: 'power loss',
    ensure: () => {
      if (process.platform !== 'linux') throw new Refusal('power cuts are simulated on Linux only');
      if (!findProgram('cc', 'gcc', 'clang')) {
        throw new Refusal('power cuts need a C compiler (cc, gcc or clang), and none is installed');
      }
    },
    figures: {
      cuts: sum('cuts'),
      acknowledged: sum('acknowledged'),
      lost: sum('lost'),
      'a disk that syncs nothing would have lost': sum('forgotten'),
    },
  },
  /** [SECONDS]: MariaDB and Redis are frozen, stopped and killed under load, for this time each. */
  faults: {
    spec: 'test/resilience/faults.e2e-spec.ts',
    usual: 30,
    figures: {
      outages: count,
      answers: sum('answers'),
      refused: sum('refused'),
      'slowest ms': most('slowestMs'),
      'slowest but frozen MariaDB ms': most('slowestMs', ({ fault }) => fault !== 'MariaDB frozen'),
      'healed within ms': most('healedMs'),
      acknowledged: sum('acknowledged'),
      lost: sum('lost'),
    },
  },
  /** [COUNT]: one of two instances behind a balancer stops under load, and starts again. No ceremony may fail. */
  departures: {
    spec: 'test/resilience/departures.e2e-spec.ts',
    usual: 50,
    figures: {
      departures: sum('departures'),
      calls: sum('calls'),
      'second tries': sum('retries'),
    },
  },
  /**
   * [TIMES]: under load, the receiver of webhooks is killed and started again, and then the server, with SIGKILL; on
   * SQLite, and on MariaDB with two instances. Each event of the ledger must arrive at least once, and the events of a
   * user in order.
   */
  webhooks: {
    spec: 'test/resilience/webhooks\\.e2e-spec\\.ts$',
    usual: 8,
    figures: {
      kills: sum('kills'),
      events: sum('events'),
      messages: sum('messages'),
      lost: sum('lost'),
      'out of order': sum('disordered'),
    },
  },
  /**
   * [SECONDS]: one address sends the largest begin calls, each as soon as the previous one is answered, to a server
   * with a heap of 256 MB, while another user signs in.
   */
  memory: {
    spec: 'test/resilience/memory.e2e-spec.ts',
    usual: 60,
    figures: {
      begun: sum('begun'),
      refused: sum('refused'),
      'sign-ins of others': sum('signIns'),
      'MiB before': most('residentBefore'),
      'MiB at most': most('residentAfter'),
    },
  },
  /**
   * [VISITORS]: visitors leave a page whose form offers passkeys open for an hour, and sign in at its end. A ceremony
   * lives for 60 s instead of 600, so that the hour takes six minutes: each page begins as many ceremonies as in an
   * hour.
   */
  autofill: {
    spec: 'test/resilience/autofill.e2e-spec.ts',
    usual: 1000,
    figures: {
      visitors: sum('visitors'),
      begun: sum('begun'),
      'sign-ins refused': sum('refused'),
      'MiB before': most('before'),
      'MiB at most': most('most'),
    },
  },
  /**
   * [COUNT --store sqlite|mariadb]: this number of users moves from an old domain to a new one while they sign in, and
   * back; then the old one is removed. No sign-in may fail, and an invoice counts each user once.
   */
  move: {
    spec: 'test/resilience/move.e2e-spec.ts',
    usual: 10_000,
    onStores: true,
    figures: { people: sum('people'), ceremonies: sum('calls'), 'slowest ms': sum('slowest') },
  },
};
