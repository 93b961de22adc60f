import { createServer, type Server } from 'node:http';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { jest } from '@jest/globals';
import type { ServerOptions } from '../../src/platform/config/server-config.js';
import type { RelyingPartyPolicy } from '../../src/tenancy/policy/policy.js';
import { MetadataStore } from '../../src/trust/metadata/metadata-store.js';
import { NO_AAGUID, aaguidBytes } from '../../src/webauthn/aaguid.js';
import { keyIdentifierOf } from '../../src/webauthn/metadata/metadata-index.js';
import { accountsFile, clientOf } from '../support/accounts.js';
import {
  aaguidExtension,
  basicConstraints,
  createAuthority,
} from '../../packages/testing/src/certificate-writer.js';
import { integer } from '../../packages/testing/src/der-writer.js';
import { SoftAuthenticator } from '../../packages/testing/src/soft-authenticator.js';
import {
  attestationRoot,
  createAttester,
  type Attester,
} from '../../packages/testing/src/attester.js';
import { adminClient } from '../support/client.js';
import { DATABASES, EVERY_DATABASE, REDIS_URL } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { FidoClient } from '../support/fido-client.js';
import { listen } from '../support/listen.js';
import {
  blobEntry,
  createBlobSigner,
  writeBlob,
  type BlobContent,
  type BlobSigner,
} from '../../packages/testing/src/blob-writer.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { rowsOf } from '../support/rows.js';
import { createServerDatabase } from '../support/server-database.js';
import { policyPlace } from '../support/policy-place.js';
import { MDS_ROOTS, modelEntry } from '../support/metadata.js';
import { testFile } from '../support/test-file.js';
import { FAST, TestServer } from '../support/test-server.js';

const GOOD = ['900d0000-0000-4000-8000-000000000001', 'Good key'] as const;
const REVOKED = ['0bad0000-0000-4000-8000-000000000002', 'Revoked key'] as const;
const OLD = ['01d00000-0000-4000-8000-000000000003', 'Old key'] as const;
const FLAWED = ['f1a00000-0000-4000-8000-000000000005', 'Flawed key'] as const;
const STRANGER = '57a00000-0000-4000-8000-000000000004';

const PNG = 'data:image/png;base64,iVBORw0KGgo=';
/** A status that no version of the standard defines; the server must ignore it. */
const LATER = { status: 'CC_CERTIFIED_EAL5', effectiveDate: '2026-02-01' };
const NEXT_UPDATE = '2099-01-01';

interface Source {
  source: string;
  no: number | null;
  entries: number;
  stale: boolean;
  error: string;
}

