import type { RelyingPartyPolicy } from '../../src/tenancy/policy/policy.js';
import type { CborInput } from '../../packages/testing/src/cbor-writer.js';
import { SECURITY_LEVEL, writeAndroidKey } from '../../packages/testing/src/android-statements.js';
import { createAuthority } from '../../packages/testing/src/certificate-writer.js';
import { ALG } from '../../packages/testing/src/key-pair.js';
import { attestationRoot } from '../../packages/testing/src/attester.js';
import { type Attestation, type StatementWriter } from '../../packages/testing/src/statements.js';
import { writeTpm } from '../../packages/testing/src/tpm-statement.js';
import { FidoClient } from '../support/fido-client.js';
import { writeBlob } from '../../packages/testing/src/blob-writer.js';
import { pemOf } from '../../packages/testing/src/pem.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { policyPlace } from '../support/policy-place.js';
import { MDS_ROOTS, modelEntry } from '../support/metadata.js';
import { testFile } from '../support/test-file.js';
import { TestServer } from '../support/test-server.js';
import { aaguidBytes } from '../../src/webauthn/aaguid.js';

/** A TPM whose metadata has the root of these tests. */
const TPM = '7b300000-0000-4000-8000-000000000001';
/** Security keys of another maker, who states one kind of attestation or another. */
const KEY = '0ec00000-0000-4000-8000-000000000002';
const KEY_BY_AUTHORITY = '0ec00000-0000-4000-8000-000000000003';
/** A model whose maker names the root of the TPM, and no attestation of TPMs. */
const SHARED_ROOT = '0ec00000-0000-4000-8000-000000000004';
const SELF = '5e1f0000-0000-4000-8000-000000000005';
/** A model whose maker states that it keeps its keys in software. */
const SOFTWARE = '50f70000-0000-4000-8000-000000000006';

/** A model without metadata. */
const KEY_OF_NOBODY = '0b0d0000-0000-4000-8000-000000000007';

const TPM_ROOT = attestationRoot().certificate;
const KEY_ROOT = createAuthority('Makers of keys').certificate;

const tpm: StatementWriter = (input) => writeTpm(input);
const { software, trustedEnvironment, strongBox } = SECURITY_LEVEL;

