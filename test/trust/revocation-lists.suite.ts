import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RelyingPartyPolicy } from '../../src/tenancy/policy/policy.js';
import { FetchedLists } from '../../src/trust/revocation/fetched-lists.js';
import { ListFiles } from '../../src/trust/revocation/list-files.js';
import { loadCertificate } from '../../src/webauthn/certificates/certificate.js';
import { evaluateKeys } from '../support/key-evaluation.js';
import { AdminClient } from '../support/admin-client.js';
import {
  aaguidExtension,
  basicConstraints,
  createAuthority,
  keyUsage,
  type Authority,
} from '../../packages/testing/src/certificate-writer.js';
import { integer } from '../../packages/testing/src/der-writer.js';
import {
  distributionPoints,
  writeRevocationList,
} from '../../packages/testing/src/revocation-list-writer.js';
import { SoftAuthenticator } from '../../packages/testing/src/soft-authenticator.js';
import {
  attestationRoot,
  createAttester,
  type Attester,
} from '../../packages/testing/src/attester.js';
import { STATEMENTS } from '../../packages/testing/src/statements.js';
import { adminClient } from '../support/client.js';
import { DATABASES } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { FidoClient } from '../support/fido-client.js';
import { listen } from '../support/listen.js';
import { blobRoot, createBlobSigner, writeBlob } from '../../packages/testing/src/blob-writer.js';
import { pemOf } from '../../packages/testing/src/pem.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { rowsOf } from '../support/rows.js';
import { modelEntry, MDS_ROOTS } from '../support/metadata.js';
import { testFile } from '../support/test-file.js';
import { FAST, TestServer } from '../support/test-server.js';
import { aaguidBytes } from '../../src/webauthn/aaguid.js';

const MODEL = '5a4c0000-0000-4000-8000-000000000016';
const AAGUID = aaguidBytes(MODEL);
const directory = mkdtempSync(join(tmpdir(), 'servicefido-test-'));
const blob = writeBlob({
  nextUpdate: '2099-01-01',
  entries: [modelEntry(MODEL)],
});
const mds = testFile(blob);

const serialOf = (der: Buffer) => Buffer.from(loadCertificate(der).serialNumber, 'hex');

const AUTHORITY = [basicConstraints(true), keyUsage('authority')];