describe.each(DATABASES)('the metadata from a file on %s', (on) => {
  let server: TestServer;
  const file = testFile(blob());
  beforeAll(begin);
  afterAll(() => server.stop());

  it('the metadata from a file are shown with their folder only to accounts of all tenants', async () => {
    const sourceFor = async (name: string) => {
      const { body } = await clientOf(server.url, name).get('/userapi/mds');
      return (body['sources'] as Source[])[0]?.source;
    };
    expect(await sourceFor('auditor')).toBe(file);
    expect(await sourceFor('acme-auditor')).toBe(basename(file));
  });

  it('make a model trusted by its roots, and provide its name', async () => {
    expect(await register(GOOD[0], { trust: 'enforce' })).toMatchObject({
      status: 200,
      body: {
        authenticatorName: 'Good key',
        attestation: { format: 'packed', type: 'basic', trusted: true },
      },
    });
    const names = await rowsOf<{ name: string }>(
      server,
      'SELECT device_name AS name FROM credentials ORDER BY id',
    );
    expect(names.at(-1)?.name).toBe('Good key');
  });

  it('refuse a model for a bad status, even if a later status is unknown', async () => {
    expectRefusal(await register(REVOKED[0]), 'E0038R');
    expectRefusal(await register(REVOKED[0], { trust: 'enforce' }), 'E0038R');
  });

  it.each([
    ['reported', { mode: 'report' }],
    ['a warning by policy', { REVOKED: 'warn' }],
  ] as [string, RelyingPartyPolicy['status']][])(
    'adds an event for a bad status when it is %s',
    async (_, status) => {
      expect(await register(REVOKED[0], { status: status ?? {} })).toMatchObject({ status: 200 });
      expect(await lastEvent()).toEqual({ detail: 'status', code: 'E0038R' });
    },
  );

  it('cause no event for a status that the policy accepts or ignores', async () => {
    const before = await lastEvent();
    for (const status of [{ REVOKED: 'accept' }, { mode: 'off' }] as const) {
      expect(await register(REVOKED[0], { status })).toMatchObject({ status: 200 });
    }
    expect(await lastEvent()).toEqual(before);
  });

  it('register a model of bad status with a warning and an event, or refuse it by policy', async () => {
    expect(await register(OLD[0])).toMatchObject({ status: 200 });
    expect(await lastEvent()).toEqual({ detail: 'status', code: 'E0038R' });
    expectRefusal(await register(OLD[0], { status: { UPDATE_AVAILABLE: 'refuse' } }), 'E0038R');
  });

  it('make no unknown model trusted', async () => {
    expect(await register(STRANGER)).toMatchObject({
      status: 200,
      body: { attestation: { trusted: false } },
    });
    expectRefusal(await register(STRANGER, { trust: 'enforce' }), 'E0038R');
  });

  it('make no model trusted under another root, and refuse an expired leaf (E1008R)', async () => {
    const issuer = createAuthority('Somebody Else');
    const foreign = createAttester(aaguidBytes(GOOD[0]), { issuer });
    expectRefusal(await register(GOOD[0], { trust: 'enforce' }, foreign), 'E0038R');
    const notAfter = new Date('2021-01-01T00:00:00Z');
    const expired = createAttester(aaguidBytes(GOOD[0]), { notAfter });
    expectRefusal(await register(GOOD[0], { trust: 'enforce' }, expired), 'E1008R');
  });

  it.each([
    ['no JWT', 'E0045R', 'hello'],
    ['nothing', 'E0045R', ''],
    ['a changed payload', 'E0045R', blob({ no: 99 }).replace(/\.(.)/, '.X$1')],
    ['the algorithm none', 'E0045R', writeBlob({ no: 99 }, createBlobSigner(), { alg: 'none' })],
    ['HS256', 'E0045R', writeBlob({ no: 99 }, createBlobSigner(), { alg: 'HS256' })],
    [
      'a signer under another root',
      'E0045R',
      writeBlob({ no: 99 }, createBlobSigner({ issuer: createAuthority('Mallory') })),
    ],
    [
      'a signer that has expired',
      'E0045R',
      blob({ no: 99 }, createBlobSigner({ notAfter: new Date('2022-01-01T00:00:00Z') })),
    ],
    [
      'a signer that is not valid yet',
      'E0045R',
      blob({ no: 99 }, createBlobSigner({ notBefore: new Date('2098-01-01T00:00:00Z') })),
    ],
    ['no entries', 'E0045R', writeBlob({ no: 99, entries: 'none' })],
  ])('the metadata from a file are not replaced by an upload of %s: %s', async (_, code, jwt) => {
    const before = await sourcesButTheirAge(server);
    expect(await upload(server, jwt)).toMatchObject({ status: 400, body: { errorCode: code } });
    expect(await sourcesButTheirAge(server)).toEqual(before);
  });

  it.each(['blob', 'none'])(
    'refuses a form without a file in the field "file": %s',
    async (field) => {
      const body = new FormData();
      if (field === 'none') body.set('file', 'no file');
      else body.set(field, new Blob([blob({ no: 99 })]), 'blob.jwt');
      const sent = await adminClient(server.url).send('/userapi/mds', { method: 'POST', body });
      expect(sent).toMatchObject({ status: 400, body: { errorCode: 'E0045R' } });
    },
  );

  it('the metadata from a file are not replaced by other content types (E0048R) or more than 32 MiB (E0041R)', async () => {
    expect(await upload(server, blob({ no: 99 }), 'image/png')).toMatchObject({ status: 415 });
    const large = 'x'.repeat(33 * 1024 * 1024);
    expect(await upload(server, large)).toMatchObject({ status: 413 });
    const body = new FormData();
    body.set('file', new Blob([large]), 'blob.jwt');
    const sent = await adminClient(server.url).send('/userapi/mds', { method: 'POST', body });
    expect(sent).toMatchObject({ status: 413, body: { errorCode: 'E0041R' } });
  });

  describe('with a server of its own', () => {
    afterEach(async () => {
      await server.stop();
      await begin();
    });

    it('the metadata from a file are replaced by an upload of a newer BLOB as text, JOSE or a form, and never by an older one', async () => {
      expect(await upload(server, blob({ no: 11 }))).toMatchObject({
        status: 200,
        body: { status: 'ok', errorMessage: '', no: 11, nextUpdate: NEXT_UPDATE, entries: 3 },
      });
      expect(await upload(server, blob({ no: 12 }), 'text/plain')).toMatchObject({
        body: { no: 12 },
      });
      const form = new FormData();
      form.set('file', new Blob([blob({ no: 13, entries: [model(GOOD)] })]), 'blob.jwt');
      const sent = await adminClient(server.url).send('/userapi/mds', {
        method: 'POST',
        body: form,
      });
      expect(sent).toMatchObject({ status: 200, body: { no: 13, entries: 1 } });
      const again = new FormData();
      again.set('file', new Blob([blob({ no: 14, entries: [model(GOOD)] })]), 'blob.jwt');
      const admin = adminClient(server.url);
      const [{ source = '' } = {}] = await sourcesOf(server);
      const form14 = `/userapi/mds/upload?source=${encodeURIComponent(source)}`;
      const led = await admin.send(form14, { method: 'POST', body: again });
      const page = await admin.get(led.headers.get('location') ?? '', { accept: 'text/html' });
      expect(page.text).toContain('The BLOB is loaded: number 14, with 1 model.');
      for (const no of [14, 12, 0]) {
        expect(await upload(server, blob({ no }))).toMatchObject({
          status: 400,
          body: {
            errorCode: 'E0045R',
            errorMessage: expect.stringContaining('not newer than the stored number 14'),
          },
        });
      }
      expect(await sourcesOf(server)).toMatchObject([{ no: 14, entries: 1, stale: false }]);
      // A model that the new BLOB no longer lists is unknown from now on.
      expectRefusal(await register(OLD[0], { trust: 'enforce' }), 'E0038R');
    });

    it('the metadata from a file have their state in /status, /health/ready and /metrics', async () => {
      const admin = adminClient(server.url);
      await upload(server, blob({ no: 11, entries: [model(GOOD)] }));
      expect((await admin.get('/status')).text).toMatch(
        /--mds<\/code><\/th><td data-label="Setting">1 model/,
      );
      expect(await admin.get('/health/ready')).toMatchObject({
        status: 200,
        body: { details: { metadata: { status: 'up', entries: 1, stale: false } } },
      });
      expect((await admin.get('/metrics')).text).toContain('servicefido_mds_entries 1');
      server.clock.advance(100 * 365 * 86_400_000);
      expect(await admin.get('/health/ready')).toMatchObject({
        status: 200,
        body: { details: { metadata: { status: 'up', stale: true } } },
      });
      expect((await admin.get('/status')).text).toContain('is overdue.</strong>');
    });

    it('the metadata from a file are not replaced by an older state that was read before an upload', async () => {
      const store = server.get(MetadataStore);
      const states = store.states.bind(store);
      let sent: ReturnType<typeof upload> | undefined;
      jest.spyOn(store, 'states').mockImplementationOnce(async () => {
        const old = await states();
        sent = upload(server, blob({ no: 20 }));
        await Promise.race([sent, pause(500)]);
        return old;
      });
      await eventually(() => {
        expect(sent).toBeDefined();
      });
      expect(await sent).toMatchObject({ status: 200, body: { no: 20 } });
      for (let look = 0; look < 20; look += 1) {
        expect(await sourcesOf(server)).toMatchObject([{ no: 20 }]);
        await pause(50);
      }
    });
  });

  async function begin() {
    const options = { mds: [file], mdsRoots: MDS_ROOTS, accounts: accountsFile() };
    server = await TestServer.start({ on, options, speed: FAST });
    await loaded(server);
  }

  async function register(
    aaguid: string,
    policy: RelyingPartyPolicy = {},
    attester = createAttester(aaguidBytes(aaguid)),
  ) {
    const { newUser } = await policyPlace(server, policy);
    const device = { attestation: 'packed', aaguid: aaguidBytes(aaguid), attester } as const;
    return newUser(device).register('ida', { attestation: 'direct' });
  }

  async function lastEvent() {
    return (
      await rowsOf<{ kind: string; detail: string; code: string }>(
        server,
        "SELECT detail, code FROM events WHERE kind = 'policy' ORDER BY id",
      )
    ).at(-1);
  }
});

