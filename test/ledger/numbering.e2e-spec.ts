import { withAdministration } from '../../src/cli/application.js';
import { optionsWith } from '../../src/platform/config/load-options.js';
import { DAY_MS, HOUR_MS } from '../../src/platform/common/durations.js';
import { newId } from '../../src/platform/database/row-ids.js';
import { Database } from '../../src/platform/database/database.js';
import { ledgerStep } from '../../src/events/ledger.js';
import { EventNumbering } from '../../src/events/numbering/event-numbering.js';
import { NumberedEvents } from '../../src/events/numbering/numbered-events.js';
import { NUMBERING_GRACE_MS, NumberingStore } from '../../src/events/numbering/numbering-store.js';
import type { RelyingParty } from '../../src/tenancy/relying-party.js';
import { EventRetention } from '../../src/events/event-retention.js';
import { AdminClient } from '../support/admin-client.js';
import { issueKey, keyClient } from '../support/application-keys.js';
import { DATABASES } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { FidoClient } from '../support/fido-client.js';
import { countOf, relyingPartyOf, rowsOf } from '../support/rows.js';
import { createServerDatabase } from '../support/server-database.js';
import { TestServer } from '../support/test-server.js';

interface ForwardPage {
  readonly events: readonly { id: string; username: string; kind: string; relyingParty: string }[];
  readonly next: string;
  readonly more: boolean;
}

interface Occasion {
  readonly off?: number;
  readonly of?: RelyingParty;
}