describe.each(DATABASES)('revocation lists named in certificates, on %s', (on) => {
  let web: Server;
  let origin = '';
  const asked: string[] = [];
  const lists = new Map<string, Buffer>();
  let server: TestServer;
  beforeAll(async () => {
    web = createServer(({ url = '' }, response) => {
      asked.push(url);
      const list = lists.get(url);
      response.writeHead(list ? 200 : 404).end(list);
    });
    origin = `http://127.0.0.1:${await listen(web)}`;
  });
  beforeEach(async () => {
    const options = { mds: [mds], mdsRoots: MDS_ROOTS, crls: ['fetch-anywhere'] };
    server = await TestServer.start({ on, options, speed: FAST });
  });
  afterEach(() => server.stop());
  afterAll(() => web.close());

  /** Advances the clock, and fetches the lists again. */
  const nextDay = () => server.clock.advance(30 * 3_600_000);

  it('revocation lists named in certificates are fetched, refuse listed certificates and cause findings for existing keys', async () => {
    const { maker, leaf, attester } = batch('Maker one', { address: `${origin}/one.crl` });
    lists.set('/one.crl', listBy(maker));
    const { register, found } = await place(server, 'fetched');
    expect(await register(attester)).toMatchObject({
      status: 200,
      body: { attestation: { trusted: true } },
    });
    await until({ lists: 1, revoked: 0, stale: false });
    expect(await found()).toEqual([]);

    lists.set('/one.crl', listBy(maker, leaf));
    nextDay();
    await until({ revoked: 1 });
    expectRefusal(await register(attester), 'E0038R');
    expect(await found()).toMatchObject([{ rule: 'revoked', errorCode: 'E0038R' }]);

    // A list that the authority did not sign, or an older one, replaces nothing.
    lists.set('/one.crl', writeRevocationList({ issuer: { ...maker, keyPair: attester.keyPair } }));
    nextDay();
    await until({ revoked: 1 });
    expect(JSON.stringify(server.logged)).toContain('The authority did not sign the list.');
    const earlier = new Date('2025-01-01T00:00:00Z');
    lists.set('/one.crl', writeRevocationList({ issuer: maker, thisUpdate: earlier }));
    nextDay();
    await until({ revoked: 1 });
    expect(JSON.stringify(server.logged)).toContain('It is older than the one that is here.');
    expectRefusal(await register(attester), 'E0038R');

    lists.set('/one.crl', listBy(maker));
    nextDay();
    await until({ revoked: 0, stale: false });
    expect((await register(attester)).status).toBe(200);
    expect(await found()).toEqual([]);
  });

  it('revocation lists named in certificates are stored for a start without access to them, and a missing one causes a warning', async () => {
    const { maker, leaf, attester } = batch('Maker two', { address: `${origin}/two.crl` });
    const { register } = await place(server, 'kept');
    expect((await register(attester)).status).toBe(200);
    await until({ stale: true });
    const page = await adminClient(server.url).get('/', { accept: 'text/html' });
    expect(page.text).toContain('A revocation list is missing or overdue.');
    lists.set('/two.crl', listBy(maker, leaf));
    nextDay();
    await until({ revoked: 1 });
    expectRefusal(await register(attester), 'E0038R');
    lists.clear();
    const { database } = server;
    const options = { mds: [mds], mdsRoots: MDS_ROOTS, crls: ['fetch-anywhere'] };
    const next = await TestServer.start({ database, options, speed: FAST });
    expectRefusal(await (await place(next, 'next')).register(attester), 'E0038R');
    await next.stop();
  });

  it('revocation lists named in certificates are not fetched for a key that only a relying party’s own anchor proves', async () => {
    const root = createAuthority('Own');
    const { attester } = batch('Maker of their own', { root, address: `${origin}/own.crl` });
    const anchors = [pemOf(root.certificate)];
    const { register } = await place(server, 'own', { anchors });
    expect(await register(attester)).toMatchObject({ body: { attestation: { trusted: true } } });
    const { attester: known } = batch('Maker three', { address: `${origin}/three.crl` });
    await register(known);
    await server.get(FetchedLists).runNow();
    expect(asked).toContain('/three.crl');
    expect(asked).not.toContain('/own.crl');
    const rows = await rowsOf<{ address: string }>(server, 'SELECT address FROM revocation_lists');
    expect(rows.map(({ address }) => address)).not.toContain(`${origin}/own.crl`);
  });

  async function until(state: object) {
    await server.get(FetchedLists).runNow();
    const { body } = await adminClient(server.url).get('/health/ready');
    expect((body as { details: { crls: unknown } }).details.crls).toMatchObject(state);
  }
});