describe('the metadata from the web', () => {
  let web: Server;
  let answer: { status: number; body: string; headers?: Record<string, string> };
  let requests: (string | undefined)[] = [];
  let address = '';
  beforeAll(async () => {
    web = createServer((request, response) => {
      const { 'if-none-match': tag, 'cache-control': cached } = request.headers;
      requests.push(tag);
      // Express, for example, answers a request with "no-cache" with the whole content again.
      const isFresh =
        tag !== undefined && tag === answer.headers?.['etag'] && cached !== 'no-cache';
      if (isFresh) response.writeHead(304).end();
      else response.writeHead(answer.status, answer.headers).end(answer.body);
    });
    address = `http://127.0.0.1:${await listen(web)}/blob`;
  });
  beforeEach(() => {
    answer = { status: 200, body: blob() };
    requests = [];
  });
  afterAll(() => web.close());

  const DAY = 86_400_000;
  /** A date that begins in half a day, or up to a day later: not during the test. */
  const inADay = () => new Date(Date.now() + 1.5 * DAY).toISOString().slice(0, 10);

  it('the metadata from the web are fetched on the announced day, and the last good BLOB remains', async () => {
    const nextUpdate = inADay();
    answer = { status: 200, body: blob({ nextUpdate }), headers: { etag: '"ten"' } };
    const server = await start(address);
    await loaded(server);
    expect(await sourcesOf(server)).toMatchObject([{ no: 10, entries: 3, stale: false }]);
    answer = { status: 503, body: 'down' };
    server.clock.advance(2 * DAY);
    await eventually(async () => {
      const error = 'The source answered with status 503.';
      expect(await sourcesOf(server)).toMatchObject([{ no: 10, entries: 3, stale: true, error }]);
    });
    expect(requests).toEqual([undefined, '"ten"']);
    answer = { status: 200, body: blob({ no: 9, nextUpdate: NEXT_UPDATE }) };
    server.clock.advance(DAY);
    await eventually(async () => {
      const error = expect.stringContaining('not newer than the stored number 10');
      expect(await sourcesOf(server)).toMatchObject([{ no: 10, error }]);
    });
    answer = { status: 200, body: blob({ no: 11 }) };
    server.clock.advance(DAY);
    await eventually(async () => {
      expect(await sourcesOf(server)).toMatchObject([{ no: 11, stale: false, error: '' }]);
    });
    await server.stop();
  });

  it('the metadata from the web are not transferred again if they are unchanged', async () => {
    const nextUpdate = inADay();
    const headers = { etag: '"ten"' };
    answer = { status: 200, body: blob({ nextUpdate }), headers };
    const server = await start(address);
    await loaded(server);
    answer = { status: 200, body: 'sent again', headers };
    for (const asked of [2, 3]) {
      server.clock.advance(2 * DAY);
      // The days may pass while the source is asked: then it is due once more.
      await eventually(() => expect(requests.length).toBeGreaterThanOrEqual(asked));
    }
    expect(await sourcesOf(server)).toMatchObject([{ no: 10, entries: 3, error: '' }]);
    await server.stop();
  });

  it('the metadata from the web come from the database after a start without their source', async () => {
    const database = await createServerDatabase('SQLite');
    const options = { mds: [address], mdsRoots: MDS_ROOTS };
    const first = await TestServer.start({ database, options, speed: FAST });
    await loaded(first);
    await first.stop();
    answer = { status: 500, body: '' };
    const again = await TestServer.start({ database, options, speed: FAST });
    expect(await sourcesOf(again)).toMatchObject([{ no: 10, entries: 3 }]);
    await again.stop();
    await database.remove();
  });

  it.each([
    ['a broken signature', { status: 200, body: blob().slice(0, -8) }, /signature|JWT/],
    ['an endless redirect', { status: 302, body: '', headers: { location: '/blob' } }, /redirects/],
    [
      'a redirect to a file',
      { status: 302, body: '', headers: { location: 'file:///etc/passwd' } },
      /redirects/,
    ],
    ['more than 32 MiB', { status: 200, body: 'x'.repeat(33 * 1024 * 1024) }, /larger than 32 MiB/],
  ])(
    'the metadata from the web are missing after a start if the source has %s',
    async (_, given, error) => {
      answer = given;
      const server = await start(address);
      await eventually(async () => {
        const [source] = await sourcesOf(server);
        expect(source).toMatchObject({ no: null, stale: true });
        expect(source?.error).toMatch(error);
      });
      expect((await adminClient(server.url).get('/health/ready')).status).toBe(200);
      await server.stop();
    },
  );

  if (REDIS_URL !== undefined && EVERY_DATABASE.includes('MariaDB')) {
    it('the metadata from the web are fetched by one of two instances and noticed by the other', async () => {
      const database = await createServerDatabase('MariaDB');
      const options = { mds: [address], mdsRoots: MDS_ROOTS, sessions: `${REDIS_URL}` };
      const here = await TestServer.start({ database, options, speed: FAST });
      const there = await TestServer.start({ database, options, speed: FAST });
      await loaded(there);
      expect(requests).toHaveLength(1);
      await upload(here, blob({ no: 20 }));
      await eventually(async () => {
        expect(await sourcesOf(there)).toMatchObject([{ no: 20 }]);
      });
      // The last known state of a model reaches the other instance too.
      const entries = [{ ...model(GOOD), statusReports: null }, model(OLD)];
      await upload(here, blob({ no: 21, entries }));
      await eventually(async () => {
        expect(await sourcesOf(there)).toMatchObject([{ no: 21, entries: 2, skippedEntries: 1 }]);
      });
      await here.stop();
      await there.stop();
      await database.remove();
    });
  }
});

