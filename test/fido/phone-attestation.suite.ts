import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServerOptions } from '../../src/platform/config/server-config.js';
import type { RelyingPartyPolicy } from '../../src/tenancy/policy/policy.js';
import { createAuthority } from '../support/authenticator/certificate-writer.js';
import { SoftAuthenticator } from '../support/authenticator/soft-authenticator.js';
import { attestationRoot, type Attestation } from '../support/authenticator/statements.js';
import { adminClient, type Answer } from '../support/client.js';
import { FidoClient } from '../support/fido-client.js';
import { blobEntry, blobRoot, writeBlob } from '../support/metadata/blob-writer.js';
import { pemOf } from '../support/pem.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { TestServer } from '../support/test-server.js';

/** A model that metadata knows with the root under which the phones of these tests attest. */
const PHONE = '0f0e0000-0000-4000-8000-000000000001';
/** A model that metadata knows with a root of its own. */
const KEY = '0e100000-0000-4000-8000-000000000002';
const UNKNOWN = '0c000000-0000-4000-8000-000000000003';
/** The relying party trusts whatever the phones' root vouches for. */
const ANCHORS = [pemOf(attestationRoot().certificate)];

const directory = mkdtempSync(join(tmpdir(), 'servicefido-test-'));
const mdsRoots = join(directory, 'roots.pem');
writeFileSync(mdsRoots, pemOf(blobRoot().certificate));
const mds = join(directory, 'blob.jwt');
const entryOf = (aaguid: string, { certificate }: { certificate: Buffer }) =>
  blobEntry(aaguid, { attestationRootCertificates: [certificate.toString('base64')] });
writeFileSync(
  mds,
  writeBlob({
    nextUpdate: '2099-01-01',
    entries: [entryOf(PHONE, attestationRoot()), entryOf(KEY, createAuthority('Makers of keys'))],
  }),
);
const METADATA: Partial<ServerOptions> = { mds: [mds], mdsRoots };

let count = 0;
async function register(
  server: TestServer,
  [attestation, aaguid]: readonly [Attestation, string],
  policy: RelyingPartyPolicy,
): Promise<Answer> {
  count += 1;
  const domain = `phones-${count}.example`;
  await server.addRelyingParty('acme', { domain, policy });
  return new FidoClient(server.url, {
    relyingParty: domain,
    origin: `https://${domain}`,
    authenticator: new SoftAuthenticator({
      attestation,
      aaguid: Buffer.from(aaguid.replaceAll('-', ''), 'hex'),
    }),
  }).register('kim');
}

describe('the AAGUID of a phone’s attestation, which the app chose', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ options: METADATA });
  });
  afterAll(() => server.stop());
  const allow = (...aaguids: string[]) => ({ allow: aaguids, anchors: ANCHORS });

  it.each<[string, string]>([
    ['whose metadata has other anchors', KEY],
    ['that the metadata does not know', UNKNOWN],
  ])('§8.4 is ignored for a model %s, however trusted the phone is', async (_, aaguid) => {
    expectRefusal(await register(server, ['android-key', aaguid], allow(aaguid)), 'E0037R');
    const trusting = { trust: 'enforce', anchors: ANCHORS } as const;
    expect(await register(server, ['android-key', aaguid], trusting)).toMatchObject({
      status: 200,
      body: { attestation: { format: 'android-key', trusted: true } },
    });
  });

  it('§8.4 counts for a model whose metadata contains the anchor of the phone', async () => {
    expect(await register(server, ['android-key', PHONE], { allow: [PHONE] })).toMatchObject({
      status: 200,
      body: { aaguid: PHONE, attestation: { trusted: true } },
    });
  });

  it('§8.2 counts with any anchor for a packed certificate, which must contain the model', async () => {
    const answer = await register(server, ['packed', UNKNOWN], allow(UNKNOWN));
    expect(answer).toMatchObject({ status: 200, body: { aaguid: UNKNOWN } });
  });
});

it.each<[string, Partial<ServerOptions>, string, 'E0037R' | undefined]>([
  ['without metadata', {}, KEY, 'E0037R'],
  ['of a model with other anchors', METADATA, KEY, 'E0037R'],
  ['of a model with these anchors', METADATA, PHONE, undefined],
])('the whitelist checks a phone %s in the same way', async (_, options, aaguid, code) => {
  const server = await TestServer.start({ options: { ...options, aaguid: true } });
  await adminClient(server.url).post('/userapi/aaguid', { aaguid });
  const answer = await register(server, ['android-key', aaguid], { anchors: ANCHORS });
  if (code) expectRefusal(answer, code);
  else expect(answer.status).toBe(200);
  await server.stop();
});

describe('android-safetynet, whose service has ended', () => {
  const NET = ['android-safetynet', PHONE] as const;
  const accepted = { status: 200, body: { attestation: { format: 'android-safetynet' } } };
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  it.each<[string, RelyingPartyPolicy]>([
    ['no policy', {}],
    ['a policy of other formats', { formats: ['packed', 'android-key'] }],
    ['a policy that is off', { formats: { mode: 'off', list: ['android-safetynet'] } }],
  ])('is an unknown format under %s: E1004R', async (_, policy) => {
    expectRefusal(await register(server, NET, policy), 'E1004R');
  });

  it.each<[string, RelyingPartyPolicy]>([
    ['enforced', { formats: ['android-safetynet'] }],
    ['reported', { formats: { mode: 'report', list: ['packed', 'android-safetynet'] } }],
  ])('is verified if the policy lists it, %s', async (_, policy) => {
    expect(await register(server, NET, policy)).toMatchObject(accepted);
  });

  it('is verified with --conformance on', async () => {
    const conforming = await TestServer.start({ options: { conformance: true } });
    expect(await register(conforming, NET, {})).toMatchObject(accepted);
    await conforming.stop();
  });
});
