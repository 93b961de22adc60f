import { BatchRunner } from '../../../src/batches/batch-runner.js';
import { FormTokens } from '../../../src/platform/access/form-token.js';
import { FindingsJob } from '../../../src/trust/findings/findings-job.js';
import { aaguidBytes } from '../../../src/webauthn/aaguid.js';
import { AdminClient } from '../admin-client.js';
import type { Answer } from '../client.js';
import { eventually } from '../eventually.js';
import { REFUSAL, type FaultyProxy } from '../faulty-proxy.js';
import { FidoClient } from '../fido-client.js';
import { report } from '../harness.js';
import { MDS_ROOTS } from '../metadata.js';
import { startBehindProxy } from '../proxied-server.js';
import { countOf } from '../rows.js';
import { ScimClient } from '../scim-client.js';
import type { TestServer } from '../test-server.js';
import { halfDoneIn } from './reconcile.js';

/** A call, and two numbers that are both 0 or both 1 afterwards: of its change, and of the record of the change. */
type Prepared = readonly [
  call: () => Promise<Pick<Answer, 'status'>>,
  done: () => Promise<readonly [change: number, record: number]>,
];
type Prepare = (name: string) => Promise<Prepared>;

const TENANTS = '/tenantapi/tenants';
const RELYING_PARTIES = `${TENANTS}/default/relying-parties`;

/** More messages than any of the calls sends to the database. */
const MAX_MESSAGES = 100;

/** The operations of the calls of `itStores` and `itStoresWithRow` since the last `takeStoredOperations`. */
const storedOperations: string[] = [];

/** For the end of a test file: the operations whose changes its suites store. The worker's next file finds none. */
export const takeStoredOperations = (): string[] => storedOperations.splice(0);

/** Of several counts: a fraction if only some of them are stored. */
export const mean = (...counts: readonly number[]): number =>
  counts.reduce((sum, n) => sum + n, 0) / counts.length;

/** The number at the end of a round's name. */
export const numberIn = (name: string): number => Number(/\d+$/.exec(name)?.[0] ?? 0);

export const slugOf = (name: string): string => name.replace(/[^a-z0-9]+/g, '-');
export const domainOf = (name: string): string => `${slugOf(name)}.example`;

/**
 * Starts a server for the suite that calls it. Its `itStores` make a call again and again, and end the process one
 * message to MariaDB later each time. For the server, a cut connection is the same as the end of the process.
 */
export function killedChanges() {
  let stop: () => Promise<void>;
  let databaseUrl: string;
  let proxy: FaultyProxy;
  let server: TestServer;
  let admin: AdminClient;
  let directory: ScimClient;
  beforeAll(async () => {
    const options = { aaguid: true, mds: ['upload'], mdsRoots: MDS_ROOTS, scim: true };
    ({ server, proxy, databaseUrl, stop } = await startBehindProxy(options));
    admin = new AdminClient(server.url, 'localhost');
    directory = await ScimClient.start(server.url, { tenant: 'default', domain: 'localhost' });
    // Batches do not progress, so that their states are those that the calls store.
    await server.get(BatchRunner).onModuleDestroy();
    // Nor are keys judged again.
    await server.get(FindingsJob).onModuleDestroy();
    // The software authenticator proves no model, and may register although there is a whitelist.
    await admin.patch(`${RELYING_PARTIES}/localhost`, { policy: { aaguid: 'reported' } });
    await admin.post('/userapi/aaguid', { aaguid: '5e1f1d0a-7e57-4000-8000-0000000000fd' });
  });
  afterAll(() => stop());

  async function killEach(what: string, prepare: Prepare, check?: () => Promise<void>) {
    let kills = 0;
    for (let messages = 0, isOver = false; !isOver; messages += 1) {
      expect(messages).toBeLessThan(MAX_MESSAGES);
      const [call, done] = await prepare(`${what} ${messages}`);
      proxy.dieAfter(messages, REFUSAL);
      const { status } = await call().finally(() => proxy.revive());
      isOver = status < 400;
      await eventually(async () => expect((await admin.get('/health/ready')).status).toBe(200));
      // A job's message may have cut the line while MariaDB was still committing. What is half done remains so.
      await eventually(async () => {
        const [change, record] = await done();
        expect([messages, record]).toEqual([messages, change]);
        expect([0, 1]).toContain(change);
        if (isOver) expect(change).toBe(1);
      });
      if (!isOver) kills += 1;
      await check?.();
    }
    expect(kills).toBeGreaterThan(0);
    report({ rounds: kills });
  }

  /** Of an operation of the OpenAPI document, or of something else that changes rows, for example `a command`. */
  function itStores(what: string, operation: string, prepare: Prepare) {
    storedOperations.push(operation);
    it(`stores ${what} (${operation}) as a whole or not at all when the process ends between two messages`, () =>
      killEach(what, prepare, async () => expect(await halfDoneIn(databaseUrl)).toEqual([])));
  }

  /** For changes after which the events of keys do not add up. */
  function itStoresWithRow(what: string, operation: string, prepare: Prepare) {
    storedOperations.push(operation);
    it(`stores ${what} (${operation}) with its audit row or not at all when the process ends between two messages`, () =>
      killEach(what, prepare));
  }

  const count = (fromClause: string, value: string) =>
    countOf(server, fromClause, Buffer.from(value));
  const auditRows = (column: string, action: string, value: string) =>
    count(`audit WHERE action = '${action}' AND result = 'ok' AND ${column} = ?`, value);

  return {
    itStores,
    itStoresWithRow,
    server: () => server,
    admin: () => admin,
    /** A directory, which manages users. */
    directory: () => directory,
    count,
    events: (kind: string, username: string) =>
      count(`events WHERE kind = '${kind}' AND username = ?`, username),
    rows: (action: string, target: string) => auditRows('target', action, target),
    tenantRows: (action: string, tenant: string) => auditRows('tenant', action, tenant),
    domainRows: (action: string, domain: string) => auditRows('relying_party', action, domain),
    modelJobs: (state: string, aaguid: string) =>
      countOf(server, `model_jobs WHERE state = '${state}' AND aaguid = ?`, aaguidBytes(aaguid)),
    invited: (username: string, state = 'IS NULL') =>
      count(`invitations WHERE ended_at ${state} AND username = ?`, username),

    registered: (username: string) => FidoClient.registered(server.url, username),
    remove: (path: string) => admin.send(path, { method: 'DELETE' }),
    patch: (path: string, body: object) => admin.patch(path, body),
    async invite(username: string) {
      const wanted = { relyingParty: 'localhost', username };
      const { body } = await admin.post('/userapi/invitations', wanted);
      return { id: (body['invitation'] as { id: string }).id, code: String(body['code']) };
    },
    async addTenant(name: string) {
      const tenant = slugOf(name);
      expect((await admin.post(TENANTS, { tenant })).status).toBe(201);
      return tenant;
    },
    async addRelyingParty(name: string) {
      const domain = domainOf(name);
      expect((await admin.post(RELYING_PARTIES, { domain })).status).toBe(201);
      return domain;
    },
    /** Makes the members of a group follow rules of their own. */
    setProfiles(domain: string, group: string) {
      const profiles = [{ name: 'Directors', group, rules: { counter: 'disable' } }];
      const policy = { aaguid: 'reported', profiles };
      return admin.patch(`${RELYING_PARTIES}/${domain}`, { policy });
    },
    sendForm(path: string, fields: Readonly<Record<string, string>>) {
      const formToken = server.get(FormTokens).issue({ name: 'admin', role: 'admin' });
      return admin.send(path, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ formToken, ...fields }).toString(),
      });
    },
  };
}
