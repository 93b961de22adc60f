import { DataSource } from 'typeorm';
import { SetAsideMessage } from '../../../src/webhooks/webhook.entity.js';
import { countOf } from '../../support/rows.js';
import { describeWith } from '../../support/needs.js';
import { domainOf, killedChanges, slugOf } from '../../support/crash/killed-changes.js';

const TENANTS = '/tenantapi/tenants';
const RELYING_PARTIES = `${TENANTS}/default/relying-parties`;
const APPLICATION_KEYS = '/tenantapi/keys';
const WEBHOOKS = '/tenantapi/webhooks';

describeWith('MariaDB')('a process that ends during a change of tenants', () => {
  const {
    itStores,
    server,
    admin,
    count,
    rows,
    tenantRows,
    domainRows,
    remove,
    patch,
    addTenant,
    addRelyingParty,
    setProfiles,
  } = killedChanges();

  const applicationKey = (name: string) => ({ tenant: 'default', name, scopes: ['events:read'] });
  /** A webhook of a tenant of its own, since a tenant has at most 20. */
  async function addWebhook(name: string) {
    const tenant = await addTenant(name);
    const url = 'https://hooks.example/';
    const { body } = await admin().post(WEBHOOKS, { tenant, url, events: ['registration'] });
    return { tenant, id: (body['webhook'] as { id: string }).id };
  }
  const webhooksOf = (tenant: string, condition: string) =>
    count(
      `webhooks w JOIN tenants t ON t.id = w.tenant_id WHERE ${condition} AND t.name = ?`,
      tenant,
    );

  itStores('a new webhook', 'createWebhook', async (name) => {
    const host = `${name.replaceAll(' ', '-')}.example`;
    const webhook = { tenant: 'default', url: `https://${host}/`, events: ['registration'] };
    return [
      () => admin().post('/tenantapi/webhooks', webhook),
      async () => [
        await count('webhooks WHERE url = ?', webhook.url),
        await count("audit WHERE action = 'webhook.create' AND detail LIKE ?", `%${host}%`),
      ],
    ];
  });

  itStores('an adoption target', 'changeAdoptionTarget', async (name) => {
    const share = Number(name.replace(/\D/g, '')) + 1;
    return [
      () =>
        admin().patch('/userapi/adoption/targets/localhost', {
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
  });

  itStores('a new tenant', 'createTenant', async (name) => {
    const tenant = slugOf(name);
    return [
      () => admin().post(TENANTS, { tenant }),
      async () => [
        await count('tenants WHERE closed_at = 0 AND name = ?', tenant),
        await tenantRows('tenant.create', tenant),
      ],
    ];
  });

  itStores('a renamed tenant', 'changeTenant', async (name) => {
    const tenant = await addTenant(name);
    return [
      () => patch(`${TENANTS}/${tenant}`, { displayName: 'Renamed' }),
      async () => [
        await count("tenants WHERE display_name = 'Renamed' AND name = ?", tenant),
        await tenantRows('tenant.change', tenant),
      ],
    ];
  });

  itStores('a removed tenant', 'removeTenant', async (name) => {
    const tenant = await addTenant(name);
    return [
      () => remove(`${TENANTS}/${tenant}`),
      async () => [
        await count('tenants WHERE closed_at > 0 AND name = ?', tenant),
        await tenantRows('tenant.remove', tenant),
      ],
    ];
  });

  itStores('a new relying party', 'createRelyingParty', async (name) => {
    const domain = domainOf(name);
    return [
      () => admin().post(RELYING_PARTIES, { domain }),
      async () => [
        await count('relying_parties WHERE closed_at = 0 AND domain = ?', domain),
        await domainRows('relying-party.create', domain),
      ],
    ];
  });

  itStores('a changed policy', 'changeRelyingParty', async (name) => {
    const domain = await addRelyingParty(name);
    const policy = { userVerification: 'required' };
    return [
      () => patch(`${RELYING_PARTIES}/${domain}`, { policy }),
      async () => [
        await count("relying_parties WHERE policy LIKE '%required%' AND domain = ?", domain),
        await domainRows('relying-party.change', domain),
      ],
    ];
  });

  itStores('a changed profile', 'changeRelyingParty', async (name) => {
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
  });

  itStores('a removed relying party', 'removeRelyingParty', async (name) => {
    const domain = await addRelyingParty(name);
    return [
      () => remove(`${RELYING_PARTIES}/${domain}`),
      async () => [
        await count('relying_parties WHERE closed_at > 0 AND domain = ?', domain),
        await domainRows('relying-party.remove', domain),
      ],
    ];
  });

  itStores('a new application key', 'issueApplicationKey', async (name) => [
    () => admin().post(APPLICATION_KEYS, applicationKey(name)),
    async () => [
      await count('application_keys WHERE name = ?', name),
      await rows('application-key.issue', name),
    ],
  ]);

  itStores('a revoked application key', 'revokeApplicationKey', async (name) => {
    const { body } = await admin().post(APPLICATION_KEYS, applicationKey(name));
    const { id } = body['key'] as { id: string };
    return [
      () => remove(`${APPLICATION_KEYS}/${id}`),
      async () => [
        await count('application_keys WHERE revoked_at > 0 AND name = ?', name),
        await rows('application-key.revoke', name),
      ],
    ];
  });

  itStores('a webhook that is switched off', 'changeWebhook', async (name) => {
    const { id, tenant } = await addWebhook(name);
    return [
      () => patch(`${WEBHOOKS}/${id}`, { enabled: false }),
      async () => [
        await webhooksOf(tenant, 'w.off_since > 0'),
        await tenantRows('webhook.change', tenant),
      ],
    ];
  });

  itStores('a removed webhook', 'removeWebhook', async (name) => {
    const { id, tenant } = await addWebhook(name);
    return [
      () => remove(`${WEBHOOKS}/${id}`),
      async () => [
        1 - (await webhooksOf(tenant, '1 = 1')),
        await tenantRows('webhook.remove', tenant),
      ],
    ];
  });

  itStores('a new secret of a webhook', 'rotateWebhookSecret', async (name) => {
    const { id, tenant } = await addWebhook(name);
    return [
      () => admin().post(`${WEBHOOKS}/${id}/secret`, {}),
      async () => [
        await webhooksOf(tenant, 'w.former_until > 0'),
        await tenantRows('webhook.rotate', tenant),
      ],
    ];
  });

  itStores('forgotten messages of a webhook', 'forgetSetAsideMessages', async (name) => {
    const { id, tenant } = await addWebhook(name);
    const webhookId = Buffer.from(id, 'base64url');
    await server().get(DataSource).getRepository(SetAsideMessage).insert({
      webhookId,
      number: 1,
      eventId: webhookId,
      at: 0,
      failure: 'status 500',
    });
    return [
      () => remove(`${WEBHOOKS}/${id}/set-aside`),
      async () => [
        1 - (await countOf(server(), 'set_aside_messages WHERE webhook_id = ?', webhookId)),
        await tenantRows('webhook.forget', tenant),
      ],
    ];
  });
});
