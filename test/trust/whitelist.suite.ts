import { createAuthority } from '../../packages/testing/src/certificate-writer.js';
import { pemOf } from '../../packages/testing/src/pem.js';
import { rowsOf } from '../support/rows.js';
import { accountsFile, clientOf } from '../support/accounts.js';
import { attestationRoot, createAttester } from '../../packages/testing/src/attester.js';
import {
  SoftAuthenticator,
  type SoftAuthenticatorOptions,
} from '../../packages/testing/src/soft-authenticator.js';
import { adminClient, type Client } from '../support/client.js';
import { DATABASES, REDIS_URL } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { FidoClient } from '../support/fido-client.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { createServerDatabase } from '../support/server-database.js';
import { testFile } from '../support/test-file.js';
import { describeWith } from '../support/needs.js';
import { TestServer } from '../support/test-server.js';

const LISTED = Buffer.from('11570000000040008000000000000001', 'hex');
const LISTED_TEXT = '11570000-0000-4000-8000-000000000001';
const OTHER = Buffer.from('0be00000000040008000000000000002', 'hex');
const OTHER_TEXT = '0be00000-0000-4000-8000-000000000002';
const YUBIKEY = '9eb7eabc-9db5-49a1-b6c3-555a802093f4';
const NEW = '0e000000-0000-4000-8000-000000000004';
const SEEDED = '5eed0000-0000-4000-8000-000000000003';

const genuine = createAttester(LISTED);
const rooted = { ...genuine, x5c: [...genuine.x5c, attestationRoot().certificate] };

