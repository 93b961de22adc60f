/**
 * Suites of the ordinary tests that also run at a larger size: a line about each, what its size counts, and the
 * default size.
 */
export const SUITES = {
  races: {
    text: 'two requests at once, lost answers, kills between two statements, clocks that jump, a Redis set back',
    spec: 'test/resilience/((admin-)?races|lost-connection|killed-statements|session-store-faults)\\.proof-spec\\.ts',
    sizeIs: 'ROUNDS',
    usual: 200,
  },
  replays: {
    text: 'one request again and again, 50 at once, across instances, after a restart, after Redis was set back',
    spec: 'test/resilience/replays.proof-spec.ts',
    sizeIs: 'COUNT',
    usual: 100_000,
  },
  crash: {
    text: 'kill -9 under load, and in the middle of an import and of the deletion of a list',
    spec: 'test/(?:resilience/crash|user-admin/(?:delete-list|import)-crash)\\.proof-spec\\.ts$',
    sizeIs: 'TIMES',
    usual: 100,
  },
  power: {
    text: 'power cuts under load, on SQLite (Linux with cc, gcc or clang)',
    spec: 'test/resilience/power-loss.proof-spec.ts',
    sizeIs: 'TIMES',
    usual: 10,
  },
  faults: {
    text: 'a MariaDB or Redis that freezes, stops or is killed under load, for this time each',
    spec: 'test/resilience/faults.proof-spec.ts',
    sizeIs: 'SECONDS',
    usual: 30,
  },
  departures: {
    text: 'one of two instances behind a balancer stops under load and starts again: no ceremony may fail',
    spec: 'test/resilience/departures.proof-spec.ts',
    sizeIs: 'COUNT',
    usual: 50,
  },
  webhooks: {
    text: 'deliveries whose receiver or server is killed: each event arrives, those of a user in order',
    spec: 'test/resilience/webhooks\\.proof-spec\\.ts$',
    sizeIs: 'TIMES',
    usual: 8,
  },
  memory: {
    text: 'the largest begin calls from one address, to a heap of 256 MB, while another user signs in',
    spec: 'test/resilience/memory.proof-spec.ts',
    sizeIs: 'SECONDS',
    usual: 60,
  },
  autofill: {
    // A ceremony lives for 60 s instead of 600, so that the hour takes six minutes.
    text: 'sign-in pages that stay open for an hour',
    spec: 'test/resilience/autofill.proof-spec.ts',
    sizeIs: 'VISITORS',
    usual: 1000,
  },
  move: {
    text: 'users who move to another domain while they sign in, and back (--store sqlite|mariadb)',
    spec: 'test/resilience/move.proof-spec.ts',
    sizeIs: 'COUNT',
    usual: 10_000,
  },
  pages: {
    text: 'every page in each theme and width: accessibility, text that is cut off (pictures in TEST_PAGE_PICTURES)',
    spec: 'test/browser/every-page',
    sizeIs: 'WIDTHS',
    usual: 5,
  },
};
