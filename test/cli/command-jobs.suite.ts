import { DataSource } from 'typeorm';
import { SoftAuthenticator } from '../../packages/testing/src/soft-authenticator.js';
import { AppModule } from '../../src/app.module.js';
import { withCommandLog } from '../../src/cli/application.js';
import { ledgerStep } from '../../src/events/ledger.js';
import { EventNumbering } from '../../src/events/numbering/event-numbering.js';
import { DAY_MS, HOUR_MS } from '../../src/platform/common/durations.js';
import { optionsWith } from '../../src/platform/config/load-options.js';
import { CacheVersion } from '../../src/platform/database/cache-version.js';
import { Database } from '../../src/platform/database/database.js';
import { newId } from '../../src/platform/database/row-ids.js';
import { AaguidList } from '../../src/trust/whitelist/aaguid-list.js';
import { aaguidBytes } from '../../src/webauthn/aaguid.js';
import { adminClient } from '../support/client.js';
import { DATABASES, type TestDatabase } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { evaluateKeys } from '../support/key-evaluation.js';
import { relyingPartyOf, rowsOf } from '../support/rows.js';
import { schemaFacts } from '../support/schema/facts.js';
import { createServerDatabase } from '../support/server-database.js';
import { testFile } from '../support/test-file.js';
import { ADMIN, BY_HAND, FAST, TestClock, TestServer } from '../support/test-server.js';

const LISTED = '11570000-0000-4000-8000-000000000001';
const OTHER = '0be00000-0000-4000-8000-000000000002';
const DOMAIN = 'strict.example';

describe.each(DATABASES)('a command that takes long, on %s', (on) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createServerDatabase(on);
    await serveOnce(database);
  });
  afterAll(() => database.remove());

  it('changes nothing but what it says, whichever options it has', async () => {
    const before = await runLong({});
    expect(before).toContain(JSON.stringify(Buffer.from(OLD_USER)));
    const aaguidFile = testFile(OTHER);
    const more = { aaguid: true, aaguidFile, eventRetention: 1, webhookPrivate: true };
    expect(await runLong(more)).toBe(before);
  });

  /** Runs a command while the jobs of a server would do many rounds. Returns all rows, which it must not change. */
  async function runLong(options: object): Promise<string> {
    const all = optionsWith({ db: database.url, adminPassword: ADMIN.hash, ...options });
    const module = await AppModule.with(all, { migrates: false, clock: new TestClock(FAST) });
    return withCommandLog(all, module, async (app) => {
      const before = await schemaFacts(app.get(DataSource));
      await refreshedTwice(app.get(CacheVersion));
      expect(await schemaFacts(app.get(DataSource))).toBe(before);
      return before;
    });
  }
});

const OLD_USER = 'long-ago';

/** Half a minute for the jobs: caches are read again at the first poll and at the sixteenth. */
const refreshedTwice = (version: CacheVersion) =>
  new Promise<void>((resolve) => {
    let left = 2;
    version.registerRefresh(async () => {
      left -= 1;
      if (left === 0) resolve();
      return Promise.resolve();
    });
  });

/** A server with options that no command has. It leaves a disabled key, an old event and an unsent one. */
async function serveOnce(database: TestDatabase): Promise<void> {
  const options = { aaguid: true, eventRetention: 3650, webhookPrivate: true };
  const server = await TestServer.start({ database, options, speed: BY_HAND });
  await server.addRelyingParty('acme', { domain: DOMAIN, policy: { onFinding: 'disable' } });
  await server.get(AaguidList).add(server.call, { aaguid: LISTED });
  const authenticator = new SoftAuthenticator({
    attestation: 'packed',
    aaguid: aaguidBytes(LISTED),
  });
  const client = new FidoClient(server.url, { relyingParty: DOMAIN, authenticator });
  expect((await client.register('anna', { attestation: 'direct' })).status).toBe(200);
  await server.get(AaguidList).remove(server.call, LISTED);
  await evaluateKeys(server);
  expect((await client.signIn('anna')).status).toBe(403);
  const webhook = { tenant: 'acme', url: 'http://127.0.0.1:9/', events: ['authentication'] };
  expect((await adminClient(server.url).post('/tenantapi/webhooks', webhook)).status).toBe(201);
  const at = Date.now() - 800 * DAY_MS;
  const user = { username: OLD_USER, id: newId(at) };
  const relyingParty = relyingPartyOf(server, DOMAIN);
  const event = { kind: 'authentication' as const, at, relyingParty, user };
  await server.get(Database).commit([ledgerStep(event)]);
  await server.get(EventNumbering).catchUp();
  await rowsOf(server, `UPDATE agreed_settings SET used_at = used_at - ${30 * HOUR_MS}`);
  await server.stop();
}
