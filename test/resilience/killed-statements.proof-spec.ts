import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { DataSource } from 'typeorm';
import { Batch, type BatchState } from '../../src/batches/batch.entity.js';
import { BatchRunner } from '../../src/batches/batch-runner.js';
import { newBatch } from '../../src/batches/batches.js';
import { newId } from '../../src/platform/database/row-ids.js';
import { projectPath } from '../../src/platform/project.js';
import { FormTokens } from '../../src/platform/access/form-token.js';
import { SigningKeys } from '../../src/fido/tokens/signing-keys.js';
import { FindingsJob } from '../../src/trust/findings/findings-job.js';
import { DisableModelJob } from '../../src/trust/models/disable-model-job.js';
import { aaguidBytes } from '../../src/webauthn/aaguid.js';
import { SetAsideMessage } from '../../src/webhooks/webhook.entity.js';
import type { Document } from '../support/api/openapi.js';
import { halfDoneIn } from '../support/crash/reconcile.js';
import { bearer } from '../support/application-keys.js';
import { AdminClient } from '../support/admin-client.js';
import { changingCall } from '../support/changing-call.js';
import { adminClient, type Answer } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import type { FaultyProxy } from '../support/faulty-proxy.js';
import { FidoClient } from '../support/fido-client.js';
import { report } from '../support/harness.js';
import { writeBlob } from '../../packages/testing/src/blob-writer.js';
import { describeWith } from '../support/needs.js';
import { startBehindProxy } from '../support/proxied-server.js';
import { DELETION, LISTED_KEYS, UPLOAD, postList } from '../support/list-upload.js';
import { settle } from '../support/people.js';
import { ScimClient } from '../support/scim-client.js';
import { countOf, relyingPartyOf, rowsOf } from '../support/rows.js';
import { MDS_ROOTS } from '../support/metadata.js';
import type { TestServer } from '../support/test-server.js';
import { jsonLinesOf, postImport } from '../support/transfer.js';

const { paths } = JSON.parse(readFileSync(projectPath('dist/openapi.json'), 'utf8')) as Document;
/** A GET that changes something if its parameters say so. */
const CHANGING_GETS = ['manageUsers', 'getInvoice'];
/** The operations that may change something; two paths with one handler count once. */
const CHANGING = Object.values(paths)
  .flatMap((methods) => Object.entries(methods))
  .map(([method, { operationId: id = '' }]) => ({ method, id }))
  .filter(({ method, id }) => method !== 'get' || CHANGING_GETS.includes(id))
  .map(({ id }) => id)
  .filter((id) => !id.endsWith('Alias'));

/** Operations by another method than GET that need no row here, each with the reason. */
const EXEMPT: Readonly<Record<string, string>> = {
  beginRegistration: 'the ceremony expires',
  giveUpRegistration: 'counts a given-up ceremony',
  beginAuthentication: 'the ceremony expires',
  giveUpAuthentication: 'counts a given-up ceremony',
  readInvitation: 'reads',
  inviteModelHolders: 'stores its links as the list of the page does',
  testWebhook: 'sends a message',
  tryPolicy: 'reads',
  uploadList: 'stores a list that expires',
};

/** What makes a change that no operation makes. */
const WITHOUT_OPERATION = ['a form', 'a command', 'SCIM'];

const TENANTS = '/tenantapi/tenants';
const RELYING_PARTIES = `${TENANTS}/default/relying-parties`;
const APPLICATION_KEYS = '/tenantapi/keys';
const WEBHOOKS = '/tenantapi/webhooks';
const KEYS_OF_USER = 'credentials c JOIN users u ON u.id = c.user_id WHERE u.username = ?';
/** Those that are disabled, with the finding and the event. */
const REPORTED_KEYS_OF_USER = `${KEYS_OF_USER} AND c.enabled = 0
  AND EXISTS (SELECT 1 FROM findings f WHERE f.id = c.id AND f.rule = 'reported')
  AND EXISTS (SELECT 1 FROM events e WHERE e.user_id = u.id AND e.kind = 'key-reported')`;

/** The packet of MariaDB's error 1129, after which the server does not try to connect again. */
const REFUSAL = Buffer.from('\x0e\0\0\0\xff\x69\x04#HY000Ended', 'latin1');

/** Of several counts: a fraction if only some of them are stored. */
const mean = (...counts: readonly number[]): number =>
  counts.reduce((sum, n) => sum + n, 0) / counts.length;

/** More messages than any of the calls sends to the database. */
const MAX_MESSAGES = 100;

/**
 * SQLite undoes a unit in one turn of the event loop; on a database server a process can end between any two messages.
 * For the server, a cut connection is the same as the end of the process.
 */
