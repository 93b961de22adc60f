import { Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Database } from '../../src/platform/database/database.js';
import { REDIS_URL } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { FaultyProxy } from '../support/faulty-proxy.js';
import { FidoClient } from '../support/fido-client.js';
import { report, sized } from '../support/harness.js';
import { describeWith } from '../support/needs.js';
import { inOneCommit } from '../support/one-commit.js';
import { countOf } from '../support/rows.js';
import { createServerDatabase } from '../support/server-database.js';
import { TestServer } from '../support/test-server.js';

/** SQLite has no connection to lose. */
const describeOn = describeWith('MariaDB').each(['MariaDB'] as const);
const FAULTS = ['lose-answer', 'lose-question'] as const;
const ROUNDS = sized(3);
/** A busy MariaDB may keep the locks of a lost connection for longer than a sign-in waits: such rounds do not count. */
const MOST_ROUNDS = 5 * ROUNDS;

const STRICT = { relyingParty: 'strict.example' };
const hexOf = (text: string) => Buffer.from(text).toString('hex');

describeOn('a connection to %s that is lost while committing', (on) => {
  let server: TestServer;
  let proxy: FaultyProxy;
  let remove: () => Promise<void>;
  beforeAll(async () => {
    const database = await createServerDatabase(on);
    proxy = await FaultyProxy.before(database.url);
    server = await TestServer.start({ database: { ...database, url: proxy.urlOf(database.url) } });
    remove = () => database.remove();
  });
  afterAll(async () => {
    await server.stop();
    await proxy.close();
    await remove();
  });

  const eventsOf = (username: string, kind: string) =>
    countOf(server, 'events WHERE username = ? AND kind = ?', Buffer.from(username), kind);

  it.each(FAULTS)('stores a registration once and accepts it (%s)', async (fault) => {
    const username = `new-${fault}`;
    const client = new FidoClient(server.url);
    const begun = await client.beginRegistration(username);
    proxy.arm('COMMIT', fault);
    expect((await client.completeRegistration(client.create(begun))).status).toBe(200);
    expect(await eventsOf(username, 'registration')).toBe(1);
    expect((await client.signIn(username)).status).toBe(200);
  });

  it.each(FAULTS)('records a sign-in once and raises no clone alarm (%s)', async (fault) => {
    const username = `known-${fault}`;
    const client = new FidoClient(server.url);
    await client.register(username);
    const begun = await client.beginAuthentication(username);
    const before = proxy.struck;
    proxy.arm('COMMIT', fault);
    const signedIn = await client.completeAuthentication(client.assert(begun));
    expect(signedIn).toMatchObject({ status: 200, body: { signCount: 2 } });
    expect(proxy.struck).toBe(before + 1);
    expect(await eventsOf(username, 'authentication')).toBe(1);
    expect(await eventsOf(username, 'clone-alarm')).toBe(0);
  });

  it('recognises each unit of a transaction separately after a lost answer', async () => {
    const clients = Array.from({ length: 20 }, () => new FidoClient(server.url));
    const begun = await Promise.all(clients.map((c, n) => c.beginRegistration(`batch-${n}`)));
    proxy.arm('COMMIT', 'lose-answer');
    const answers = await Promise.all(
      clients.map((client, n) => client.completeRegistration(client.create(begun[n] as never))),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    const like = "events WHERE username LIKE 'batch-%' AND kind = 'registration'";
    expect(await countOf(server, like)).toBe(20);
  });

  it('finds the outcome of a commit that takes more than a second, as on a slow disk', async () => {
    // A variable of the connection slows this unit alone: a look into a table would lock it for all others.
    await server.get(DataSource).query(`CREATE TRIGGER slow AFTER INSERT ON unit_outcomes
      FOR EACH ROW IF @slow THEN DO SLEEP(1.1); SET @slow = FALSE; END IF`);
    const slow = { sql: 'SET @slow = TRUE', params: [] };
    const insert = {
      sql: `INSERT INTO tickets (ticket_hash, relying_party_id, username, expires_at)
        VALUES (?, ?, 'slow', 0)`,
      params: [Buffer.alloc(32), Buffer.alloc(16)],
    };
    proxy.arm("'slow', 0", 'lose-answer');
    expect(await server.get(Database).commit([slow, insert])).toBe(true);
    expect(await countOf(server, "tickets WHERE username = 'slow'")).toBe(1);
  });

  it('waits for connections that take more than a second to open, as on a busy machine', async () => {
    proxy.connectMs = 1200;
    proxy.cut();
    try {
      await eventually(async () => {
        expect((await new FidoClient(server.url).beginAuthentication('nobody')).status).toBe(403);
      });
    } finally {
      proxy.connectMs = 0;
    }
  });

  it('waits at its start for each connection that it opens', async () => {
    const { destroy } = DataSource.prototype;
    const database = await createServerDatabase(on);
    const late = await FaultyProxy.before(database.url);
    // A start opens the database to migrate it, closes it, and opens it again.
    jest.spyOn(DataSource.prototype, 'destroy').mockImplementationOnce(async function (
      this: DataSource,
    ) {
      await destroy.call(this);
      late.dieAfter(0);
    });
    const warning = jest.spyOn(Logger, 'warn').mockImplementation(() => late.revive());
    try {
      const url = late.urlOf(database.url);
      const started = await TestServer.start({ database: { ...database, url } });
      expect(warning).toHaveBeenCalledWith(
        expect.stringContaining('The database does not answer yet'),
        'DatabaseModule',
      );
      await started.stop();
    } finally {
      jest.restoreAllMocks();
      await late.close();
      await database.remove();
    }
  });

  it('repeats a unit whose connection was lost before its commit', async () => {
    const client = new FidoClient(server.url);
    const begun = await client.beginRegistration('early');
    proxy.arm('INSERT INTO users', 'lose-answer');
    expect((await client.completeRegistration(client.create(begun))).status).toBe(200);
    expect(await eventsOf('early', 'registration')).toBe(1);
  });

  it('repeats a read whose connection was lost, and replaces an idle connection that was lost', async () => {
    const client = new FidoClient(server.url);
    await client.register('reader');
    proxy.arm('FROM users u JOIN credentials', 'lose-answer');
    expect((await client.signIn('reader')).status).toBe(200);
    proxy.cut();
    expect((await client.signIn('reader')).status).toBe(200);
  });
});

describeOn('sign-ins of one key whose answers from %s are lost', (on) => {
  let servers: TestServer[];
  let proxy: FaultyProxy;
  let remove: () => Promise<void>;
  beforeAll(async () => {
    const database = await createServerDatabase(on);
    proxy = await FaultyProxy.before(database.url);
    const options = { sessions: `${REDIS_URL}`, rateUser: 1e9, rateAddress: 1e9 };
    servers = [
      await TestServer.start({
        database: { ...database, url: proxy.urlOf(database.url) },
        options,
      }),
      await TestServer.start({ database, options }),
    ];
    await servers[1]?.addRelyingParty('strict', {
      domain: 'strict.example',
      origins: ['https://strict.example'],
      policy: { counter: 'disable' },
    });
    remove = () => database.remove();
  });
  afterAll(async () => {
    for (const server of servers) await server.stop();
    await proxy.close();
    await remove();
  });

  const serverAt = (n: number) => servers[n] as TestServer;

  /** A registered user in two browsers, one at each server, with one key. */
  async function userInTwoBrowsers(username: string) {
    const first = new FidoClient(serverAt(0).url, STRICT);
    await eventually(async () => expect((await first.register(username)).status).toBe(200));
    const { authenticator } = first;
    return [first, new FidoClient(serverAt(1).url, { ...STRICT, authenticator })] as const;
  }

  const eventsOf = (username: string, kind: string) =>
    countOf(serverAt(1), 'events WHERE username = ? AND kind = ?', Buffer.from(username), kind);

  it.each(FAULTS)(
    'records each sign-in of one transaction once or refuses it, and keeps the key enabled (%s)',
    async (fault) => {
      const username = `one-${fault}`;
      const [client] = await userInTwoBrowsers(username);
      let recorded = 0;
      for (let round = 1, complete = 0; complete < ROUNDS; round += 1) {
        expect(round).toBeLessThanOrEqual(MOST_ROUNDS);
        const bodies: unknown[] = [];
        for (let n = 0; n < 3; n += 1) {
          bodies.push(client.assert(await client.beginAuthentication(username)));
        }
        const struck = proxy.struck;
        const answers = await inOneCommit(
          serverAt(0),
          bodies.map((body) => () => client.completeAuthentication(body)),
          () => proxy.arm(hexOf(username), fault),
        );
        expect(proxy.struck).toBe(struck + 1);
        const accepted = answers.filter(({ status }) => status === 200);
        for (const answer of answers.filter(({ status }) => status !== 200)) {
          expect(answer).toMatchObject({ status: 503, body: { errorCode: 'E0052R' } });
        }
        recorded += accepted.length;
        if (accepted.length > 2) complete += 1;
        expect(await eventsOf(username, 'authentication')).toBe(recorded);
        expect(await eventsOf(username, 'clone-alarm')).toBe(0);
      }
      report({ rounds: ROUNDS });
    },
  );

  it('raises no alarm if a later sign-in at another instance precedes one that was not stored', async () => {
    const [here, there] = await userInTwoBrowsers('outrun');
    const earlier = here.assert(await here.beginAuthentication('outrun'));
    const later = there.assert(await there.beginAuthentication('outrun'));
    const { struck } = proxy;
    proxy.arm(hexOf('outrun'), 'lose-question');
    const answer = here.completeAuthentication(earlier);
    while (proxy.struck === struck) await new Promise((resolve) => setImmediate(resolve));
    // No try gets through before the later one is stored.
    proxy.dieAfter(0);
    expect((await there.completeAuthentication(later)).status).toBe(200);
    proxy.revive();
    expect(await answer).toMatchObject({ status: 503, body: { errorCode: 'E0052R' } });
    expect(await eventsOf('outrun', 'authentication')).toBe(1);
    expect(await eventsOf('outrun', 'clone-alarm')).toBe(0);
    expect((await here.signIn('outrun')).status).toBe(200);
  });

  it('raises no alarm if a later sign-in at another instance precedes the retry of an earlier one', async () => {
    const [here, there] = await userInTwoBrowsers('overtaken');
    let recorded = 0;
    for (let round = 1, overtaken = 0; overtaken < ROUNDS; round += 1) {
      expect(round).toBeLessThanOrEqual(MOST_ROUNDS);
      const earlier = here.assert(await here.beginAuthentication('overtaken'));
      const later = there.assert(await there.beginAuthentication('overtaken'));
      const { lost } = proxy;
      proxy.arm(hexOf('overtaken'), 'lose-answer');
      const first = here.completeAuthentication(earlier);
      while (proxy.lost === lost) await new Promise((resolve) => setImmediate(resolve));
      const overtaking = await there.completeAuthentication(later);
      if (overtaking.status === 200) overtaken += 1;
      // The lost answer may be that to statements that were not committed yet.
      for (const { status } of [overtaking, await first]) {
        expect([200, 503]).toContain(status);
        if (status === 200) recorded += 1;
      }
      expect(await eventsOf('overtaken', 'authentication')).toBe(recorded);
      expect(await eventsOf('overtaken', 'clone-alarm')).toBe(0);
    }
    report({ rounds: ROUNDS });
  });
});