describe.each(DATABASES)('a metadata BLOB with unreadable parts on %s', (on) => {
  it('updates the other models, and keeps the last known state of a model after a restart', async () => {
    const database = await createServerDatabase(on);
    const options = { mds: ['upload'], mdsRoots: MDS_ROOTS };
    const first = await TestServer.start({ database, options, speed: FAST });
    const register = (server: TestServer, aaguid: string) =>
      new FidoClient(server.url, {
        authenticator: new SoftAuthenticator({
          attestation: 'packed',
          aaguid: aaguidBytes(aaguid),
        }),
      }).register(`user-${Math.random()}`, { attestation: 'direct' });
    const trusted = { status: 200, body: { attestation: { trusted: true } } };
    expect((await upload(first, blob({ entries: [model(GOOD), model(REVOKED)] }))).status).toBe(
      200,
    );
    expect(await register(first, REVOKED[0])).toMatchObject(trusted);

    const odd = model(GOOD, 'REVOKED', { effectiveDate: '' });
    const picture = blobEntry(OLD[0], { icon: null });
    for (const no of [11, 12]) {
      const entries = [odd, model(REVOKED, 'REVOKED'), picture, null];
      expect(await upload(first, blob({ no, entries }))).toMatchObject({
        status: 200,
        body: { no, entries: 3, skippedEntries: 2, skippedMembers: 1 },
      });
      expect(await register(first, GOOD[0])).toMatchObject(trusted);
      expectRefusal(await register(first, REVOKED[0]), 'E0038R');
    }
    await first.stop();

    const second = await TestServer.start({ database, options, speed: FAST });
    expect(await register(second, GOOD[0])).toMatchObject(trusted);
    const admin = adminClient(second.url);
    const html = { accept: 'text/html' };
    const page = await admin.get('/userapi/mds', html);
    expect(page.text).toMatch(/Entries that cannot be read[^<]*<\/th><td>2</);
    expect(page.text).toMatch(/Unreadable details without effect<\/th><td>1</);
    expect((await admin.get('/status', html)).text).toContain('data-label="Unreadable entries">2');
    const { text } = await admin.get('/metrics');
    expect(text).toMatch(/servicefido_mds_skipped_entries(?:\{.*\})? 2/);
    expect(text).toMatch(/servicefido_mds_skipped_members(?:\{.*\})? 1/);
    expect((await upload(second, blob({ no: 13, entries: [model(GOOD)] }))).body).toMatchObject({
      entries: 1,
      skippedEntries: 0,
    });
    await second.stop();
    await database.remove();
  });
});

