import { AdoptionTargets } from '../../../src/adoption/target/targets.js';
import { RefusalLog } from '../../../src/fido/refusals/refusal-log.js';
import { FindingsJob } from '../../../src/trust/findings/findings-job.js';
import { changingCall } from '../../support/changing-call.js';
import { adminClient } from '../../support/client.js';
import { FidoClient } from '../../support/fido-client.js';
import { addMethod, serveTenants, setExternalId } from '../../support/entra/entra-server.js';
import { EntraTenant } from '../../support/entra/entra-tenant.js';
import { addClient, authorizationRequest, discover } from '../../support/oidc-issuer.js';
import { settle } from '../../support/settled-users.js';
import { relyingPartyOf, rowsOf } from '../../support/rows.js';
import type { TestServer } from '../../support/test-server.js';
import { LOST_MODEL, MODEL, type Furniture } from './every-page.js';

/** The created content. */
export async function furnish(server: TestServer): Promise<Furniture> {
  // It would end the findings that are stored here some seconds after the start.
  await server.get(FindingsJob).onModuleDestroy();
  const client = adminClient(server.url);
  const make = async (path: string, body: object) => {
    const answer = await client.post(path, body, { 'x-servicefido-relyingparty': 'localhost' });
    if (answer.body['status'] !== 'ok') throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer;
  };
  await server.addRelyingParty('acme', {
    domain: 'acme.example',
    origins: ['http://acme.example', 'https://acme.example'],
    policy: {
      registration: { value: 'ticket', mode: 'enforce' },
      profiles: [
        {
          name: 'Administrators of the payment systems',
          group: 'payment-administrators',
          rules: { trust: 'all', attestation: 'direct', certification: 'L2', minPinLength: 8 },
        },
        { name: 'Guests', group: 'guests', rules: { maxCredentials: 2 } },
      ],
    },
  });
  const rp = relyingPartyOf(server, 'localhost');
  await settle(server, rp, [
    {
      username: 'ada',
      devices: ['Security key', 'Phone of Ada Lovelace, Countess'],
      model: Buffer.from(MODEL.replaceAll('-', ''), 'hex'),
    },
    { username: 'dora', model: Buffer.from(LOST_MODEL.replaceAll('-', ''), 'hex') },
    ...['bert', 'Karl.Theodor.von-und-zu-Guttenberg@sub.department.example.com', 'zoe'],
  ]);
  await rowsOf(
    server,
    'UPDATE credentials SET enabled = 0 WHERE aaguid = ?',
    Buffer.from(LOST_MODEL.replaceAll('-', ''), 'hex'),
  );
  await make('/userapi/aaguid', { aaguid: MODEL });
  await rowsOf(
    server,
    `INSERT INTO findings (id, tenant_id, relying_party_id, rule, code, action, found_at)
     SELECT id, tenant_id, relying_party_id, 'status', 'E0038R', 'report', 1790000000000
     FROM credentials`,
  );
  await make('/tenantapi/keys', { name: 'Shop', tenant: 'default', scopes: ['ceremonies'] });
  await make('/tenantapi/webhooks', {
    tenant: 'default',
    url: 'https://hooks.example/fido',
    events: ['registration'],
  });
  const attempt = { at: 1_790_000_000_000, tookMs: 12, kind: 'registration', number: 7 };
  const attempts = [
    { ...attempt, arrived: true, outcome: 'HTTP 204' },
    { ...attempt, arrived: false, outcome: 'ECONNREFUSED' },
  ];
  await rowsOf(server, 'UPDATE webhooks SET attempts = ?', JSON.stringify(attempts));
  await server
    .get(AdoptionTargets)
    .change(
      changingCall(server, 'relying-party.change'),
      rp,
      { share: 80, by: '2099-03-31', expectedUsers: 40 },
      undefined,
    );
  const visitor = new FidoClient(server.url);
  const { challenge } = (await visitor.beginNameless()).body;
  await visitor.post('/fidoapi/authenticate/given-up', { challenge, error: 'NotAllowedError' });
  const refusal = await new FidoClient(server.url).beginAuthentication('nobody');
  await server.get(RefusalLog).flush();
  const invited = await make('/userapi/invitations', {
    username: 'cleo',
    relyingParty: 'localhost',
  });
  const application = await discover(await addClient(server));
  const { address } = await authorizationRequest(application);
  const contoso = await EntraTenant.create();
  serveTenants(server, [contoso]);
  // No state of a page disables the keys of Zoe.
  await setExternalId(server, 'zoe', 'oid of zoe');
  const method = await addMethod(server, contoso);
  // The pages are looked at for longer than a hint is accepted.
  const exp = Math.floor(Date.now() / 1000) + 3600;
  const entraRequest = async (oid: string) =>
    `/entra/localhost/authorize?${contoso.request(method.clientId, await contoso.hint(oid, { claims: { exp } }))}`;
  const { body } = await client.get('/userapi/invoice?invoicelog=yes&tenant=default');
  // After the invoice, which does not count a key that was never registered.
  await make('/userapi/manageusers', {
    type: 'disabledevice',
    filter: 'ada',
    device: 'Phone*',
  });
  return {
    invitation: String(invited.body['url']).slice(server.url.length),
    refused: refusal.headers.get('x-request-id') ?? '',
    invoice: String((body['invoice'] as { number: unknown }).number),
    authorization: `${address.pathname}${address.search}`,
    entra: await entraRequest('oid of zoe'),
    entraUnknown: await entraRequest('oid of nobody'),
  };
}
