import { aaguidBytes } from '../../src/webauthn/aaguid.js';
import { accountsFile, clientOf } from '../support/accounts.js';
import { SoftAuthenticator } from '../../packages/testing/src/soft-authenticator.js';
import { attestationRoot } from '../../packages/testing/src/attester.js';
import { HTML, adminClient, type Client } from '../support/client.js';
import { FidoClient } from '../support/fido-client.js';
import { fieldsOfForm } from '../support/page-forms.js';
import { pemOf } from '../../packages/testing/src/pem.js';
import { TestServer } from '../support/test-server.js';
import { writeBlob } from '../../packages/testing/src/blob-writer.js';

const MODEL = '9eb7eabc-9db5-49a1-b6c3-555a802093f4';
const NAME = 'YubiKey 5 Series with NFC KVZR57';

describe('the pages of models and metadata', () => {
  let server: TestServer;
  let admin: Client;
  beforeEach(async () => {
    server = await TestServer.start({
      options: { aaguid: true, mds: ['upload'], accounts: accountsFile() },
    });
    admin = adminClient(server.url);
    await server.addRelyingParty('acme', {
      domain: 'blocking.example',
      policy: { aaguid: 'reported', block: [MODEL] },
    });
    const anchors = [pemOf(attestationRoot().certificate)];
    await server.addRelyingParty('acme', { domain: 'anchored.example', policy: { anchors } });
  });
  afterEach(async () => {
    await server.stop();
  });

  it('add a model by a form and then show its use', async () => {
    expect((await admin.get('/userapi/aaguid', HTML)).text).toContain('No model is listed');
    const added = await addUsed();
    expect(added.status).toBe(303);
    expect(added.headers.get('location')).toBe('/userapi/aaguid');
    const { text, headers } = await admin.get('/userapi/aaguid', HTML);
    expect(headers.get('content-type')).toContain('text/html');
    expect(text).toContain(NAME);
    expect(text).toContain(`data-label="In use"><a href="/userapi?model&#x3D;${MODEL}">1</a>`);
    expect(text).toContain('blocking.example');
    expect(text).toContain('action="/userapi/aaguid/remove"');
  });

  it('link to the metadata for accounts that may read it', async () => {
    const linksTo = async (client: Client) =>
      (await client.get('/userapi/aaguid', HTML)).text.includes('href="/userapi/mds"');
    expect(await linksTo(admin)).toBe(true);
    expect(await linksTo(clientOf(server.url, 'helpdesk'))).toBe(false);
  });

  it('find models by words in their names, list their users and offer to add them', async () => {
    await addUsed();
    const find = async (words: string) =>
      (await admin.get(`/userapi/aaguid?find=${encodeURIComponent(words)}`, HTML)).text;
    const found = await find('KVZR57 yubik');
    expect(found).toContain(`<li data-aaguid="${MODEL}">`);
    expect(found).toContain(`<a href="/userapi?model&#x3D;${MODEL}">1 in use</a> on the whitelist`);
    expect(await find('titan')).toMatch(/Titan[^]*Let it register/);
    expect(await find('<b>nothing')).toContain('No model has this name.');
    expect((await admin.get('/userapi/aaguid?find=a&find=b')).status).toBe(400);
  });

  it('list models in use before others that a search finds, as the search of the console does', async () => {
    await addUsed();
    const firstOf = async (path: string) =>
      /found.*?([\da-f]{8}-[\da-f-]{27})/s.exec((await admin.get(path, HTML)).text)?.[1];
    expect(await firstOf('/userapi/aaguid?find=yubi')).toBe(MODEL);
    expect(await firstOf('/userapi/search?q=yubi')).toBe(MODEL);
  });

  it('remove a model by a form, and offer models in use', async () => {
    await addUsed();
    expect((await send('remove', { aaguid: MODEL })).status).toBe(303);
    const { text } = await admin.get('/userapi/aaguid', HTML);
    expect(text).toContain('In use, not on the whitelist');
    expect(text).toContain(`aria-label="Add ${NAME}"`);
  });

  it.each(['add', 'remove'])('refuse a form to %s without an AAGUID', async (action) => {
    expect(await send(action, {})).toMatchObject({ status: 400, body: { errorCode: 'E0045R' } });
  });

  it('show a wrong AAGUID again, with the mistake at its field', async () => {
    const fields = { aaguid: 'ee882879', name: 'Mine & yours' };
    const { status, text } = await send('add', fields, HTML);
    expect(status).toBe(400);
    expect(text).toContain('id="aaguid-error"');
    expect(text).toContain('Enter an AAGUID such as ee882879-721c-4913-9775-3dfcce97072a.');
    expect(text).toContain('Nothing was changed.');
    expect(fieldsOfForm(text, '/userapi/aaguid/add')).toMatchObject({
      aaguid: ['ee882879'],
      name: ['Mine & yours'],
    });
  });

  it.each([
    ['add', `${NAME} may register from now on.`],
    ['remove', `${NAME} can no longer be registered.`],
  ])('confirm to %s a model', async (action, says) => {
    if (action === 'remove') await send('add', { aaguid: MODEL });
    const { headers } = await send(action, { aaguid: MODEL });
    const [cookie = ''] = (headers.get('set-cookie') ?? '').split(';');
    const { text } = await admin.get('/userapi/aaguid', { ...HTML, cookie });
    expect(text.replaceAll(/<\/?bdi>/g, '')).toContain(says);
  });

  it('report missing metadata and refuse a form whose file is not a BLOB', async () => {
    const { text } = await admin.get('/userapi/mds', HTML);
    expect(text).toContain('Metadata is missing.');
    expect(text).toContain('action="/userapi/mds/upload?source&#x3D;upload&amp;formToken=');
    const auditor = await clientOf(server.url, 'auditor').get('/userapi/mds', HTML);
    expect([auditor.status, auditor.text.includes('type="file"')]).toEqual([200, false]);
    const body = new FormData();
    body.set('file', new Blob([writeBlob()]), 'blob.jwt');
    const sent = await admin.send('/userapi/mds/upload?source=upload', { method: 'POST', body });
    expect(sent).toMatchObject({ status: 400, body: { errorCode: 'E0045R' } });
    const photo = new FormData();
    photo.set('file', new Blob([Buffer.from('89504e470d0a1a0a', 'hex')]), 'photo.png');
    const page = await admin.send('/userapi/mds/upload?source=upload', {
      method: 'POST',
      body: photo,
      headers: { ...HTML, 'accept-language': 'de', referer: `${server.url}/userapi/mds` },
    });
    expect(page.text).toContain(
      'Das ist kein BLOB mit Metadaten: Erwartet wird ein signiertes JWT.',
    );
    expect(page.text).toContain('href="/userapi/mds"');
  });

  function send(action: string, fields: Record<string, string>, headers = {}) {
    return admin.send(`/userapi/aaguid/${action}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams(fields).toString(),
    });
  }

  /** Adds the model to the whitelist, and registers a key of it. */
  async function addUsed() {
    const added = await send('add', { aaguid: MODEL, name: '' });
    const device = new SoftAuthenticator({
      attestation: 'packed',
      aaguid: aaguidBytes(MODEL),
    });
    const registered = await new FidoClient(server.url, {
      relyingParty: 'anchored.example',
      authenticator: device,
    }).register('jo');
    expect(registered.status).toBe(200);
    return added;
  }
});

describe('the page of models with --aaguid off', () => {
  let server: TestServer;
  let admin: Client;
  beforeAll(async () => {
    server = await TestServer.start({ options: { accounts: accountsFile() } });
    admin = adminClient(server.url);
  });
  afterAll(() => server.stop());

  it('reports that the whitelist is off, how to enable it, and the models in use', async () => {
    expect((await admin.get('/userapi/aaguid', HTML)).text).toContain('No key is registered yet.');
    const device = new SoftAuthenticator({ aaguid: aaguidBytes(MODEL) });
    await new FidoClient(server.url, { authenticator: device }).register('jo');
    const { status, text } = await admin.get('/userapi/aaguid', HTML);
    expect(status).toBe(200);
    expect(text).toContain('The whitelist is off.');
    expect(text).toContain('--aaguid on');
    expect(text).toMatch(new RegExp(`${NAME}[^]*<a href="/userapi.model&#x3D;${MODEL}">1</a>`));
    expect(text).not.toContain('method="post"');
    expect(text).not.toContain('/userapi/mds');
  });

  it.each(['helpdesk', 'auditor', 'acme-admin'])(
    'mentions no option to %s, who cannot enable it',
    async (account) => {
      const { text } = await clientOf(server.url, account).get('/userapi/aaguid', HTML);
      expect(text).toContain('The whitelist is off.');
      expect(text).not.toContain('--aaguid');
    },
  );

  it('refuses JSON and forms (E0046R)', async () => {
    const off = { status: 404, body: { errorCode: 'E0046R' } };
    expect(await admin.get('/userapi/aaguid')).toMatchObject(off);
    expect(await admin.get('/userapi/aaguid?format=json', HTML)).toMatchObject({ status: 404 });
    for (const path of ['/userapi/aaguid', '/userapi/aaguid/add', '/userapi/aaguid/remove']) {
      expect(await admin.post(path, { aaguid: MODEL })).toMatchObject(off);
    }
  });
});
