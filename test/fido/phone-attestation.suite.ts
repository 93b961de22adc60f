import type { ServerOptions } from '../../src/platform/config/server-config.js';
import type { RelyingPartyPolicy } from '../../src/tenancy/policy/policy.js';
import { createAuthority } from '../../packages/testing/src/certificate-writer.js';
import { attestationRoot } from '../../packages/testing/src/attester.js';
import { type Attestation } from '../../packages/testing/src/statements.js';
import { adminClient, type Answer } from '../support/client.js';
import { writeBlob } from '../../packages/testing/src/blob-writer.js';
import { pemOf } from '../../packages/testing/src/pem.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { policyPlace } from '../support/policy-place.js';
import { MDS_ROOTS, modelEntry } from '../support/metadata.js';
import { testFile } from '../support/test-file.js';
import { TestServer } from '../support/test-server.js';
import { aaguidBytes } from '../../src/webauthn/aaguid.js';

/** A model that metadata knows with the root under which the phones of these tests attest. */
const PHONE = '0f0e0000-0000-4000-8000-000000000001';
/** A model that metadata knows with a root of its own. */
const KEY = '0e100000-0000-4000-8000-000000000002';
const UNKNOWN = '0c000000-0000-4000-8000-000000000003';
/** The relying party trusts whatever the phones' root vouches for. */
const ANCHORS = [pemOf(attestationRoot().certificate)];

const entryOf = (aaguid: string, { certificate }: { certificate: Buffer }) =>
  modelEntry(aaguid, { attestationRootCertificates: [certificate.toString('base64')] });
const mds = testFile(
  writeBlob({
    nextUpdate: '2099-01-01',
    entries: [entryOf(PHONE, attestationRoot()), entryOf(KEY, createAuthority('Makers of keys'))],
  }),
);
const METADATA: Partial<ServerOptions> = { mds: [mds], mdsRoots: MDS_ROOTS };

async function register(
  server: TestServer,
  [attestation, aaguid]: readonly [Attestation, string],
  policy: RelyingPartyPolicy,
): Promise<Answer> {
  const { newUser } = await policyPlace(server, policy);
  return newUser({ attestation, aaguid: aaguidBytes(aaguid) }).register('kim');
}

describe('the AAGUID of a phone’s attestation', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ options: METADATA });
  });
  afterAll(() => server.stop());
  const allow = (...aaguids: string[]) => ({ allow: aaguids, anchors: ANCHORS });

  it.each<[string, string]>([
    ['whose metadata has other anchors', KEY],
    ['that the metadata does not know', UNKNOWN],
  ])('the rule "allow" refuses a trusted phone with an AAGUID %s (E0037R)', async (_, aaguid) => {
    expectRefusal(await register(server, ['android-key', aaguid], allow(aaguid)), 'E0037R');
    const trusting = { trust: 'enforce', anchors: ANCHORS } as const;
    expect(await register(server, ['android-key', aaguid], trusting)).toMatchObject({
      status: 200,
      body: { attestation: { format: 'android-key', trusted: true } },
    });
  });

  it('the rule "allow" accepts a phone with an AAGUID whose metadata contains its anchor', async () => {
    expect(await register(server, ['android-key', PHONE], { allow: [PHONE] })).toMatchObject({
      status: 200,
      body: { aaguid: PHONE, attestation: { trusted: true } },
    });
  });

  it('the rule "allow" accepts the AAGUID of a packed certificate under any anchor', async () => {
    const answer = await register(server, ['packed', UNKNOWN], allow(UNKNOWN));
    expect(answer).toMatchObject({ status: 200, body: { aaguid: UNKNOWN } });
  });
});

describe('the whitelist and a phone’s attestation', () => {
  it.each<[string, Partial<ServerOptions>, string, 'E0037R' | undefined]>([
    ['refuses a phone without metadata (E0037R)', {}, KEY, 'E0037R'],
    ['refuses a phone of a model with other anchors (E0037R)', METADATA, KEY, 'E0037R'],
    ['accepts a phone of a model with its anchors', METADATA, PHONE, undefined],
  ])('the whitelist %s', async (_, options, aaguid, code) => {
    const server = await TestServer.start({ options: { ...options, aaguid: true } });
    await adminClient(server.url).post('/userapi/aaguid', { aaguid });
    const answer = await register(server, ['android-key', aaguid], { anchors: ANCHORS });
    if (code) expectRefusal(answer, code);
    else expect(answer.status).toBe(200);
    await server.stop();
  });
});

describe('the format android-safetynet', () => {
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
  ])('refuses android-safetynet under %s (E1004R)', async (_, policy) => {
    expectRefusal(await register(server, NET, policy), 'E1004R');
  });

  it.each<[string, RelyingPartyPolicy]>([
    ['enforced', { formats: ['android-safetynet'] }],
    ['reported', { formats: { mode: 'report', list: ['packed', 'android-safetynet'] } }],
  ])('accepts android-safetynet under a policy that lists it, %s', async (_, policy) => {
    expect(await register(server, NET, policy)).toMatchObject(accepted);
  });

  it('accepts android-safetynet with --conformance on', async () => {
    const conforming = await TestServer.start({ options: { conformance: true } });
    expect(await register(conforming, NET, {})).toMatchObject(accepted);
    await conforming.stop();
  });
});
