import type BetterSqlite3 from 'better-sqlite3';
import { authorizationCodeGrant } from 'openid-client';
import { DataSource } from 'typeorm';
import { APPEND_EVENTS } from '../../src/events/event.statements.js';
import { eventRow } from '../../src/events/ledger.js';
import { forSqlite } from '../../src/platform/database/sqlite/sqlite-database.js';
import { FidoClient } from '../support/fido-client.js';
import { OidcBrowser } from '../support/oidc-browser.js';
import { addClient, authorizationRequest, discover, startIssuer } from '../support/oidc-issuer.js';
import { loadStatements } from '../support/schema/statements.js';
import { BY_HAND, type TestServer } from '../support/test-server.js';

/** Nothing else runs beside the calls in at least one of this number of tries. */
const TRIES = 20;
const NONE = Buffer.alloc(16);

interface Statement {
  readonly source: string;
}

/** The statements that store a sign-in, and those that read the user's keys for its answer. */
const RECORDED = [
  ...['BEGIN IMMEDIATE', 'RECORD_RISING_USE', '1 in events'],
  ...['ALL_KEYS_OF_USER', 'COMMIT'],
];

describe('the statements that a ceremony runs in SQLite', () => {
  let server: TestServer;
  let heard: string[];
  let users = 0;
  const client = () => new FidoClient(server.url);
  beforeAll(async () => {
    // On a slow machine a call takes a second, and then a job runs beside each.
    server = await startIssuer({ speed: BY_HAND });
    heard = await listen(server);
  });
  afterAll(() => server.stop());

  it('a first registration runs only the expected statements', async () => {
    const asked = await askedBy((_, name) => client().register(`${name} too`));
    const words = 'INSERT OR IGNORE INTO search_words';
    const store = ['INSERT_USER', 'INSERT_CREDENTIAL', words, '2 in events'];
    const last = ['ALL_KEYS_OF_USER', 'COMMIT'];
    expect(asked).toEqual([
      'USER_WITH_CREDENTIALS_exact_plain',
      'BEGIN IMMEDIATE',
      ...store,
      ...last,
    ]);
  });

  it('the registration of a further key runs only the expected statements', async () => {
    const asked = await askedBy((_, name) => client().register(name));
    const read = ['USER_WITH_CREDENTIALS_exact_plain', 'USER_WITH_CREDENTIALS_exact_plain'];
    const store = ['BEGIN IMMEDIATE', 'INSERT_CREDENTIAL', '1 in events'];
    expect(asked).toEqual([...read, ...store, 'ALL_KEYS_OF_USER', 'COMMIT']);
  });

  it('a sign-in runs only the expected statements', async () => {
    const asked = await askedBy((blue, name) => blue.signIn(name));
    expect(asked).toEqual(['USER_TO_SIGN_IN_exact_plain', ...RECORDED]);
  });

  it('a sign-in by OpenID Connect runs only the expected statements', async () => {
    const config = await discover(await addClient(server));
    const asked = await askedBy(async (blue, name) => {
      const { address, checks } = await authorizationRequest(config);
      const back = await new OidcBrowser(server.url, blue).authorize(address, name);
      await authorizationCodeGrant(config, back, checks);
    });
    const store = (...names: string[]) => ['BEGIN IMMEDIATE', ...names, 'COMMIT'];
    const page = ['CLIENT_OF_ISSUER', 'CLIENT_OF_ISSUER', 'USER_TO_SIGN_IN_exact_plain'];
    const result = ['CLIENT_OF_ISSUER', 'CREDENTIAL_BY_HASH', ...RECORDED];
    const code = store('PUT_RECORD', 'PUT_RECORD', 'PUT_RECORD');
    const back = ['CLIENT_OF_ISSUER', 'USER_BY_ID', ...code];
    const records = ['FIND_RECORD', 'FIND_RECORD_BY_REFERENCE', 'FIND_RECORD'];
    const use = store('CONSUME_RECORD', 'PUT_RECORD');
    const token = ['CLIENT_OF_ISSUER', ...records, 'USER_BY_ID', ...use];
    expect(asked).toEqual(['CLIENT_OF_ISSUER', ...page, ...result, ...back, ...token]);
  });

  it('a sign-in without a user name runs only the expected statements', async () => {
    const asked = await askedBy(async (blue) => blue.signInNameless());
    expect(asked).toEqual(['OWNER_OF_CREDENTIAL_plain', ...RECORDED]);
  });

  /** The statements of a ceremony, each time of another user. */
  async function askedBy(ceremony: (blue: FidoClient, name: string) => Promise<unknown>) {
    const asked: string[][] = [];
    for (let n = 0; n < TRIES; n += 1) {
      const blue = client();
      const name = `user ${(users += 1)}`;
      await blue.register(name);
      await blue.signIn(name);
      heard.splice(0);
      await ceremony(blue, name);
      asked.push(heard.splice(0));
    }
    return asked.toSorted((a, b) => a.length - b.length)[0];
  }
});

/** Records each statement that SQLite runs, by its name in `*.statements.ts` if it has one. */
async function listen(server: TestServer): Promise<string[]> {
  const { driver } = server.get(DataSource);
  const { databaseConnection } = driver as typeof driver & {
    readonly databaseConnection: BetterSqlite3.Database;
  };
  const statements = [...(await loadStatements())].map(
    ([name, sql]) => [forSqlite(sql), name] as const,
  );
  const names = new Map([...statements, ...[1, 2].map(eventsByNumber)]);
  const heard: string[] = [];
  const prototype = Object.getPrototypeOf(databaseConnection.prepare('SELECT 1')) as object;
  for (const verb of ['all', 'run', 'get'] as const) {
    const native = Reflect.get(prototype, verb) as (...params: unknown[]) => unknown;
    Reflect.set(prototype, verb, function (this: Statement, ...params: unknown[]) {
      heard.push(names.get(this.source) ?? this.source.replace(/\s+/g, ' ').replace(/ \(.*/, ''));
      return native.apply(this, params);
    });
  }
  return heard;
}

function eventsByNumber(count: number) {
  const event = eventRow({
    kind: 'authentication',
    at: 0,
    relyingParty: { id: NONE, tenantId: NONE },
  });
  const { sql } = APPEND_EVENTS.bind({ rows: Array.from({ length: count }, () => event) });
  return [forSqlite(sql), `${count} in events`] as const;
}