describe('revocation lists in files', () => {
  const crls = join(directory, 'crls');
  const { maker, leaf, attester } = batch('Maker of files');
  let server: TestServer;
  beforeEach(async () => {
    mkdirSync(crls, { recursive: true });
    writeFileSync(join(crls, 'maker.crl'), listBy(maker, leaf));
    const critical = { id: '2.5.29.27', critical: true, value: integer(1) };
    const delta = writeRevocationList({ issuer: maker, extensions: [critical] });
    writeFileSync(join(crls, 'delta.crl'), delta);
    writeFileSync(join(crls, 'notes.txt'), 'hello');
    server = await TestServer.start({
      options: { mds: [mds], mdsRoots: MDS_ROOTS, crls: [crls] },
      speed: FAST,
    });
  });
  afterEach(() => server.stop());

  it.each<[string, NonNullable<RelyingPartyPolicy['trust']>, number, number]>([
    ['refused, where nothing else is said', 'known', 403, 0],
    ['refused, where all must be trusted', 'all', 403, 0],
    ['reported', { mode: 'report', value: 'known' }, 200, 1],
    ['let in', 'off', 200, 0],
  ])(
    'revocation lists in files leave listed certificates to the policy’s rule of trust: %s',
    async (_, trust, status, events) => {
      const name = `files-${JSON.stringify(trust).length}-${status}`;
      const { register } = await place(server, name, { trust });
      expect(await register(attester)).toMatchObject({ status });
      const sql = `SELECT e.detail FROM events e JOIN relying_parties r ON r.id = e.relying_party_id
      WHERE r.domain = ? AND e.kind = 'policy'`;
      const reported = await rowsOf<{ detail: string }>(server, sql, `${name}.example`);
      expect(reported.map(({ detail }) => detail)).toEqual(events ? ['revoked'] : []);
    },
  );

  it('revocation lists in files are counted in /status and /metrics, and the log names refused ones', async () => {
    const { text } = await adminClient(server.url).get('/status');
    expect(text).toMatch(/--crls<\/code><\/th><td data-label="Setting">1 list</);
    const metrics = (await adminClient(server.url).get('/metrics')).text;
    expect(metrics).toContain('servicefido_crl_certificates 1');
    expect(metrics).toContain('servicefido_crl_stale 0');
    expect(JSON.stringify(server.logged)).toContain('It is a delta list, which is not supported');
  });

  it('are read again; a broken one keeps its last content, and an overdue one causes a warning', async () => {
    const { register } = await place(server, 'again');
    const file = join(crls, 'maker.crl');
    const turn = () => {
      server.clock.advance(2 * 60_000);
      return server.get(ListFiles).runNow();
    };
    writeFileSync(file, 'broken');
    await turn();
    expect(JSON.stringify(server.logged)).toContain('maker.crl: It is no certificate revocation');
    expectRefusal(await register(attester), 'E0038R');
    const past = new Date('2026-02-01T00:00:00Z');
    writeFileSync(file, pemList(writeRevocationList({ issuer: maker, nextUpdate: past })));
    await turn();
    expect((await register(attester)).status).toBe(200);
    expect(JSON.stringify(server.logged)).toContain('maker.crl: Its successor is overdue');
    const { text } = await adminClient(server.url).get('/status');
    expect(text).toContain('1 list, overdue');
  });
});

describe('a revocation list in a file', () => {
  const crls = join(directory, 'series');
  const file = (name: string) => join(crls, `${name}.crl`);
  const { maker, leaf, attester } = batch('Maker of a series');
  const listAt = (day: string, ...revoked: readonly Buffer[]) =>
    writeRevocationList({
      issuer: maker,
      revoked: revoked.map((der) => ({ serial: serialOf(der) })),
      thisUpdate: new Date(day),
    });
  let server: TestServer;
  let register: Awaited<ReturnType<typeof place>>['register'];
  beforeEach(async () => {
    rmSync(crls, { recursive: true, force: true });
    mkdirSync(crls);
    writeFileSync(file('march'), listAt('2026-03-01', leaf));
    server = await TestServer.start({
      options: { mds: [mds], mdsRoots: MDS_ROOTS, crls: [crls] },
      speed: FAST,
    });
    ({ register } = await place(server, 'series'));
  });
  afterEach(() => server.stop());

  const turn = () => {
    server.clock.advance(2 * 60_000);
    return server.get(ListFiles).runNow();
  };

  it('replaces nothing if it is older than the one before, in the same file or another', async () => {
    writeFileSync(file('march'), listAt('2026-02-01'));
    await turn();
    expectRefusal(await register(attester), 'E0038R');
    expect(JSON.stringify(server.logged)).toContain('march.crl: It is older than the one that is');
    writeFileSync(file('january'), listAt('2026-01-15'));
    await turn();
    expectRefusal(await register(attester), 'E0038R');
    expect(JSON.stringify(server.logged)).toContain('january.crl: It is older than the one that');
  });

  it('is read again after a clock that was ahead is set back', async () => {
    server.clock.advance(86_400_000);
    await server.get(ListFiles).runNow();
    server.clock.advance(-86_400_000);
    writeFileSync(file('april'), listAt('2026-04-01'));
    await server.get(ListFiles).runNow();
    expect((await register(attester)).status).toBe(200);
  });

  it('counts after its file disappeared, until a later one of the authority arrives', async () => {
    rmSync(file('march'));
    await turn();
    await turn();
    expectRefusal(await register(attester), 'E0038R');
    expect(JSON.stringify(server.logged)).toContain('march.crl: The file no longer exists');
    rmSync(crls, { recursive: true });
    await turn();
    expectRefusal(await register(attester), 'E0038R');
    mkdirSync(crls);
    writeFileSync(file('april'), listAt('2026-04-01'));
    await turn();
    expect((await register(attester)).status).toBe(200);
  });
});