describe('the sources of metadata', () => {
  it('metadata files load only if their signer was valid when the BLOB was made', async () => {
    const expired = createBlobSigner({ notAfter: new Date('2022-01-01T00:00:00Z') });
    const current = testFile(blob({}, expired));
    const archived = testFile(
      blob(
        {
          nextUpdate: '2021-12-01',
          entries: [{ ...model(GOOD), timeOfLastStatusChange: '2021-11-01' }],
        },
        expired,
      ),
    );
    const server = await TestServer.start({
      options: { mds: [current, archived], mdsRoots: MDS_ROOTS },
      speed: FAST,
    });
    const error = expect.stringContaining('is expired or not valid yet');
    expect(await sourcesOf(server)).toMatchObject([
      { no: null, error },
      { no: 10, entries: 1 },
    ]);
    await server.stop();
  });

  it('several metadata sources apply together, and an upload names its own', async () => {
    const own = testFile(
      blob({ no: 3, entries: [model(['0e000000-0000-4000-8000-000000000005', 'x'])] }),
    );
    const options = { mds: [testFile(blob()), own, 'upload'], mdsRoots: MDS_ROOTS };
    const server = await TestServer.start({ options, speed: FAST });
    expect(await sourcesOf(server)).toMatchObject([{ no: 10 }, { no: 3 }, { no: null }]);
    expect(await upload(server, blob({ no: 4 }))).toMatchObject({
      status: 400,
      body: { errorMessage: expect.stringContaining('Name the source') },
    });
    const admin = adminClient(server.url);
    const jose = { 'content-type': 'application/jose' };
    expect(await admin.post('/userapi/mds?source=upload', blob({ no: 1 }), jose)).toMatchObject({
      status: 200,
      body: { no: 1 },
    });
    await server.stop();
  });

  it('the pages of metadata are off without --mds (E0046R)', async () => {
    const server = await TestServer.start();
    for (const answer of [
      await adminClient(server.url).get('/userapi/mds'),
      await upload(server, blob()),
    ]) {
      expect(answer).toMatchObject({ status: 404, body: { errorCode: 'E0046R' } });
    }
    await server.stop();
  });

  it('--conformance on with metadata trusts only the metadata', async () => {
    const server = await start(testFile(blob()), { conformance: true });
    const register = (attestation: 'none' | 'packed', aaguid: string) =>
      new FidoClient(server.url, {
        authenticator: new SoftAuthenticator({ attestation, aaguid: aaguidBytes(aaguid) }),
      }).register(`user-${Math.random()}`);
    expect((await register('none', STRANGER)).status).toBe(200);
    expect((await register('packed', GOOD[0])).status).toBe(200);
    expectRefusal(await register('packed', STRANGER), 'E0038R');
    await server.stop();
  });

  it("--conformance on trusts the models of a directory of metadata statements, the form of FIDO's tool", async () => {
    const statements = mkdtempSync(join(tmpdir(), 'servicefido-test-'));
    const attester = createAttester(Buffer.alloc(16));
    const u2f = {
      description: 'U2F key',
      protocolFamily: 'u2f',
      attestationTypes: ['basic_full'],
      authenticationAlgorithms: ['secp256r1_ecdsa_sha256_raw'],
      attestationCertificateKeyIdentifiers: attester.x5c.map(keyIdentifierOf),
      attestationRootCertificates: [attestationRoot().certificate.toString('base64')],
    };
    const uaf = { description: 'UAF authenticator', aaid: '1234#5678' };
    const stated = [model(GOOD).metadataStatement, model(REVOKED).metadataStatement, u2f, uaf];
    stated.forEach((statement, n) => {
      writeFileSync(join(statements, `${n}.json`), JSON.stringify(statement));
    });
    writeFileSync(join(statements, 'README.txt'), 'not a statement');
    const revoking = testFile(blob({ entries: [model(REVOKED, 'REVOKED')] }));
    const mds = [revoking, statements];
    const server = await TestServer.start({
      options: { mds, mdsRoots: MDS_ROOTS, conformance: true },
      speed: FAST,
    });
    const register = (attestation: 'packed' | 'fido-u2f', aaguid: string, by?: Attester) =>
      new FidoClient(server.url, {
        authenticator: new SoftAuthenticator({
          attestation,
          aaguid: aaguidBytes(aaguid),
          ...(by && { attester: by }),
        }),
      }).register(`user-${Math.random()}`);
    for (const answer of [
      await register('packed', GOOD[0]),
      await register('fido-u2f', NO_AAGUID, attester),
    ]) {
      expect(answer).toMatchObject({ status: 200, body: { attestation: { trusted: true } } });
    }
    expectRefusal(await register('packed', STRANGER), 'E0038R');
    // The entry of a BLOB counts before a statement of the same model.
    expectRefusal(await register('packed', REVOKED[0]), 'E0038R');
    await server.stop();
  });
});

