import { newId } from '../../src/database/columns.js';
import { Database } from '../../src/database/database.js';
import { ledgerStep } from '../../src/ledger/ledger.js';
import { EventNumbering } from '../../src/ledger/numbering/event-numbering.js';
import { NumberedEvents } from '../../src/ledger/numbering/numbered-events.js';
import { GRACE_MS, NumberingStore } from '../../src/ledger/numbering/numbering-store.js';
import { AdminClient } from '../support/admin-client.js';
import { issueKey, keyClient } from '../support/application-keys.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { countOf, relyingPartyOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

interface ForwardPage {
  readonly events: readonly { id: string; username: string; kind: string; relyingParty: string }[];
  readonly next: string;
  readonly more: boolean;
}

describe.each(DATABASES)('events, numbered forward on %s', (on) => {
  let server: TestServer;
  let admin: AdminClient;
  let numbering: EventNumbering;
  beforeAll(async () => {
    server = await TestServer.start({ on });
    await server.addRelyingParty('rival', { domain: 'rival.example' });
    admin = new AdminClient(server.url);
    numbering = server.get(EventNumbering);
  });
  afterAll(() => server.stop());

  /** What an instance commits whose clock is off by so much. */
  const happens = (username: string, { off = 0, at = 'localhost' } = {}) => {
    const event = {
      kind: 'authentication' as const,
      at: server.clock.now() + off,
      relyingParty: relyingPartyOf(server, at),
      user: { username, id: newId() },
    };
    return server.get(Database).commit([ledgerStep(event)]);
  };

  const read = async (after: string, limit = 100, client = admin): Promise<ForwardPage> => {
    const { status, body, text } = await client.get(
      `/userapi/events?after=${after}&limit=${limit}`,
    );
    expect([status, body.errorMessage]).toEqual([200, '']);
    return JSON.parse(text) as ForwardPage;
  };
  const names = ({ events }: ForwardPage) => events.map(({ username }) => username);
  const latest = async () => {
    await numbering.catchUp();
    let page = await read('0', 1000);
    while (page.more) page = await read(page.next, 1000);
    return page.next;
  };

  it('are read in the order in which they happened, page by page, and none twice', async () => {
    const begun = await latest();
    await new FidoClient(server.url).register('anna');
    for (const [n, name] of ['bert', 'carl', 'dora'].entries())
      await happens(name, { off: 10 * n + 1 });
    server.clock.advance(100);
    await numbering.catchUp();
    const first = await read(begun, 3);
    expect(first.events.map(({ kind }) => kind)).toEqual([
      'user-created',
      'registration',
      'authentication',
    ]);
    const second = await read(first.next, 3);
    expect([...names(first), ...names(second)]).toEqual(['anna', 'anna', 'bert', 'carl', 'dora']);
    expect(await read(second.next)).toEqual(
      expect.objectContaining({ events: [], more: false, next: second.next }),
    );
  });

  it('come late from an instance whose clock is behind, and are found all the same', async () => {
    const begun = await latest();
    await happens('punctual');
    server.clock.advance(1000);
    await numbering.catchUp();
    await happens('slow clock', { off: -GRACE_MS + 60_000 });
    await happens('slow commit', { off: -2_000 });
    await numbering.catchUp();
    expect(names(await read(begun)).toSorted()).toEqual(['punctual', 'slow clock', 'slow commit']);
  });

  it('have one number each, however many instances number at once', async () => {
    const begun = await latest();
    const name = (n: number) => `person ${String(n).padStart(4, '0')}`;
    const wanted = Array.from({ length: 300 }, (_, n) => name(n));
    await Promise.all(wanted.map((username, n) => happens(username, { off: n * 40 })));
    server.clock.advance(300 * 40);
    await Promise.all([numbering.catchUp(), numbering.catchUp(), numbering.catchUp()]);
    expect(names(await read(begun, 1000))).toEqual(wanted);
    const { last } = (await server.get(NumberingStore).progress()) ?? { last: 0 };
    expect(await countOf(server, 'events')).toBe(last);
  });

  it('are those of the relying parties that the caller may see, and tell nothing of the others', async () => {
    const begun = await latest();
    await happens('own');
    await happens('theirs', { at: 'rival.example' });
    server.clock.advance(10);
    await numbering.catchUp();
    const { secret } = await issueKey(server.url, { tenant: 'default', scopes: ['events:read'] });
    const key = keyClient(server.url, secret);
    expect(names(await read(begun, 100, key as AdminClient))).toEqual(['own']);
    const rival = new AdminClient(server.url, 'rival.example');
    expect(names(await read('0', 1000, rival))).toEqual(['theirs']);
    expect(names(await read(begun)).toSorted()).toEqual(['own', 'theirs']);
  });

  it('are numbered on after an outage, where numbering stood', async () => {
    const begun = await latest();
    await happens('before');
    server.clock.advance(3 * GRACE_MS);
    await happens('after');
    server.clock.advance(10);
    await numbering.catchUp();
    expect(names(await read(begun))).toEqual(['before', 'after']);
  });

  it('are forgotten with their numbers, and reading goes on', async () => {
    const events = server.get(NumberedEvents);
    const store = server.get(NumberingStore);
    const own = relyingPartyOf(server, 'localhost');
    while (await store.discard(server.clock.now() - GRACE_MS, 100));
    const { events: left } = await events.after([own], 0, 1000);
    expect(left.map(({ username }) => username)).toEqual(['after']);
  });

  it.each([
    ['after=MQ', 'is no cursor of ours'],
    ['after=AAAAAAAAAAAAAAAAAAAAAA', 'is no cursor of ours'],
    ['after=1', 'is no cursor of ours'],
    ['after=0&user=anna', 'goes with "limit" alone'],
    ['after=0&from=2026-01-01', 'goes with "limit" alone'],
    ['after=0&limit=1001', 'reads at most 1000'],
    ['after=0&after=0', 'is given once'],
  ])('E0045R: %s, which %s', async (query) => {
    const { status, body } = await admin.get(`/userapi/events?${query}`);
    expect([status, body.errorCode]).toEqual([400, 'E0045R']);
  });
});
