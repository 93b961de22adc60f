import { randomUUID } from 'node:crypto';
import { aaguidBytes } from '../../../src/webauthn/aaguid.js';
import { adminClient } from '../../support/client.js';
import { linkUsers, settle } from '../../support/settled-users.js';
import { jsonLinesOf, postImport } from '../../support/transfer.js';
import { countOf, relyingPartyOf } from '../../support/rows.js';
import { describeWith } from '../../support/needs.js';
import { killedChanges, mean } from '../../support/crash/killed-changes.js';

const TENANTS = '/tenantapi/tenants';
const RELYING_PARTIES = `${TENANTS}/default/relying-parties`;

/**
 * After these, the events of keys no longer add up: linked users, holders of a model and an import have others, a
 * killed erasure leaves a user, and invoices move the clock.
 */
describeWith('MariaDB')('a process that ends during an import or an invoice', () => {
  const {
    itStoresWithRow,
    server,
    admin,
    directory,
    count,
    events,
    rows,
    tenantRows,
    modelJobs,
    invited,
    registered,
    patch,
    invite,
    addTenant,
    addRelyingParty,
    sendForm,
  } = killedChanges();

  itStoresWithRow('a link of two users in a second move', 'linkUser', async (username) => {
    const { earlier, predecessor, successor } = await places();
    for (const at of [earlier, predecessor, successor]) {
      await settle(server(), at, [{ username, devices: [] }]);
    }
    // A link of a move that has ended, which the new link replaces.
    await linkUsers(server(), [earlier, successor], username);
    return [
      () => admin().post('/userapi/collisions', { relyingParty: successor.domain, username }),
      async () => [
        await count(
          `moves m JOIN users u ON u.id = m.user_id
           JOIN relying_parties r ON r.id = m.former_relying_party_id
           WHERE r.domain = '${predecessor.domain}' AND u.username = ?`,
          username,
        ),
        await rows('user.link', username),
      ],
    ];
  });

  let moving: ReturnType<typeof addPlaces> | undefined;
  /** All rounds share them, each with a user of its own. */
  const places = () => (moving ??= addPlaces());

  /** Adds three relying parties. Users move from the second to the third. */
  async function addPlaces() {
    const add = async (name: string) => relyingPartyOf(server(), await addRelyingParty(name));
    const predecessor = await add('predecessor');
    const successor = await add('successor');
    const path = (domain: string) => `${RELYING_PARTIES}/${domain}`;
    await patch(path(predecessor.domain), { policy: { registration: 'ticket' } });
    await patch(path(successor.domain), { predecessor: predecessor.domain });
    return { earlier: await add('earlier'), predecessor, successor };
  }

  itStoresWithRow('a user whom a directory creates suspended', 'SCIM', async (userName) => {
    await invite(userName);
    return [
      () => directory().create({ userName, active: false }),
      async () => [
        mean(
          await count('users WHERE username = ?', userName),
          await events('user-suspended', userName),
          await invited(userName, 'IS NOT NULL'),
        ),
        mean(await rows('user.create', userName), await rows('user.suspend', userName)),
      ],
    ];
  });

  itStoresWithRow('an import', 'importUsers', async (username) => {
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
    const before = await countOf(server(), imports);
    return [
      () => postImport(admin(), file),
      async () => [
        await count('users WHERE username = ?', username),
        (await countOf(server(), imports)) - before,
      ],
    ];
  });

  itStoresWithRow('a job that disables a model', 'disableModel', async (username) => {
    const aaguid = randomUUID();
    const holder = { username, model: aaguidBytes(aaguid) };
    await settle(server(), relyingPartyOf(server(), 'localhost'), [holder]);
    return [
      () => admin().post(`/userapi/aaguid/${aaguid}/jobs`, {}),
      async () => [await modelJobs('disabling', aaguid), await rows('model.disable', aaguid)],
    ];
  });

  itStoresWithRow('the keys of an erased user', 'a form', async (name) => {
    await registered(name);
    const erased = "audit WHERE target LIKE 'erased-%' AND action =";
    const before = await countOf(server(), `${erased} 'credential.delete'`);
    return [
      () => sendForm('/userapi/user/erasure', { rp: 'localhost', name, confirm: name }),
      async () => {
        const keys = 'credentials c JOIN users u ON u.id = c.user_id WHERE u.username = ?';
        return [
          1 - (await count(keys, name)),
          (await countOf(server(), `${erased} 'credential.delete'`)) - before,
        ];
      },
    ];
  });

  itStoresWithRow('an invoice', 'getInvoice', async (name) => {
    const { issue, stored, rows: rowsOf } = await invoiceOf(name);
    return [issue, async () => [await stored('invoice'), await rowsOf('invoice.issue')]];
  });

  itStoresWithRow('an invoice by POST', 'postInvoice', async (name) => {
    const { parameters, stored, rows: rowsOf } = await invoiceOf(name);
    return [
      () => adminClient(server().url).post('/userapi/invoice', parameters),
      async () => [await stored('invoice'), await rowsOf('invoice.issue')],
    ];
  });

  itStoresWithRow('a credit note', 'cancelInvoice', async (name) => {
    const { issue, stored, rows: rowsOf } = await invoiceOf(name);
    const { number } = (await issue()).body['invoice'] as { number: number };
    return [
      () =>
        adminClient(server().url).post(`/userapi/invoices/${number}/cancel`, { reason: 'Wrong' }),
      async () => [await stored('credit-note'), await rowsOf('invoice.cancel')],
    ];
  });

  /** Prepares the invoice of a month that is over, for a tenant of its own. */
  async function invoiceOf(name: string) {
    const tenant = await addTenant(name);
    const { clock, url } = server();
    const now = new Date(clock.now());
    const lastDay = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 0));
    clock.advance(40 * 86_400_000);
    const date = lastDay.toISOString().slice(0, 10);
    const parameters = { tenant, date, invoicelog: 'yes' };
    const query = new URLSearchParams(parameters).toString();
    const stored = (kind: string) =>
      count(
        `invoices i JOIN tenants t ON t.id = i.tenant_id WHERE i.kind = '${kind}' AND t.name = ?`,
        tenant,
      );
    return {
      parameters,
      issue: () => adminClient(url).get(`/userapi/invoice?${query}`),
      stored,
      rows: (action: string) => tenantRows(action, tenant),
    };
  }
});