describe.each(DATABASES)('numbered events on %s', (on) => {
  let server: TestServer;
  let admin: AdminClient;
  let numbering: EventNumbering;
  let other: TestServer | undefined;
  beforeAll(async () => {
    server = await TestServer.start({ on });
    await server.addRelyingParty('rival', { domain: 'rival.example' });
    admin = new AdminClient(server.url);
    numbering = server.get(EventNumbering);
  });
  afterAll(async () => {
    await other?.stop();
    await server.stop();
  });

  const names = ({ events }: ForwardPage) => events.map(({ username }) => username);

  it('a reader gets the events in order, page by page, and none twice', async () => {
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

  it('a reader finds events that arrive late from an instance with a slow clock', async () => {
    const begun = await latest();
    await happens('punctual');
    server.clock.advance(1000);
    await numbering.catchUp();
    await happens('slow clock', { off: -NUMBERING_GRACE_MS + 60_000 });
    await happens('slow commit', { off: -2_000 });
    await numbering.catchUp();
    expect(names(await read(begun)).toSorted()).toEqual(['punctual', 'slow clock', 'slow commit']);
  });

  it('delivers events of an instance whose clock is an hour behind', async () => {
    const begun = await latest();
    await happens('punctual');
    await happens('an hour behind', { off: -3_600_000 });
    await numbering.catchUp();
    expect(names(await read(begun))).toEqual(['punctual', 'an hour behind']);
  });

  it('gives each event one number while several instances number at the same time', async () => {
    const begun = await latest();
    const name = (n: number) => `user ${String(n).padStart(4, '0')}`;
    const wanted = Array.from({ length: 300 }, (_, n) => name(n));
    // The server's own run leaves events of the next five seconds to a later one: it numbers none before the others.
    await Promise.all(wanted.map((username, n) => happens(username, { off: 1_500 + n * 10 })));
    server.clock.advance(5_000);
    await Promise.all([numbering.catchUp(), numbering.catchUp(), numbering.catchUp()]);
    expect(names(await read(begun, 1000))).toEqual(wanted);
    const { last } = (await server.get(NumberingStore).progress()) ?? { last: 0 };
    expect(await countOf(server, 'events')).toBe(last);
  });

  it('a reader gets only events of its own relying parties', async () => {
    const begun = await latest();
    await happens('own');
    await happens('theirs', { of: relyingPartyOf(server, 'rival.example') });
    server.clock.advance(10);
    await numbering.catchUp();
    const { secret } = await issueKey(server.url, { tenant: 'default', scopes: ['events:read'] });
    const key = keyClient(server.url, secret);
    expect(names(await read(begun, 100, key as AdminClient))).toEqual(['own']);
    const rival = new AdminClient(server.url, 'rival.example');
    expect(names(await read('0', 1000, rival))).toEqual(['theirs']);
    expect(names(await read(begun)).toSorted()).toEqual(['own', 'theirs']);
  });

  it('continues numbering after an outage at the last number', async () => {
    const begun = await latest();
    await happens('before');
    server.clock.advance(3 * NUMBERING_GRACE_MS);
    await happens('after');
    server.clock.advance(10);
    await numbering.catchUp();
    expect(names(await read(begun))).toEqual(['before', 'after']);
  });

  it('deletes events with their numbers, and reading continues after them', async () => {
    const events = server.get(NumberedEvents);
    const store = server.get(NumberingStore);
    const own = relyingPartyOf(server, 'localhost');
    while (await store.discard(server.clock.now() - NUMBERING_GRACE_MS, 100));
    const range = { after: 0, upto: await events.last(), limit: 1000 };
    const { events: left } = await events.after([own], range);
    expect(left.map(({ username }) => username)).toEqual(['after']);
  });

  it('delivers events without delay after a clock was an hour ahead for a moment', async () => {
    const begun = await latest();
    server.clock.advance(3_600_000);
    await numbering.catchUp();
    await happens('ahead');
    await numbering.catchUp();
    server.clock.advance(-3_600_000);
    await happens('afterwards');
    await eventually(async () => expect(names(await read(begun))).toEqual(['ahead', 'afterwards']));
  });

  it.each([
    ['after=MQ', 'is not a cursor of this server'],
    ['after=AAAAAAAAAAAAAAAAAAAAAA', 'is not a cursor of this server'],
    ['after=1', 'is not a cursor of this server'],
    ['after=', 'is empty, as an unset variable makes it'],
    ['after=0&user=anna', 'combines "after" with more than "limit"'],
    ['after=0&from=2026-01-01', 'combines "after" with more than "limit"'],
    ['after=0&limit=1001', 'asks for more than 1000'],
    ['after=0&after=0', 'gives "after" twice'],
  ])('refuses to read events with %s, since it %s (E0045R)', async (query) => {
    const { status, body } = await admin.get(`/userapi/events?${query}`);
    expect([status, body.errorCode]).toEqual([400, 'E0045R']);
  });

  it('no reader misses an event of a relying party that another instance has just added', async () => {
    const begun = await latest();
    other = await TestServer.start({ database: server.database });
    await other.addRelyingParty('newcomer', { domain: 'new.example' });
    await happens('of the newcomer', { of: relyingPartyOf(other, 'new.example') });
    await numbering.catchUp();
    expect(names(await read(begun))).toEqual(['of the newcomer']);
  });

  /** Commits events of an instance whose clock is wrong by this much. */
  function happens(
    username: string,
    { off = 0, of = relyingPartyOf(server, 'localhost') }: Occasion = {},
  ) {
    const event = {
      kind: 'authentication' as const,
      at: server.clock.now() + off,
      relyingParty: of,
      user: { username, id: newId() },
    };
    return server.get(Database).commit([ledgerStep(event)]);
  }

  async function read(after: string, limit = 100, client = admin): Promise<ForwardPage> {
    const { status, body, text } = await client.get(
      `/userapi/events?after=${after}&limit=${limit}`,
    );
    expect([status, body.errorMessage]).toEqual([200, '']);
    return JSON.parse(text) as ForwardPage;
  }

  async function latest() {
    await numbering.catchUp();
    let page = await read('0', 1000);
    while (page.more) page = await read(page.next, 1000);
    return page.next;
  }
});

describe.each(DATABASES)('the retention of events on %s', (on) => {
  it('the retention of events is the longest of all servers, until a day after that server has ended', async () => {
    const database = await createServerDatabase(on);
    const patient = await TestServer.start({ database, options: { eventRetention: 30 } });
    const hasty = await TestServer.start({ database, options: { eventRetention: 2 } });
    const daysKept = async () => {
      const today = Math.floor(hasty.clock.now() / DAY_MS) * DAY_MS;
      return (today - (await hasty.get(EventRetention).before())) / DAY_MS;
    };
    hasty.clock.standAt(Date.now());
    expect(await daysKept()).toBe(30);
    await patient.stop();
    expect(await daysKept()).toBe(30);
    hasty.clock.advance(27 * 3_600_000);
    expect(await daysKept()).toBe(2);
    await hasty.stop();
    await database.remove();
  });

  it('the retention of events is unlimited for a command unless a server ran within the last day', async () => {
    const database = await createServerDatabase(on);
    const options = { eventRetention: 30 };
    const server = await TestServer.start({ database, options });
    const daysKept = async (process: Pick<TestServer, 'get'>) => {
      const today = Math.floor(Date.now() / DAY_MS);
      return today - (await process.get(EventRetention).before()) / DAY_MS;
    };
    const daysOfCommand = () =>
      withAdministration(optionsWith({ db: database.url, eventRetention: 2 }), daysKept);
    expect(await daysOfCommand()).toBe(30);
    await rowsOf(server, `UPDATE agreed_settings SET used_at = used_at - ${30 * HOUR_MS}`);
    expect(await daysOfCommand()).toBe(Math.floor(Date.now() / DAY_MS));
    await server.stop();
    const next = await TestServer.start({ database, options: { eventRetention: 3 } });
    expect(await daysKept(next)).toBe(3);
    await next.stop();
    await database.remove();
  });
});