describeWith('MariaDB')('a process that ends between two messages to MariaDB', () => {
  let stop: () => Promise<void>;
  let databaseUrl: string;
  let proxy: FaultyProxy;
  let server: TestServer;
  let admin: AdminClient;
  /** A directory, which manages users. */
  let users: ScimClient;
  beforeAll(async () => {
    const options = { aaguid: true, mds: ['upload'], mdsRoots: MDS_ROOTS, scim: true };
    ({ server, proxy, databaseUrl, stop } = await startBehindProxy(options));
    admin = new AdminClient(server.url, 'localhost');
    users = await ScimClient.start(server.url, { tenant: 'default', domain: 'localhost' });
    // Batches do not progress, so that their states are those that the calls store.
    await server.get(BatchRunner).onModuleDestroy();
    // Nor are keys judged again.
    await server.get(FindingsJob).onModuleDestroy();
    // The software authenticator proves no model, and may register although there is a whitelist.
    await patch(`${RELYING_PARTIES}/localhost`, { policy: { aaguid: 'reported' } });
    await admin.post('/userapi/aaguid', { aaguid: '5e1f1d0a-7e57-4000-8000-0000000000fd' });
  });
  afterAll(() => stop());

  const count = (fromClause: string, username: string) =>
    countOf(server, fromClause, Buffer.from(username));
  const events = (kind: string, username: string) =>
    count(`events WHERE kind = '${kind}' AND username = ?`, username);
  const rows = (action: string, username: string) =>
    count(`audit WHERE action = '${action}' AND result = 'ok' AND target = ?`, username);
  const registered = (username: string) => FidoClient.registered(server.url, username);
  /** The number at the end of a round's name. */
  const numberIn = (name: string) => Number(/\d+$/.exec(name)?.[0] ?? 0);
  const aaguidOf = (name: string) =>
    `00000000-0000-4000-8000-${String(numberIn(name)).padStart(12, '0')}`;
  const remove = (path: string) => admin.send(path, { method: 'DELETE' });
  const patch = (path: string, body: object) => admin.patch(path, body);
  const slugOf = (name: string) => name.replace(/[^a-z0-9]+/g, '-');
  const domainOf = (name: string) => `${slugOf(name)}.example`;
  const tenantRows = (action: string, tenant: string) =>
    count(`audit WHERE action = '${action}' AND result = 'ok' AND tenant = ?`, tenant);
  const domainRows = (action: string, domain: string) =>
    count(`audit WHERE action = '${action}' AND result = 'ok' AND relying_party = ?`, domain);
  const addTenant = async (name: string) => {
    const tenant = slugOf(name);
    expect((await admin.post(TENANTS, { tenant })).status).toBe(201);
    return tenant;
  };
  const addRelyingParty = async (name: string) => {
    const domain = domainOf(name);
    expect((await admin.post(RELYING_PARTIES, { domain })).status).toBe(201);
    return domain;
  };
  /** Makes the members of a group follow rules of their own. */
  const setProfiles = (domain: string, group: string) => {
    const profiles = [{ name: 'Directors', group, rules: { counter: 'disable' } }];
    return patch(`${RELYING_PARTIES}/${domain}`, { policy: { aaguid: 'reported', profiles } });
  };
  /** The notes that keys of a user are to be judged again. */
  const notes = (username: string) =>
    count('regrouped_users n JOIN users u ON u.id = n.user_id WHERE u.username = ?', username);
  const aaguids = (name: string, removed: boolean) =>
    countOf(
      server,
      `aaguids WHERE aaguid = ? AND removed_at ${removed ? '>' : '='} 0`,
      aaguidBytes(aaguidOf(name)),
    );
  /** Prepares the invoice of a month that is over, for a tenant of its own. */
  const invoiceOf = async (name: string) => {
    const tenant = await addTenant(name);
    const now = new Date(server.clock.now());
    const lastDay = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 0));
    server.clock.advance(40 * 86_400_000);
    const date = lastDay.toISOString().slice(0, 10);
    const parameters = { tenant, date, invoicelog: 'yes' };
    const query = new URLSearchParams(parameters).toString();
    const stored = (kind: string) =>
      countOf(
        server,
        `invoices i JOIN tenants t ON t.id = i.tenant_id WHERE i.kind = '${kind}' AND t.name = ?`,
        tenant,
      );
    return {
      parameters,
      issue: () => adminClient(server.url).get(`/userapi/invoice?${query}`),
      stored,
      rows: (action: string) => tenantRows(action, tenant),
    };
  };
  const invited = (username: string, state = 'IS NULL') =>
    count(`invitations WHERE ended_at ${state} AND username = ?`, username);
  const invite = async (username: string) => {
    const { body } = await admin.post('/userapi/invitations', {
      relyingParty: 'localhost',
      username,
    });
    const { id } = body['invitation'] as { id: string };
    return { id, code: String(body['code']) };
  };
  const sendForm = (path: string, fields: Readonly<Record<string, string>>) => {
    const formToken = server.get(FormTokens).issue({ name: 'admin', role: 'admin' });
    return admin.send(path, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ formToken, ...fields }).toString(),
    });
  };
  const blockedAt = (aaguid: string) =>
    count("relying_parties WHERE domain = 'localhost' AND policy LIKE ?", `%${aaguid}%`);
  /** Uploads a list with one name, and returns its ID. */
  const upload = async (name: string) =>
    String((await postList(admin, UPLOAD, name)).body['uploadId']);
  const lists = (state: string, uploadId: string) =>
    countOf(
      server,
      `uploads WHERE state = '${state}' AND id = ?`,
      Buffer.from(uploadId, 'base64url'),
    );
  const jobs = (state: BatchState, aaguid: string) =>
    countOf(server, `model_jobs WHERE state = '${state}' AND aaguid = ?`, aaguidBytes(aaguid));
  const listJobs = (state: BatchState, uploadId: string) => {
    const id = Buffer.from(uploadId, 'base64url');
    return countOf(server, `model_jobs WHERE state = '${state}' AND id = ?`, id);
  };
  /** Stores a job that disables a model. */
  const storeJob = async (state: BatchState) => {
    const aaguid = randomUUID();
    const id = newId();
    const caller = JSON.stringify({ account: 'admin' });
    const given = { id, target: aaguidBytes(aaguid), total: 1, caller, reason: null };
    const rp = relyingPartyOf(server, 'localhost');
    const batch = { ...newBatch(server.get(DisableModelJob), rp, given), state };
    await server.get(DataSource).getRepository(Batch).insert(batch);
    return { aaguid, path: `/userapi/aaguid/${aaguid}/jobs/${id.toString('base64url')}` };
  };
  const applicationKey = (name: string) => ({ tenant: 'default', name, scopes: ['events:read'] });
  /** A webhook of a tenant of its own, since a tenant has at most 20. */
  const addWebhook = async (name: string) => {
    const tenant = await addTenant(name);
    const url = 'https://hooks.example/';
    const { body } = await admin.post(WEBHOOKS, { tenant, url, events: ['registration'] });
    return { tenant, id: (body['webhook'] as { id: string }).id };
  };
  const webhooksOf = (tenant: string, condition: string) =>
    count(
      `webhooks w JOIN tenants t ON t.id = w.tenant_id WHERE ${condition} AND t.name = ?`,
      tenant,
    );
  /** Calls, as a user with two keys, for the one that did not sign in. */
  const callMyKey = async (username: string) => {
    const first = await registered(username);
    const { authenticator } = await registered(username);
    const { body } = await first.signIn(username);
    const id = authenticator.credentials[0]?.id.toString('base64url');
    return (method: 'PATCH' | 'DELETE' | 'POST', change: object = {}) =>
      first.sendJson(method, `/fidoapi/keys/${id}${method === 'POST' ? '/report' : ''}`, {
        headers: bearer(String(body['token'])),
        body: change,
      });
  };

  /** For each call: its preparation, and two numbers that are both 0 or both 1 afterwards. */
  type Prepared = readonly [
    call: () => Promise<Pick<Answer, 'status'>>,
    done: () => Promise<readonly [number, number]>,
  ];
  /** Makes a call again and again, and ends the process one message later each time, until it succeeds. */
  const killEach = async (
    what: string,
    prepare: (name: string) => Promise<Prepared>,
    check: () => Promise<void> = () => Promise.resolve(),
  ) => {
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
      await check();
    }
    expect(kills).toBeGreaterThan(0);
    report({ rounds: kills });
  };

  /** A change, the operation that makes it, and its preparation. */
  type Row = readonly [what: string, operation: string, (name: string) => Promise<Prepared>];
  const ROWS: readonly Row[] = [
    [
      'a registration',
      'completeRegistration',
      async (username) => {
        const client = new FidoClient(server.url);
        const made = client.create(await client.beginRegistration(username));
        return [
          () => client.completeRegistration(made),
          async () => [
            await count('users WHERE username = ?', username),
            await events('registration', username),
          ],
        ];
      },
    ],
    [
      'a sign-in',
      'completeAuthentication',
      async (username) => {
        const client = await registered(username);
        const body = client.assert(await client.beginAuthentication(username));
        const used = `credentials c JOIN users u ON u.id = c.user_id
          WHERE c.sign_count = 2 AND u.username = ?`;
        return [
          () => client.completeAuthentication(body),
          async () => [await count(used, username), await events('authentication', username)],
        ];
      },
    ],
    [
      'disableall',
      'manageUsers',
      async (username) => {
        await registered(username);
        return [
          () => admin.manage({ type: 'disableall', filter: username }),
          async () => [await events('disabled', username), await rows('user.disable', username)],
        ];
      },
    ],
    [
      'deluser',
      'postManageUsers',
      async (username) => {
        await registered(username);
        return [
          () => admin.managePost({ type: 'deluser', filter: username }),
          async () => [await events('user-deleted', username), await rows('user.delete', username)],
        ];
      },
    ],
    [
      'a suspension',
      'suspendUser',
      async (username) => {
        await registered(username);
        return [
          () => admin.post('/userapi/users/suspension', { username, suspended: true }),
          async () => [
            await count('users WHERE suspended_by IS NOT NULL AND username = ?', username),
            await rows('user.suspend', username),
          ],
        ];
      },
    ],
    [
      'a change of a user by a directory',
      'SCIM',
      async (userName) => {
        const id = await users.created({ userName });
        await registered(userName);
        const after = { userName: `${userName} renamed`, externalId: userName, active: false };
        return [
          () => users.replace(id, after),
          async () => [
            mean(
              await count('users WHERE username = ?', after.userName),
              await count('users WHERE external_id = ?', userName),
              await events('user-suspended', userName),
            ),
            mean(await rows('user.rename', userName), await rows('user.suspend', userName)),
          ],
        ];
      },
    ],
    [
      'a group of a directory with a member',
      'SCIM',
      async (userName) => {
        const value = await users.created({ userName });
        await registered(userName);
        const displayName = `group of ${userName}`;
        return [
          () => users.createGroup({ displayName, members: [{ value }] }),
          async () => [
            mean(
              await count('directory_groups WHERE name = ?', displayName),
              await count('user_groups WHERE name = ?', displayName),
              await events('user-groups-changed', userName),
            ),
            mean(await rows('group.create', displayName), await rows('user.groups', userName)),
          ],
        ];
      },
    ],
    [
      'a member that a directory adds to a group with a profile',
      'SCIM',
      async (userName) => {
        const value = await users.created({ userName });
        await registered(userName);
        const displayName = `directors ${userName}`;
        const { body } = await users.createGroup({ displayName });
        await setProfiles('localhost', displayName);
        const add = { op: 'add', path: 'members', value: [{ value }] };
        return [
          () => users.patchGroup(String(body['id']), add),
          async () => [
            mean(
              await count('user_groups WHERE name = ?', displayName),
              await notes(userName),
              await events('user-groups-changed', userName),
            ),
            await rows('user.groups', userName),
          ],
        ];
      },
    ],
    [
      'a decision about a finding',
      'decideFinding',
      async (username) => {
        const client = await registered(username);
        await client.signIn(username);
        await client.signIn(username, { signCount: 1 });
        const ofUser = 'credentials c JOIN users u ON u.id = c.user_id WHERE u.username = ?';
        const [key] = await rowsOf<{ id: Buffer }>(
          server,
          `SELECT c.credential_id AS id FROM ${ofUser}`,
          Buffer.from(username),
        );
        const subject = key?.id.toString('base64url');
        const decision = { kind: 'copied', subject, action: 'assign', assignee: 'admin' };
        return [
          () => admin.post('/userapi/findings/decision', decision),
          async () => [
            await count(
              `finding_decisions d JOIN ${ofUser} AND c.credential_hash = d.subject`,
              username,
            ),
            await rows('finding.decide', username),
          ],
        ];
      },
    ],
    [
      'the groups of a user',
      'setGroups',
      async (username) => {
        await registered(username);
        await setProfiles('localhost', 'staff');
        return [
          () => admin.put('/userapi/users/groups', { username, groups: ['staff'] }),
          async () => [
            mean(
              await count(
                'user_groups g JOIN users u ON u.id = g.user_id WHERE u.username = ?',
                username,
              ),
              await notes(username),
            ),
            await rows('user.groups', username),
          ],
        ];
      },
    ],
    [
      'a change of a user’s name',
      'changeNames',
      async (username) => {
        await registered(username);
        const newUsername = `${username} renamed`;
        return [
          () => admin.patch('/userapi/users', { username, newUsername }),
          async () => [
            await count('users WHERE username = ?', newUsername),
            await rows('user.rename', username),
          ],
        ];
      },
    ],
    [
      'a new webhook',
      'createWebhook',
      async (name) => {
        const host = `${name.replaceAll(' ', '-')}.example`;
        const webhook = { tenant: 'default', url: `https://${host}/`, events: ['registration'] };
        return [
          () => admin.post('/tenantapi/webhooks', webhook),
          async () => [
            await count('webhooks WHERE url = ?', webhook.url),
            await count("audit WHERE action = 'webhook.create' AND detail LIKE ?", `%${host}%`),
          ],
        ];
      },
    ],
    [
      'an adoption target',
      'changeAdoptionTarget',
      async (name) => {
        const share = Number(name.replace(/\D/g, '')) + 1;
        return [
          () =>
            admin.patch('/userapi/adoption/targets/localhost', {
              share,
              by: '2099-12-31',
              expectedUsers: share,
            }),
          async () => [
            await count('adoption_targets WHERE share = ? AND expected_users = share', `${share}`),
            await count(
              "audit WHERE action = 'relying-party.change' AND result = 'ok' AND detail LIKE ?",
              `%after%share%:${share},%`,
            ),
          ],
        ];
      },
    ],
    [
      'a new tenant',
      'createTenant',
      async (name) => {
        const tenant = slugOf(name);
        return [
          () => admin.post(TENANTS, { tenant }),
          async () => [
            await count('tenants WHERE closed_at = 0 AND name = ?', tenant),
            await tenantRows('tenant.create', tenant),
          ],
        ];
      },
    ],
    [
      'a renamed tenant',
      'changeTenant',
      async (name) => {
        const tenant = await addTenant(name);
        return [
          () => patch(`${TENANTS}/${tenant}`, { displayName: 'Renamed' }),
          async () => [
            await count("tenants WHERE display_name = 'Renamed' AND name = ?", tenant),
            await tenantRows('tenant.change', tenant),
          ],
        ];
      },
    ],
    [
      'a removed tenant',
      'removeTenant',
      async (name) => {
        const tenant = await addTenant(name);
        return [
          () => remove(`${TENANTS}/${tenant}`),
          async () => [
            await count('tenants WHERE closed_at > 0 AND name = ?', tenant),
            await tenantRows('tenant.remove', tenant),
          ],
        ];
      },
    ],
    [
      'a new relying party',
      'createRelyingParty',
      async (name) => {
        const domain = domainOf(name);
        return [
          () => admin.post(RELYING_PARTIES, { domain }),
          async () => [
            await count('relying_parties WHERE closed_at = 0 AND domain = ?', domain),
            await domainRows('relying-party.create', domain),
          ],
        ];
      },
    ],
    [
      'a changed policy',
      'changeRelyingParty',
      async (name) => {
        const domain = await addRelyingParty(name);
        const policy = { userVerification: 'required' };
        return [
          () => patch(`${RELYING_PARTIES}/${domain}`, { policy }),
          async () => [
            await count("relying_parties WHERE policy LIKE '%required%' AND domain = ?", domain),
            await domainRows('relying-party.change', domain),
          ],
        ];
      },
    ],
    [
      'a changed profile',
      'changeRelyingParty',
      async (name) => {
        const domain = await addRelyingParty(name);
        await setProfiles(domain, 'staff');
        return [
          () => setProfiles(domain, 'directors'),
          async () => [
            await count("relying_parties WHERE policy LIKE '%directors%' AND domain = ?", domain),
            // The second one after that of the preparation.
            (await domainRows('relying-party.change', domain)) - 1,
          ],
        ];
      },
    ],
    [
      'a removed relying party',
      'removeRelyingParty',
      async (name) => {
        const domain = await addRelyingParty(name);
        return [
          () => remove(`${RELYING_PARTIES}/${domain}`),
          async () => [
            await count('relying_parties WHERE closed_at > 0 AND domain = ?', domain),
            await domainRows('relying-party.remove', domain),
          ],
        ];
      },
    ],
    [
      'a blocked model',
      'blockModel',
      async (name) => {
        const aaguid = aaguidOf(name);
        return [
          () => admin.post(`/userapi/aaguid/${aaguid}/block`, {}),
          async () => [await blockedAt(aaguid), await rows('relying-party.change', aaguid)],
        ];
      },
    ],
    [
      'an unblocked model',
      'unblockModel',
      async (name) => {
        // Other models than above.
        const aaguid = aaguidOf(`${100 + numberIn(name)}`);
        await admin.post(`/userapi/aaguid/${aaguid}/block`, {});
        return [
          () => remove(`/userapi/aaguid/${aaguid}/block`),
          async () => [
            1 - (await blockedAt(aaguid)),
            (await rows('relying-party.change', aaguid)) - 1,
          ],
        ];
      },
    ],
    [
      'a new application key',
      'issueApplicationKey',
      async (name) => [
        () => admin.post(APPLICATION_KEYS, applicationKey(name)),
        async () => [
          await count('application_keys WHERE name = ?', name),
          await rows('application-key.issue', name),
        ],
      ],
    ],
    [
      'a revoked application key',
      'revokeApplicationKey',
      async (name) => {
        const { body } = await admin.post(APPLICATION_KEYS, applicationKey(name));
        const { id } = body['key'] as { id: string };
        return [
          () => remove(`${APPLICATION_KEYS}/${id}`),
          async () => [
            await count('application_keys WHERE revoked_at > 0 AND name = ?', name),
            await rows('application-key.revoke', name),
          ],
        ];
      },
    ],
    [
      'a webhook that is switched off',
      'changeWebhook',
      async (name) => {
        const { id, tenant } = await addWebhook(name);
        return [
          () => patch(`${WEBHOOKS}/${id}`, { enabled: false }),
          async () => [
            await webhooksOf(tenant, 'w.off_since > 0'),
            await tenantRows('webhook.change', tenant),
          ],
        ];
      },
    ],
    [
      'a removed webhook',
      'removeWebhook',
      async (name) => {
        const { id, tenant } = await addWebhook(name);
        return [
          () => remove(`${WEBHOOKS}/${id}`),
          async () => [
            1 - (await webhooksOf(tenant, '1 = 1')),
            await tenantRows('webhook.remove', tenant),
          ],
        ];
      },
    ],
    [
      'a new secret of a webhook',
      'rotateWebhookSecret',
      async (name) => {
        const { id, tenant } = await addWebhook(name);
        return [
          () => admin.post(`${WEBHOOKS}/${id}/secret`, {}),
          async () => [
            await webhooksOf(tenant, 'w.former_until > 0'),
            await tenantRows('webhook.rotate', tenant),
          ],
        ];
      },
    ],
    [
      'forgotten messages of a webhook',
      'forgetSetAsideMessages',
      async (name) => {
        const { id, tenant } = await addWebhook(name);
        const webhookId = Buffer.from(id, 'base64url');
        await server.get(DataSource).getRepository(SetAsideMessage).insert({
          webhookId,
          number: 1,
          eventId: webhookId,
          at: 0,
          failure: 'status 500',
        });
        return [
          () => remove(`${WEBHOOKS}/${id}/set-aside`),
          async () => [
            1 - (await countOf(server, 'set_aside_messages WHERE webhook_id = ?', webhookId)),
            await tenantRows('webhook.forget', tenant),
          ],
        ];
      },
    ],
    [
      'a new name of one’s own key',
      'renameMyKey',
      async (name) => {
        const send = await callMyKey(name);
        return [
          () => send('PATCH', { deviceName: 'Renamed' }),
          async () => [
            await count(`${KEYS_OF_USER} AND c.device_name = 'Renamed'`, name),
            await rows('my-keys.rename', name),
          ],
        ];
      },
    ],
    [
      'one’s own deleted key',
      'deleteMyKey',
      async (name) => {
        const send = await callMyKey(name);
        return [
          () => send('DELETE'),
          async () => [2 - (await count(KEYS_OF_USER, name)), await rows('my-keys.delete', name)],
        ];
      },
    ],
    [
      'one’s own reported key',
      'reportMyKey',
      async (name) => {
        const send = await callMyKey(name);
        return [
          () => send('POST'),
          async () => [
            await count(REPORTED_KEYS_OF_USER, name),
            await rows('my-keys.report', name),
          ],
        ];
      },
    ],
    [
      'a ticket',
      'issueTicket',
      async (username) => [
        () => admin.post('/userapi/tickets', { relyingParty: 'localhost', username }),
        async () => [
          await count('tickets WHERE username = ?', username),
          await rows('ticket.issue', username),
        ],
      ],
    ],
    [
      'the end of a ticket',
      'revokeTicket',
      async (username) => {
        await admin.post('/userapi/tickets', { relyingParty: 'localhost', username });
        const { body } = await admin.get(
          `/userapi/tickets?${new URLSearchParams({ username }).toString()}`,
        );
        const [{ id }] = body['tickets'] as [{ id: string }];
        return [
          () => remove(`/userapi/tickets/${id}`),
          async () => [
            1 - (await count('tickets WHERE username = ?', username)),
            await rows('ticket.revoke', username),
          ],
        ];
      },
    ],
    [
      'an invitation',
      'issueInvitation',
      async (username) => [
        () => admin.post('/userapi/invitations', { relyingParty: 'localhost', username }),
        async () => [await invited(username), await rows('invitation.issue', username)],
      ],
    ],
    [
      'a key of an invitation',
      'completeRegistration',
      async (username) => {
        const { code } = await invite(username);
        const client = new FidoClient(server.url);
        const made = client.create(await client.beginRegistration(username, { ticket: code }));
        return [
          () => client.completeRegistration(made),
          async () => [
            await count('users WHERE username = ?', username),
            await rows('invitation.key', username),
          ],
        ];
      },
    ],
    [
      'the end of an invitation',
      'revokeInvitation',
      async (username) => {
        const { id } = await invite(username);
        return [
          () => remove(`/userapi/invitations/${id}`),
          async () => [await invited(username, '> 0'), await rows('invitation.revoke', username)],
        ];
      },
    ],
    [
      'the end of a user’s two invitations',
      'a form',
      async (name) => {
        await invite(name);
        await invite(name);
        return [
          () => sendForm('/userapi/user/invitations/withdraw-all', { rp: 'localhost', name }),
          async () => [(await invited(name, '> 0')) / 2, await rows('invitation.revoke', name)],
        ];
      },
    ],
    [
      'a list of two invitations',
      'a form',
      async (name) => {
        const first = `${name} first`;
        const second = `${name} second`;
        const fields = { rp: 'localhost', hours: '24', users: `${first}\n${second}` };
        const sum = async (of: (username: string) => Promise<number>) =>
          (await of(first)) + (await of(second));
        return [
          () => sendForm('/userapi/user/invitations/list', fields),
          async () => [
            (await sum(invited)) / 2,
            (await sum((username) => rows('invitation.issue', username))) / 2,
          ],
        ];
      },
    ],
    [
      'a listed model',
      'addModel',
      async (name) => {
        const aaguid = aaguidOf(name);
        return [
          () => admin.post('/userapi/aaguid', { aaguid, name: 'Model' }),
          async () => [await aaguids(name, false), await rows('aaguid.add', aaguid)],
        ];
      },
    ],
    [
      'a removed model',
      'removeModel',
      async (name) => {
        const aaguid = aaguidOf(name);
        await admin.post('/userapi/aaguid', { aaguid, name: 'Model' });
        return [
          () => remove(`/userapi/aaguid/${aaguid}`),
          async () => [await aaguids(name, true), await rows('aaguid.remove', aaguid)],
        ];
      },
    ],
    [
      'a deleted list',
      'deleteList',
      async (name) => {
        await registered(name);
        const uploadId = await upload(name);
        return [
          () => admin.post(DELETION, { uploadId }),
          async () => {
            // The user is deleted before the list ends.
            expect(await events('user-deleted', name)).toBe(await rows('user.delete', name));
            return [await lists('done', uploadId), await rows('users.delete-list', uploadId)];
          },
        ];
      },
    ],
    [
      'a list whose deletion begins',
      'a form',
      async (name) => {
        await registered(name);
        const uploadId = await upload(name);
        return [
          () => sendForm(`${DELETION}/${uploadId}/start`, { confirm: '1' }),
          async () => [
            await lists('deleting', uploadId),
            await rows('users.delete-list', uploadId),
          ],
        ];
      },
    ],
    [
      'a stopped list',
      'stopListDeletion',
      async (name) => {
        const uploadId = await upload(name);
        return [
          () => remove(`${DELETION}/${uploadId}`),
          async () => [
            await lists('stopped', uploadId),
            await rows('users.delete-list.stop', uploadId),
          ],
        ];
      },
    ],
    [
      'a list whose keys are disabled',
      'a form',
      async (name) => {
        await registered(name);
        const uploadId = await upload(name);
        return [
          () => sendForm(`${LISTED_KEYS}/${uploadId}/start`, { change: 'disable' }),
          async () => [
            await listJobs('changing', uploadId),
            await rows('users.change-list', uploadId),
          ],
        ];
      },
    ],
    [
      'a stopped job',
      'stopModelJob',
      async () => {
        const { aaguid, path } = await storeJob('disabling');
        return [
          () => remove(path),
          async () => [await jobs('stopped', aaguid), await rows('model.disable.stop', aaguid)],
        ];
      },
    ],
    [
      'a resumed job',
      'resumeModelJob',
      async () => {
        const { aaguid, path } = await storeJob('stopped');
        return [
          () => admin.post(`${path}/resume`, {}),
          async () => [await jobs('disabling', aaguid), await rows('model.disable', aaguid)],
        ];
      },
    ],
    [
      'the undo of a job',
      'undoModelJob',
      async () => {
        const { aaguid, path } = await storeJob('disabled');
        return [
          () => admin.post(`${path}/undo`, {}),
          async () => [await jobs('undoing', aaguid), await rows('model.disable.undo', aaguid)],
        ];
      },
    ],
    [
      'uploaded metadata',
      'uploadMetadata',
      async (name) => {
        const no = numberIn(name) + 1;
        const uploads = "audit WHERE action = 'mds.upload' AND result = 'ok'";
        const before = await countOf(server, uploads);
        return [
          () =>
            admin.send('/userapi/mds', {
              method: 'POST',
              headers: { 'content-type': 'text/plain' },
              body: writeBlob({ no, nextUpdate: '2099-01-01', entries: [] }),
            }),
          async () => [
            await countOf(server, `metadata_sources WHERE no = ${no}`),
            (await countOf(server, uploads)) - before,
          ],
        ];
      },
    ],
    [
      'the end of the only signing key',
      'a command',
      async () => {
        const keys = server.get(SigningKeys);
        // Reads the keys again: the last call may have replaced the key although it failed.
        await keys.findNow('none');
        const { kid } = keys.current;
        const call = changingCall(server, 'signing-key.revoke');
        return [
          () =>
            keys.revoke(call, kid).then(
              () => ({ status: 200 }),
              () => ({ status: 503 }),
            ),
          async () => {
            expect(await countOf(server, 'signing_keys')).toBe(1);
            return [
              1 - (await count('signing_keys WHERE kid = ?', kid)),
              await rows('signing-key.revoke', kid),
            ];
          },
        ];
      },
    ],
  ];

  /**
   * After these, the events of keys no longer add up: linked users, holders of a model and an import have others, a
   * killed erasure leaves a user, and invoices move the clock.
   */
  const LAST_ROWS: readonly Row[] = [
    [
      'a link of two users in a move',
      'linkUser',
      async (username) => {
        const domain = await addRelyingParty(username);
        const predecessor = await addRelyingParty(`old ${username}`);
        await patch(`${RELYING_PARTIES}/${predecessor}`, { policy: { registration: 'ticket' } });
        await patch(`${RELYING_PARTIES}/${domain}`, { predecessor });
        for (const at of [predecessor, domain]) {
          await settle(server, relyingPartyOf(server, at), [{ username, devices: [] }]);
        }
        return [
          () => admin.post('/userapi/collisions', { relyingParty: domain, username }),
          async () => [
            await count('moves m JOIN users u ON u.id = m.user_id WHERE u.username = ?', username),
            await rows('user.link', username),
          ],
        ];
      },
    ],
    [
      'a user whom a directory creates suspended',
      'SCIM',
      async (userName) => {
        await invite(userName);
        return [
          () => users.create({ userName, active: false }),
          async () => [
            mean(
              await count('users WHERE username = ?', userName),
              await events('user-suspended', userName),
              await invited(userName, 'IS NOT NULL'),
            ),
            mean(await rows('user.create', userName), await rows('user.suspend', userName)),
          ],
        ];
      },
    ],
    [
      'an import',
      'importUsers',
      async (username) => {
        const header = { format: 'servicefido-users', version: 1, relyingParty: 'localhost' };
        const file = jsonLinesOf([
          { type: 'header', ...header },
          {
            type: 'user',
            username,
            userHandle: Buffer.from(username).toString('base64url'),
            keys: [],
          },
          { type: 'end', users: 1, keys: 0 },
        ]);
        const imports = "audit WHERE action = 'users.import' AND result = 'ok'";
        const before = await countOf(server, imports);
        return [
          () => postImport(admin, file),
          async () => [
            await count('users WHERE username = ?', username),
            (await countOf(server, imports)) - before,
          ],
        ];
      },
    ],
    [
      'a job that disables a model',
      'disableModel',
      async (username) => {
        const aaguid = randomUUID();
        const holder = { username, model: aaguidBytes(aaguid) };
        await settle(server, relyingPartyOf(server, 'localhost'), [holder]);
        return [
          () => admin.post(`/userapi/aaguid/${aaguid}/jobs`, {}),
          async () => [await jobs('disabling', aaguid), await rows('model.disable', aaguid)],
        ];
      },
    ],
    [
      'the keys of an erased user',
      'a form',
      async (name) => {
        await registered(name);
        const erased = "audit WHERE target LIKE 'erased-%' AND action =";
        const before = await countOf(server, `${erased} 'credential.delete'`);
        return [
          () => sendForm('/userapi/user/erasure', { rp: 'localhost', name, confirm: name }),
          async () => {
            const keys = 'credentials c JOIN users u ON u.id = c.user_id WHERE u.username = ?';
            return [
              1 - (await count(keys, name)),
              (await countOf(server, `${erased} 'credential.delete'`)) - before,
            ];
          },
        ];
      },
    ],
    [
      'an invoice',
      'getInvoice',
      async (name) => {
        const { issue, stored, rows: rowsOf } = await invoiceOf(name);
        return [issue, async () => [await stored('invoice'), await rowsOf('invoice.issue')]];
      },
    ],
    [
      'an invoice by POST',
      'postInvoice',
      async (name) => {
        const { parameters, stored, rows: rowsOf } = await invoiceOf(name);
        return [
          () => adminClient(server.url).post('/userapi/invoice', parameters),
          async () => [await stored('invoice'), await rowsOf('invoice.issue')],
        ];
      },
    ],
    [
      'a credit note',
      'cancelInvoice',
      async (name) => {
        const { issue, stored, rows: rowsOf } = await invoiceOf(name);
        const { number } = (await issue()).body['invoice'] as { number: number };
        return [
          () =>
            adminClient(server.url).post(`/userapi/invoices/${number}/cancel`, { reason: 'Wrong' }),
          async () => [await stored('credit-note'), await rowsOf('invoice.cancel')],
        ];
      },
    ],
  ];

  it.each(ROWS)(
    'stores %s as a whole or not at all when the process ends between two messages',
    (what, _, prepare) =>
      killEach(what, prepare, async () => expect(await halfDoneIn(databaseUrl)).toEqual([])),
  );

  it.each(LAST_ROWS)(
    'stores %s with its audit row or not at all when the process ends between two messages',
    (what, _, prepare) => killEach(what, prepare),
  );

  it('has a row for each operation of the OpenAPI document that changes something', () => {
    const tested = new Set([...ROWS, ...LAST_ROWS].map(([, operation]) => operation));
    const exempt = Object.keys(EXEMPT);
    expect(CHANGING.filter((id) => !tested.has(id) && !exempt.includes(id))).toEqual([]);
    expect(exempt.filter((id) => tested.has(id) || !CHANGING.includes(id))).toEqual([]);
    expect([...tested].filter((id) => ![...CHANGING, ...WITHOUT_OPERATION].includes(id))).toEqual(
      [],
    );
  });
});