describe('a status report about firmware', () => {
  const PROBLEM = { status: 'USER_VERIFICATION_BYPASS', authenticatorVersion: 5 };
  const UPDATE = { status: 'UPDATE_AVAILABLE', effectiveDate: '2026-02-01' };
  let server: TestServer;
  let uploads = 0;
  beforeAll(async () => {
    server = await start('upload');
    const policy: RelyingPartyPolicy = { trust: 'off', aaguid: 'reported' };
    await server.addRelyingParty('acme', { domain: 'firmware.example', policy });
  });
  afterAll(() => server.stop());

  /** Loads an entry with these reports, whose statement is about firmware 6 and later. */
  async function report(...later: readonly object[]) {
    const entry = model(FLAWED, PROBLEM.status, PROBLEM, ...later);
    const metadataStatement = { ...entry.metadataStatement, authenticatorVersion: 6 };
    uploads += 1;
    const entries = [{ ...entry, metadataStatement }];
    expect((await upload(server, blob({ no: uploads, entries }))).status).toBe(200);
  }

  function register(version: number | undefined, issuer = attestationRoot()) {
    const aaguid = aaguidBytes(FLAWED[0]);
    const firmware = version === undefined ? [] : [firmwareExtension(version)];
    const extensions = [basicConstraints(false), aaguidExtension(aaguid), ...firmware];
    const attester = createAttester(aaguid, { issuer, extensions });
    return new FidoClient(server.url, {
      relyingParty: 'firmware.example',
      authenticator: new SoftAuthenticator({ attestation: 'packed', aaguid, attester }),
    }).register('ida', { attestation: 'direct' });
  }

  it('refuses its version and later ones while there is no update', async () => {
    await report();
    expect((await register(4)).status).toBe(200);
    for (const version of [5, 6]) expectRefusal(await register(version), 'E0038R');
    expectRefusal(await register(undefined), 'E0038R');
    expectRefusal(await register(4, createAuthority('Somebody')), 'E0038R');
  });

  it.each([
    ['of its version', { ...UPDATE, authenticatorVersion: 6 }],
    ["of the statement's version", UPDATE],
  ])('refuses firmware below an update %s, and accepts unknown firmware', async (_, update) => {
    await report(update);
    expectRefusal(await register(5), 'E0038R');
    for (const version of [6, 7, undefined]) expect((await register(version)).status).toBe(200);
  });
});

