import { DATABASES, createDatabase } from '../support/databases.js';
import { FaultyProxy } from '../support/faulty-proxy.js';
import { FidoClient } from '../support/fido-client.js';
import { countOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

/** SQLite has no connection to lose. */
const SERVERS = DATABASES.filter((name) => name !== 'SQLite');
const FAULTS = ['lose-answer', 'lose-question'] as const;

describe.each(SERVERS)('a connection to %s that is lost while committing (FL13)', (on) => {
  let server: TestServer;
  let proxy: FaultyProxy;
  let remove: () => Promise<void>;
  beforeAll(async () => {
    const database = await createDatabase(on);
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

  it.each(FAULTS)('%s: a registration is stored once, and no E0036R', async (fault) => {
    const username = `new-${fault}`;
    const client = new FidoClient(server.url);
    const begun = await client.beginRegistration(username);
    proxy.arm('COMMIT', fault);
    expect((await client.completeRegistration(client.create(begun))).status).toBe(200);
    expect(await eventsOf(username, 'registration')).toBe(1);
    expect((await client.signIn(username)).status).toBe(200);
  });

  it.each(FAULTS)('%s: a sign-in is recorded once, and no clone alarm', async (fault) => {
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

  it('the units of a whole batch each recognise their own', async () => {
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

  it('before it is told to commit: nothing is stored yet, and it is tried again', async () => {
    const client = new FidoClient(server.url);
    const begun = await client.beginRegistration('early');
    proxy.arm('INSERT INTO users', 'lose-answer');
    expect((await client.completeRegistration(client.create(begun))).status).toBe(200);
    expect(await eventsOf('early', 'registration')).toBe(1);
  });

  it('while reading, or idle (FL10): nobody notices', async () => {
    const client = new FidoClient(server.url);
    await client.register('reader');
    proxy.arm('FROM users u JOIN credentials', 'lose-answer');
    expect((await client.signIn('reader')).status).toBe(200);
    proxy.cut();
    expect((await client.signIn('reader')).status).toBe(200);
  });
});