describe.each(DATABASES)('the whitelist with --aaguid on, on %s', (on) => {
  let server: TestServer;
  let admin: Client;
  const aaguidFile = testFile(`# models of our own\n${SEEDED.toUpperCase()} Blue keys\n`);
  beforeAll(async () => {
    server = await TestServer.start({ on, options: { aaguid: true, aaguidFile } });
    await server.addRelyingParty('acme', {
      domain: 'reported.example',
      policy: { aaguid: 'reported' },
    });
    admin = adminClient(server.url);
    const added = await admin.post('/userapi/aaguid', { aaguid: LISTED_TEXT, name: 'Red keys' });
    expect(added.status).toBe(200);
  });
  afterAll(() => server.stop());

  it('lists models with name, time and administrator', async () => {
    expect(await admin.get('/userapi/aaguid')).toMatchObject({
      status: 200,
      body: {
        status: 'ok',
        errorMessage: '',
        enabled: true,
        aaguids: [
          { aaguid: SEEDED, name: 'Blue keys', addedBy: 'configuration' },
          {
            aaguid: LISTED_TEXT,
            name: 'Red keys',
            addedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
            addedBy: 'admin',
          },
        ],
      },
    });
  });

  it('makes every begin call request direct attestation', async () => {
    const { body } = await new FidoClient(server.url).beginRegistration('ada', {
      attestation: 'none',
    });
    expect(body).toMatchObject({ attestation: 'direct' });
  });

  it('accepts a listed model with a verified attestation', async () => {
    expect(await register({ attestation: 'packed', aaguid: LISTED })).toMatchObject({
      status: 200,
      body: { aaguid: LISTED_TEXT },
    });
  });

  it.each([
    ['another model', { attestation: 'packed', aaguid: OTHER }],
    ['a listed model that attests for itself', { attestation: 'packed-self', aaguid: LISTED }],
    ['a listed model that does not attest', { attestation: 'none', aaguid: LISTED }],
    ['an anonymous U2F key', { attestation: 'fido-u2f' }],
    [
      'a listed model whose path holds the root',
      {
        attestation: 'packed',
        aaguid: LISTED,
        attester: rooted,
      },
    ],
  ] as [string, SoftAuthenticatorOptions][])('refuses %s: E0037R', async (_, device) => {
    expectRefusal(await register(device), 'E0037R');
  });

  it('reports in the list, on its page and in the event that nothing proves the models', async () => {
    const { body } = await admin.get('/userapi/aaguid');
    const sentence = /Nothing proves the models on the whitelist.*--mds/;
    expect(body['warnings']).toEqual([expect.stringMatching(sentence)]);
    const page = await admin.get('/userapi/aaguid', { accept: 'text/html' });
    expect(page.text).toContain('Nothing proves the models on the whitelist.');
    await register({ attestation: 'packed', aaguid: LISTED });
    const events = await rowsOf(server, "SELECT detail, code FROM events WHERE kind = 'policy'");
    expect(events.at(-1)).toMatchObject({ detail: 'whitelist', code: 'E0037R' });
  });

  it('refuses a listed model under an unknown root if the policy has anchors (E0037R)', async () => {
    const anchors = [pemOf(createAuthority('Makers of keys').certificate)];
    await server.addRelyingParty('acme', { domain: 'anchored.example', policy: { anchors } });
    const answer = await register({ attestation: 'packed', aaguid: LISTED }, 'anchored.example');
    expectRefusal(answer, 'E0037R');
    expect(answer.body['errorMessage']).toContain('the attestation does not prove it');
  });

  it('accepts a model with any certificate, but not without one, if aaguid is attested', async () => {
    const anchors = [pemOf(createAuthority('Makers of keys').certificate)];
    const policy = { anchors, aaguid: 'attested' } as const;
    await server.addRelyingParty('acme', { domain: 'attested.example', policy });
    const listedOne = (attestation: 'packed' | 'packed-self') =>
      register({ attestation, aaguid: LISTED }, 'attested.example');
    expect((await listedOne('packed')).status).toBe(200);
    expectRefusal(await listedOne('packed-self'), 'E0037R');
  });

  it('accepts a claimed model if aaguid is reported', async () => {
    const none = { attestation: 'none' } as const;
    expect((await register({ ...none, aaguid: LISTED }, 'reported.example')).status).toBe(200);
    expectRefusal(await register({ ...none, aaguid: OTHER }, 'reported.example'), 'E0037R');
  });

  it('applies a change at once, and lists a removed model again only by hand', async () => {
    expect((await admin.post('/userapi/aaguid', { aaguid: OTHER_TEXT })).status).toBe(200);
    expect((await register({ attestation: 'packed', aaguid: OTHER })).status).toBe(200);
    expect(await remove(admin, OTHER_TEXT)).toMatchObject({
      status: 200,
      body: { status: 'ok', errorMessage: '', aaguid: OTHER_TEXT, removed: true },
    });
    expectRefusal(await register({ attestation: 'packed', aaguid: OTHER }), 'E0037R');
    await admin.post('/userapi/aaguid', { aaguid: OTHER_TEXT.toUpperCase() });
    expect(await listed(admin)).toContain(OTHER_TEXT);
    await remove(admin, OTHER_TEXT);
  });

  it('refuses a model that was removed between the begin and the result call', async () => {
    await admin.post('/userapi/aaguid', { aaguid: OTHER_TEXT });
    const client = new FidoClient(server.url, {
      authenticator: new SoftAuthenticator({ attestation: 'packed', aaguid: OTHER }),
    });
    const begun = await client.beginRegistration('ben');
    await remove(admin, OTHER_TEXT);
    expectRefusal(await client.completeRegistration(client.create(begun)), 'E0037R');
  });

  it('names a model that was added without a name', async () => {
    const { body } = await admin.post('/userapi/aaguid', { aaguid: YUBIKEY });
    expect(body).toMatchObject({ aaguid: YUBIKEY, name: 'YubiKey 5 Series with NFC KVZR57' });
    const renamed = await admin.post('/userapi/aaguid', { aaguid: YUBIKEY, name: 'Ours' });
    expect(renamed.body).toMatchObject({ name: 'Ours', addedBy: 'admin' });
    await remove(admin, YUBIKEY);
  });

  it.each([undefined, '', 7, 'x', '11570000000040008000000000000001', `${LISTED_TEXT} `])(
    'E0045R: refuses to add %j',
    async (aaguid) => {
      const answer = await admin.post('/userapi/aaguid', { aaguid });
      expect(answer).toMatchObject({ status: 400, body: { errorCode: 'E0045R' } });
    },
  );

  it('removes only listed models (E0044R, E0045R)', async () => {
    expect(await remove(admin, OTHER_TEXT)).toMatchObject({
      status: 404,
      body: { errorCode: 'E0044R' },
    });
    expect(await remove(admin, 'x')).toMatchObject({ status: 400, body: { errorCode: 'E0045R' } });
  });

  it('receives new models from the seed, but no removed ones again', async () => {
    const database = await createServerDatabase(on);
    const first = await TestServer.start({ database, options: { aaguid: true, aaguidFile } });
    await remove(adminClient(first.url), SEEDED);
    await first.stop();
    const again = await TestServer.start({
      database,
      options: {
        aaguid: true,
        aaguidFile: testFile(JSON.stringify([SEEDED, { aaguid: NEW, name: 'New' }])),
      },
    });
    const now = await listed(adminClient(again.url));
    await again.stop();
    expect(now).toContain(NEW);
    expect(now).not.toContain(SEEDED);
    await database.remove();
  });

  function register(device: SoftAuthenticatorOptions, relyingParty = 'localhost') {
    return new FidoClient(server.url, {
      relyingParty,
      authenticator: new SoftAuthenticator(device),
    }).register(`user-${Math.random()}`);
  }
});