function firmwareExtension(version: number) {
  return {
    id: '1.3.6.1.4.1.45724.1.1.5',
    value: integer(version),
  };
}

function model(
  [aaguid, description]: readonly [string, string],
  status = 'FIDO_CERTIFIED',
  report: object = {},
  ...later: readonly object[]
) {
  return modelEntry(
    aaguid,
    { description, icon: PNG },
    { statusReports: [{ status, effectiveDate: '2026-01-01', ...report }, ...later] },
  );
}

function blob(content: BlobContent = {}, signer?: BlobSigner): string {
  return writeBlob(
    {
      no: 10,
      nextUpdate: NEXT_UPDATE,
      entries: [
        model(GOOD, 'FIDO_CERTIFIED', {}, LATER),
        model(REVOKED, 'REVOKED', {}, LATER),
        model(OLD, 'UPDATE_AVAILABLE'),
      ],
      ...content,
    },
    signer,
  );
}

async function sourcesOf(server: TestServer): Promise<Source[]> {
  const { body } = await adminClient(server.url).get('/userapi/mds');
  return body['sources'] as Source[];
}

/** A start waits only some seconds for its sources. */
function loaded(server: TestServer) {
  return eventually(async () => expect(await sourcesOf(server)).toMatchObject([{ no: 10 }]));
}

/** The figures that do not change with time. */
async function sourcesButTheirAge(server: TestServer) {
  return (await sourcesOf(server)).map((source) => ({ ...source, age: undefined }));
}

function upload(server: TestServer, jwt: string, type = 'application/jose') {
  return adminClient(server.url).post('/userapi/mds', jwt, { 'content-type': type });
}

function start(mds: string, more: Partial<ServerOptions> = {}) {
  return TestServer.start({ options: { mds: [mds], mdsRoots: MDS_ROOTS, ...more }, speed: FAST });
}
