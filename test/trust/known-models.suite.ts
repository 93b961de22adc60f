import type { ServerOptions } from '../../src/platform/config/server-config.js';
import type { RelyingPartyPolicy } from '../../src/tenancy/policy/policy.js';
import { createAuthority } from '../../packages/testing/src/certificate-writer.js';
import { SoftAuthenticator } from '../../packages/testing/src/soft-authenticator.js';
import { createAttester } from '../../packages/testing/src/attester.js';
import { type Attestation } from '../../packages/testing/src/statements.js';
import type { Answer } from '../support/client.js';
import { DATABASES } from '../support/databases.js';
import { writeBlob } from '../../packages/testing/src/blob-writer.js';
import { pemOf } from '../../packages/testing/src/pem.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { rowsOf } from '../support/rows.js';
import { policyPlace } from '../support/policy-place.js';
import { modelEntry, MDS_ROOTS } from '../support/metadata.js';
import { testFile } from '../support/test-file.js';
import { TestServer } from '../support/test-server.js';
import { aaguidBytes } from '../../src/webauthn/aaguid.js';

const KNOWN = '0ec00000-0000-4000-8000-000000000001';
const SELF = '5e1f0000-0000-4000-8000-000000000002';
const SILENT = '51e70000-0000-4000-8000-000000000003';
const STRANGER = '57a00000-0000-4000-8000-000000000004';

const entry = (aaguid: string, type: string) => modelEntry(aaguid, { attestationTypes: [type] });
const blob = testFile(
  writeBlob({
    nextUpdate: '2099-01-01',
    entries: [entry(KNOWN, 'basic_full'), entry(SELF, 'basic_surrogate'), entry(SILENT, 'none')],
  }),
);

const METADATA = { mds: [blob], mdsRoots: MDS_ROOTS };

const homeMade = createAuthority('Home-made authority');

describe.each(DATABASES)('a registration of a model in the metadata, on %s', (on) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ on, options: METADATA });
  });
  afterAll(() => server.stop());

  it.each([
    ['by a home-made authority', 'direct', KNOWN, 'home-made'],
    ['by a home-made authority', 'indirect', KNOWN, 'home-made'],
    ['by itself', 'direct', KNOWN, 'packed-self'],
    ['by nobody', 'direct', KNOWN, 'none'],
    [
      'by a home-made authority though its maker states self attestation',
      'direct',
      SELF,
      'home-made',
    ],
    ['by itself though its maker states none', 'direct', SILENT, 'packed-self'],
  ] as const)(
    '§7.1 step 24: E0038R: must prove themselves when attested %s and asked for %s',
    async (_, asked, aaguid, by) => {
      expectRefusal(await registered(server, deviceOf(aaguid, by), { asked }), 'E0038R');
    },
  );

  it.each([
    ['under its own root', KNOWN, 'packed', true],
    ['attested by itself, as its maker states', SELF, 'packed-self', false],
    ['attested by nobody, as its maker states', SILENT, 'none', false],
    ['unknown to the metadata', STRANGER, 'home-made', false],
    ['unknown and attested by nobody', STRANGER, 'none', false],
  ] as const)(
    'a registration of a model in the metadata is accepted when %s',
    async (_, aaguid, by, trusted) => {
      expect(await registered(server, deviceOf(aaguid, by))).toMatchObject({
        status: 200,
        body: { attestation: { trusted } },
      });
    },
  );

  it('a registration of a model in the metadata needs no proof when none is requested', async () => {
    const answer = await registered(server, deviceOf(KNOWN, 'home-made'), { asked: 'none' });
    expect(answer).toMatchObject({ status: 200, body: { attestation: { trusted: false } } });
  });

  it('a registration of a model in the metadata needs a proof if the policy requests it, whatever the caller requests', async () => {
    const device = () => deviceOf(KNOWN, 'home-made');
    const direct = { policy: { attestation: 'direct' }, asked: 'none' } as const;
    expectRefusal(await registered(server, device(), direct), 'E0038R');
    const none = { policy: { attestation: 'none' }, asked: 'direct' } as const;
    expect(await registered(server, device(), none)).toMatchObject({ status: 200 });
  });

  it('a registration of a model in the metadata may be proven by the relying party’s own anchors', async () => {
    const policy = { anchors: [pemOf(homeMade.certificate)] };
    expect(await registered(server, deviceOf(KNOWN, 'home-made'), { policy })).toMatchObject({
      status: 200,
      body: { attestation: { trusted: true } },
    });
  });

  it('a registration of a model in the metadata is reported, accepted or refused as the policy’s rule of trust says', async () => {
    const device = () => deviceOf(KNOWN, 'home-made');
    const under = (trust: RelyingPartyPolicy['trust'], authenticator = device()) =>
      registered(server, authenticator, { policy: { trust: trust ?? 'off' } });
    const before = await policyEvents();
    expect(await under({ mode: 'report', value: 'known' })).toMatchObject({ status: 200 });
    const reported = { detail: 'trust', code: 'E0038R' };
    expect(await policyEvents()).toEqual([...before, reported]);
    expect(await under('off')).toMatchObject({ status: 200 });
    expect(await policyEvents()).toEqual([...before, reported]);
    expectRefusal(await under({ mode: 'enforce', value: 'known' }), 'E0038R');
    expect(await under('known', deviceOf(STRANGER, 'packed'))).toMatchObject({ status: 200 });
    expectRefusal(await under('all', deviceOf(STRANGER, 'packed')), 'E0038R');
  });

  async function policyEvents() {
    return (
      await rowsOf<{ detail: string; code: string }>(
        server,
        "SELECT detail, code FROM events WHERE kind = 'policy' ORDER BY id",
      )
    ).map(({ detail, code }) => ({ detail, code }));
  }
});

describe('a registration of a known model that needs no proof', () => {
  it.each([
    ['--attestation off', { attestation: false }, 'home-made'],
    ['--mds off', { mds: [] }, 'home-made'],
    ['--conformance on, which takes none from any model', { conformance: true }, 'none'],
  ] as [string, Partial<ServerOptions>, Attestation | 'home-made'][])(
    'keys of known models are registered without proof with %s',
    async (_, options, by) => {
      const server = await TestServer.start({ options: { ...METADATA, ...options } });
      expect(await registered(server, deviceOf(KNOWN, by))).toMatchObject({ status: 200 });
      await server.stop();
    },
  );
});

/** An authenticator that claims to be some model, and how it attests that. */
function deviceOf(aaguid: string, attestation: Attestation | 'home-made'): SoftAuthenticator {
  const bytes = aaguidBytes(aaguid);
  if (attestation !== 'home-made') return new SoftAuthenticator({ attestation, aaguid: bytes });
  const attester = createAttester(bytes, { issuer: homeMade });
  return new SoftAuthenticator({ attestation: 'packed', aaguid: bytes, attester });
}

async function registered(
  server: TestServer,
  authenticator: SoftAuthenticator,
  { policy = {}, asked = 'direct' }: { policy?: RelyingPartyPolicy; asked?: string } = {},
): Promise<Answer> {
  const { newUser } = await policyPlace(server, policy);
  return newUser({}, authenticator).register('kim', { attestation: asked });
}