describe('a metadata BLOB whose signer names a revocation list', () => {
  let web: Server;
  let list: Buffer;
  let origin = '';
  beforeAll(async () => {
    web = createServer((_, response) => response.end(list));
    origin = `http://127.0.0.1:${await listen(web)}`;
  });
  afterAll(() => web.close());

  it('a BLOB whose signer names a revocation list is refused while the list contains the signer', async () => {
    const authority = createAuthority('Signers', { issuer: blobRoot(), extensions: AUTHORITY });
    const { keyPair, x5c } = createBlobSigner({
      issuer: authority,
      extensions: [basicConstraints(false), distributionPoints(`${origin}/signers.crl`)],
    });
    const [leaf = Buffer.of()] = x5c;
    const entries = [modelEntry(MODEL)];
    const signer = { keyPair, x5c: [leaf, authority.certificate] };
    const path = testFile(writeBlob({ nextUpdate: '2099-01-01', entries }, signer));
    list = listBy(authority, leaf);
    const options = { mds: [path], mdsRoots: MDS_ROOTS, crls: ['fetch-anywhere'] };
    const server = await TestServer.start({ options, speed: FAST });
    const { register } = await place(server, 'signer', { trust: 'all' });
    const { attester } = batch('Maker in a revoked BLOB');
    await server.get(FetchedLists).runNow();
    await eventually(async () => expectRefusal(await register(attester), 'E0038R'));
    expect(JSON.stringify(server.logged)).toContain('An authority has revoked a certificate');
    const { body } = await adminClient(server.url).get('/userapi/mds');
    expect(body['sources']).toMatchObject([{ no: null, entries: 0, stale: true }]);

    list = listBy(authority);
    server.clock.advance(30 * 3_600_000);
    await server.get(FetchedLists).runNow();
    await eventually(async () => expect((await register(attester)).status).toBe(200));
    await server.stop();
  });
});

describe('a file in --crls', () => {
  it.each([
    ['is missing', join(directory, 'nowhere.crl'), undefined],
    ['is no list', join(directory, 'text.crl'), 'hello'],
  ])('prevents the start if a file in --crls %s', async (_, path, content) => {
    if (content !== undefined) writeFileSync(path, content);
    await expect(TestServer.start({ options: { crls: [path] } })).rejects.toThrow(/^--crls: /);
  });
});

function listBy(issuer: Authority, ...revoked: readonly Buffer[]) {
  return writeRevocationList({
    issuer,
    revoked: revoked.map((der) => ({ serial: serialOf(der) })),
  });
}

function pemList(der: Buffer) {
  return `-----BEGIN X509 CRL-----\n${der.toString('base64')}\n-----END X509 CRL-----\n`;
}

/** A batch of keys with one certificate, of an authority of their maker's. */
function batch(title: string, { root = attestationRoot(), address = '' } = {}) {
  const named = address === '' ? [] : [distributionPoints(address)];
  const maker = createAuthority(title, { issuer: root, extensions: AUTHORITY });
  const attester = createAttester(AAGUID, {
    issuer: maker,
    extensions: [basicConstraints(false), aaguidExtension(AAGUID), ...named],
  });
  const [leaf = Buffer.of()] = attester.x5c;
  return { maker, leaf, attester: { ...attester, x5c: [leaf, maker.certificate] } };
}

async function place(server: TestServer, name: string, policy: RelyingPartyPolicy = {}) {
  const domain = `${name}.example`;
  await server.addRelyingParty('acme', { domain, policy });
  const admin = new AdminClient(server.url, domain);
  return {
    register: async (attester: Attester) => {
      const authenticator = new SoftAuthenticator({
        attestation: (input) => STATEMENTS.packed({ ...input, attester }),
        aaguid: AAGUID,
      });
      const at = { relyingParty: domain, authenticator };
      const username = `user-${Math.random().toString(36).slice(2)}`;
      return new FidoClient(server.url, at).register(username, { attestation: 'direct' });
    },
    found: async () => {
      await evaluateKeys(server);
      return (await admin.get('/userapi/findings')).body['findings'];
    },
  };
}