describe('the proof of a platform, which does not prove a model', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({
      options: { mds: [metadataFile()], mdsRoots: MDS_ROOTS },
    });
  });
  afterAll(() => server.stop());

  describe.each([
    ['of another root', KEY],
    ['of another root, attested by an authority', KEY_BY_AUTHORITY],
    ['of the same root that states no attestation of TPMs', SHARED_ROOT],
  ])('§8.3 of a TPM that claims to be a model %s', (_, aaguid) => {
    it('does not make the key’s model an allowed one (E0037R)', async () => {
      const policy: RelyingPartyPolicy = { trust: 'enforce', allow: [aaguid] };
      const user = await userWith(tpm, aaguid, policy);
      expectRefusal(await user.register('kim'), 'E0037R');
    });

    it('the proof of a platform does not make the key trusted (E0038R)', async () => {
      const user = await userWith(tpm, aaguid, { trust: 'enforce' });
      expectRefusal(await user.register('kim'), 'E0038R');
    });

    it('the proof of a platform gives the key no token with phrh', async () => {
      const user = await userWith(tpm, aaguid, { trust: 'report' });
      expect(await user.register('kim')).toMatchObject({
        status: 200,
        body: { aaguid, attestation: { format: 'tpm', type: 'attca', trusted: false } },
      });
      expect(await acrOf(user)).toBe('phr');
    });

    it('does not make the model allowed even if the relying party trusts the platform', async () => {
      const policy = { anchors: [pemOf(TPM_ROOT)], allow: [aaguid] };
      const user = await userWith(tpm, aaguid, policy);
      expectRefusal(await user.register('kim'), 'E0037R');
    });
  });

  it('§8.3 proves a TPM model if its entry has attca and its root', async () => {
    const user = await userWith(tpm, TPM, { trust: 'enforce', allow: [TPM] });
    expect(await user.register('kim')).toMatchObject({
      status: 200,
      body: { aaguid: TPM, attestation: { format: 'tpm', type: 'attca', trusted: true } },
    });
    expect(await acrOf(user)).toBe('phrh');
  });

  it('§6.5.3 accepts self attestation from the metadata, without proving hardware', async () => {
    const user = await userWith('packed-self', SELF, { trust: 'enforce' });
    expect(await user.register('kim')).toMatchObject({
      status: 200,
      body: { attestation: { type: 'self', trusted: false } },
    });
    expect(await acrOf(user)).toBe('phr');
    const strict = await userWith('packed-self', SELF, { allow: [SELF] });
    expectRefusal(await strict.register('kim'), 'E0037R');
  });

  describe.each([
    ['of software', { levels: [software, software] }],
    ['of software that a trusted environment attests', { levels: [trustedEnvironment, software] }],
    ['of a trusted environment that software attests', { levels: [software, trustedEnvironment] }],
    ['whose origin and purpose only software enforces', { enforcedBySoftware: true }],
  ] as const)('§8.4 a phone’s key %s', (_, protection) => {
    it('a phone’s key of software under an anchor of the relying party is accepted, without phrh', async () => {
      const policy: RelyingPartyPolicy = { anchors: [pemOf(TPM_ROOT)], trust: 'enforce' };
      const user = await userWith(phone(protection), KEY_OF_NOBODY, policy);
      expect(await user.register('kim')).toMatchObject({
        status: 200,
        body: { attestation: { format: 'android-key', type: 'basic', trusted: false } },
      });
      await expectNoPhrh(user);
    });
  });

  it.each([
    [{ levels: [trustedEnvironment, trustedEnvironment] }],
    [{ levels: [strongBox, strongBox] }],
    [{ levels: [trustedEnvironment, strongBox] }],
  ] as const)('§8.4 a phone’s key in secure hardware gets phrh: %j', async (protection) => {
    const policy = { anchors: [pemOf(TPM_ROOT)] };
    const user = await userWith(phone(protection), KEY_OF_NOBODY, policy);
    expect(await user.register('kim')).toMatchObject({
      body: { attestation: { trusted: true } },
    });
    expect(await acrOf(user)).toBe('phrh');
  });

  it('a model that keeps its keys in software, as its metadata says, is trusted and gets no phrh', async () => {
    const user = await userWith('packed', SOFTWARE, { trust: 'enforce', allow: [SOFTWARE] });
    expect(await user.register('kim')).toMatchObject({
      status: 200,
      body: { aaguid: SOFTWARE, attestation: { trusted: false } },
    });
    expect(await acrOf(user)).toBe('phr');
  });

  it('a synced key gets no phrh, whatever attested it', async () => {
    const policy = { anchors: [pemOf(TPM_ROOT)] };
    const device = { backupEligible: true };
    const user = await userWith('packed', KEY_OF_NOBODY, policy, device);
    expect(await user.register('kim')).toMatchObject({
      body: { attestation: { trusted: true } },
    });
    await expectNoPhrh(user);
  });

  it.each([
    [[8, 8, 1], ALG.ES256, 'E1004R'],
    [[8, 8], ALG.ES256, 'E1007R'],
    [[4, 1], ALG.ES512, 'E1004R'],
    [[2, 2], ALG.ES512, 'E1007R'],
  ] as const)(
    '§8.9 parses at most 16 of %j certificates by %d, or four on large curves: %s',
    async (counts, alg, code) => {
      const user = await userWith('packed', KEY, {});
      const attStmt = counts.map((count) => {
        const x5c = Array.from({ length: count }, () => Buffer.from('no certificate'));
        const members = new Map<string, CborInput>([
          ['alg', alg],
          ['sig', Buffer.of(1)],
          ['x5c', x5c],
        ]);
        return new Map<string, CborInput>([
          ['fmt', 'packed'],
          ['attStmt', members],
        ]);
      });
      const begun = await user.beginRegistration('kim', { attestation: 'direct' });
      const body = user.create(begun, { fmt: 'compound', attStmt });
      expectRefusal(await user.completeRegistration(body), code);
    },
  );

  async function userWith(
    attestation: Attestation | StatementWriter,
    aaguid: string,
    policy: RelyingPartyPolicy,
    device: { readonly backupEligible?: boolean } = {},
  ): Promise<FidoClient> {
    const { newUser } = await policyPlace(server, policy);
    return newUser({ attestation, aaguid: aaguidBytes(aaguid), ...device });
  }

  /** The token's claims about the authenticator. */
  async function acrOf(user: FidoClient): Promise<unknown> {
    const { body } = await user.signIn('kim');
    const [, payload = ''] = String(body['token']).split('.');
    return JSON.parse(Buffer.from(payload, 'base64url').toString()).acr;
  }

  async function expectNoPhrh(user: FidoClient): Promise<void> {
    expect(await acrOf(user)).toBe('phr');
    const begun = await user.beginAuthentication('kim', { acr: 'phrh' });
    expectRefusal(await user.completeAuthentication(user.assert(begun)), 'E0038R');
  }
});

function entry(aaguid: string, type: string, root: Buffer) {
  return modelEntry(aaguid, {
    attestationTypes: [type],
    attestationRootCertificates: [root.toString('base64')],
  });
}

function phone(protection: Parameters<typeof writeAndroidKey>[2]): StatementWriter {
  return (input) => writeAndroidKey(attestationRoot(), input, protection);
}

function metadataFile(): string {
  return testFile(
    writeBlob({
      nextUpdate: '2099-01-01',
      entries: [
        entry(TPM, 'attca', TPM_ROOT),
        entry(KEY, 'basic_full', KEY_ROOT),
        entry(KEY_BY_AUTHORITY, 'attca', KEY_ROOT),
        entry(SHARED_ROOT, 'basic_full', TPM_ROOT),
        entry(SELF, 'basic_surrogate', KEY_ROOT),
        modelEntry(SOFTWARE, { keyProtection: ['software'] }),
      ],
    }),
  );
}