describe('the whitelist', () => {
  it('the whitelist is off with --aaguid off, so that every model may register (E0046R)', async () => {
    const server = await TestServer.start();
    const admin = adminClient(server.url);
    for (const answer of [
      await admin.get('/userapi/aaguid'),
      await admin.post('/userapi/aaguid', { aaguid: LISTED_TEXT }),
      await remove(admin, LISTED_TEXT),
    ]) {
      expect(answer).toMatchObject({ status: 404, body: { errorCode: 'E0046R' } });
    }
    expect((await new FidoClient(server.url).register('cleo')).status).toBe(200);
    await server.stop();
  });

  it('the whitelist can be read by auditors and the help desk, and changed only by administrators of all tenants', async () => {
    const options = { aaguid: true, accounts: accountsFile() };
    const server = await TestServer.start({ options });
    const statuses = async (name: string) => {
      const client = clientOf(server.url, name);
      const { status } = await client.get('/userapi/aaguid');
      return [status, (await client.post('/userapi/aaguid', { aaguid: LISTED_TEXT })).status];
    };
    expect(await statuses('auditor')).toEqual([200, 403]);
    expect(await statuses('helpdesk')).toEqual([200, 403]);
    expect(await statuses('finance')).toEqual([403, 403]);
    expect(await statuses('acme-admin')).toEqual([200, 403]);
    await server.stop();
  });

  it.each(['aaguid: 5', '[1]', 'no-aaguid Name', '- name: x'])(
    'a seed file of the whitelist with %j stops the start',
    async (content) => {
      const options = { aaguid: true, aaguidFile: testFile(content) };
      await expect(TestServer.start({ options })).rejects.toThrow(/is no AAGUID/);
    },
  );
});

describeWith('MariaDB', 'Redis')('the whitelist of two instances', () => {
  it('a change of the whitelist applies at the other instance within seconds', async () => {
    const database = await createServerDatabase('MariaDB');
    const start = () =>
      TestServer.start({ database, options: { aaguid: true, sessions: `${REDIS_URL}` } });
    const here = await start();
    const there = await start();
    await adminClient(here.url).post('/userapi/aaguid', { aaguid: LISTED_TEXT });
    await eventually(async () => {
      expect(await listed(adminClient(there.url))).toEqual([LISTED_TEXT]);
    });
    await here.stop();
    await there.stop();
    await database.remove();
  });
});

function remove(client: Client, aaguid: string) {
  return client.send(`/userapi/aaguid/${aaguid}`, { method: 'DELETE' });
}

async function listed(client: Client): Promise<string[]> {
  const { body } = await client.get('/userapi/aaguid');
  return (body['aaguids'] as { aaguid: string }[]).map(({ aaguid }) => aaguid);
}
