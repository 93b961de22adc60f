import { setTimeout as pause } from 'node:timers/promises';
import { EVENT_KINDS } from '../../src/events/event.entity.js';
import { adminClient } from '../support/client.js';
import { EVERY_DATABASE, type DatabaseName, type TestDatabase } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { FidoClient } from '../support/fido-client.js';
import { IS_HARNESS, report, sized } from '../support/harness.js';
import { readRows } from '../support/read-rows.js';
import { createServerDatabase } from '../support/server-database.js';
import { ServerProcess } from '../support/server-process.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

interface Told {
  readonly id: string;
  readonly username: string;
}

const ROUNDS = sized(1);
const USERS = 6;
/** An instance that stops in good order returns its leases: the ordinary tests need not wait for their end. */
const END = IS_HARNESS ? 'SIGKILL' : 'SIGTERM';
/** The lease of a killed instance, and the pause after failures of a receiver. */
const PATIENCE_MS = 240_000;

/** What the ledger does not show yet. */
const UNNUMBERED = `SELECT
  (SELECT COUNT(*) FROM events) - (SELECT COALESCE(SUM(size), 0) FROM event_batches) AS n`;

describe.each(IS_HARNESS ? EVERY_DATABASE : EVERY_DATABASE.slice(0, 1))(
  'webhooks during crashes, on %s',
  (on) => {
    let database: TestDatabase;
    let servers: ServerProcess[];
    const receiver = new WebhookReceiver();
    beforeAll(async () => {
      database = await createServerDatabase(on as DatabaseName);
      // On a server of databases there are two instances, of which either may send.
      servers = (on === 'SQLite' ? [0] : [0, 1]).map(
        () =>
          new ServerProcess(['--db', database.url, '--webhook-private', '--domain', 'localhost']),
      );
      for (const server of servers) await start(server);
      await receiver.start();
    });
    afterAll(async () => {
      await Promise.all(servers.map((server) => server.remove()));
      await receiver.kill();
      await database.remove();
    });

    const told = (): Told[] =>
      receiver.received.map(({ id, data }) => ({ id, username: String(data['username']) }));

    it('webhooks get each event at least once during crashes, in order for each user', async () => {
      const { status } = await adminClient(servers[0]?.url ?? '').post('/tenantapi/webhooks', {
        tenant: 'default',
        url: receiver.url,
        events: EVENT_KINDS,
      });
      expect(status).toBe(201);
      for (let n = 0; n < ROUNDS; n += 1) await round(n);
      const url = servers[0]?.url ?? '';
      const ledger = await eventually(async () => {
        const [left] = await readRows<{ n: number }>(database.url, UNNUMBERED);
        expect(Number(left?.n)).toBe(0);
        const events = await ledgerOf(url);
        const arrived = new Set(told().map(({ id }) => id));
        const lost = events.filter(({ id }) => !arrived.has(id)).length;
        if (lost > 0 || events.length === 0)
          throw new Error(`${lost} of ${events.length} are missing`);
        return events;
      }, PATIENCE_MS);
      const ids = new Set(ledger.map(({ id }) => id));
      expect(ids.size).toBe(ledger.length);
      expect(told().filter(({ id }) => !ids.has(id))).toEqual([]);
      const wanted = byUser(ledger);
      const found = byUser(told());
      const disordered = [...wanted].filter(
        ([name, own]) => own.join() !== found.get(name)?.join(),
      );
      expect(disordered).toEqual([]);
      expect([...wanted.values()].filter((own) => own.join() !== own.toSorted().join())).toEqual(
        [],
      );
      report({
        kills: ROUNDS * servers.length,
        events: ledger.length,
        messages: receiver.received.length,
        lost: 0,
        disordered: disordered.length,
      });
    });

    /** Users are active on all instances; the receiver stops and starts, and the instances are killed in turn. */
    async function round(n: number): Promise<void> {
      const lives = servers.flatMap(({ url }, s) =>
        Array.from({ length: USERS }, (_, p) => live(url, `r${n}-s${s}-p${p}`)),
      );
      await pause(400 + Math.random() * 800);
      await receiver.kill();
      await pause(Math.random() * 800);
      await receiver.start();
      await pause(Math.random() * 1500);
      const [victim, ...others] = servers.map((_, s) => servers[(s + n) % servers.length]);
      await victim?.end(END);
      await pause(Math.random() * 800);
      for (const other of others) await other?.end(END);
      await Promise.all(lives);
      for (const server of servers) await start(server);
    }
  },
);

/** A busy machine may need longer than the time limit of a start. */
async function start(server: ServerProcess): Promise<void> {
  await eventually(async () => {
    await server.end('SIGKILL');
    await server.start();
  }, PATIENCE_MS);
}

/** Registers and signs in, again and again, until the server is gone. */
async function live(url: string, name: string): Promise<void> {
  try {
    for (let n = 0; ; n += 1) {
      const client = new FidoClient(url);
      const username = `${name}-${n}`;
      await client.register(username);
      for (let signIns = 0; signIns < 3; signIns += 1) await client.signIn(username);
    }
  } catch {
    return;
  }
}

/** The whole ledger, read forward. */
async function ledgerOf(url: string): Promise<Told[]> {
  const events: Told[] = [];
  for (let after = '0', more = true; more;) {
    const { body } = await adminClient(url).get(`/userapi/events?after=${after}&limit=1000`);
    events.push(...(body['events'] as Told[]));
    after = String(body['next']);
    more = body['more'] === true;
  }
  return events;
}

/** The ids of each user's events, in their order; of each the first. */
function byUser(events: readonly Told[]): ReadonlyMap<string, readonly string[]> {
  const users = new Map<string, string[]>();
  const seen = new Set<string>();
  for (const { id, username } of events) {
    if (!seen.has(id)) users.set(username, [...(users.get(username) ?? []), id]);
    seen.add(id);
  }
  return users;
}
