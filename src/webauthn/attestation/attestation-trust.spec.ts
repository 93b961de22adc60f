import { register } from '../../../test/support/authenticator/ceremony.js';
import { createAuthority } from '../../../packages/testing/src/certificate-writer.js';
import { attestationRoot, createAttester } from '../../../packages/testing/src/attester.js';
import { type Attestation } from '../../../packages/testing/src/statements.js';
import { writeTpm } from '../../../packages/testing/src/tpm-statement.js';
import type { MetadataEntry, MetadataStatement } from '../metadata/metadata-statement.js';
import { keyIdentifierOf, MetadataIndex } from '../metadata/metadata-index.js';
import type { VerifiedRegistration } from '../registration.js';
import type { AttestationStatement } from './format.js';
import { builtInRoots } from './built-in-roots.js';
import { isBrokenPath, evaluateTrust, type TrustPolicy } from './attestation-trust.js';

const AT = new Date('2026-06-01T12:00:00Z');
const AAGUID = Buffer.alloc(16, 0xa1);
const AAGUID_TEXT = 'a1a1a1a1-a1a1-a1a1-a1a1-a1a1a1a1a1a1';
const ROOT = attestationRoot().certificate;
const OTHER_ROOT = createAuthority('Other root').certificate;
const ES256 = -7;

const PACKED = registration('packed');
const SELF = registration('packed-self');

const metadata = (...entries: readonly MetadataEntry[]) => new MetadataIndex(entries);

describe('evaluateTrust', () => {
  it('trusts no certificate without a known anchor', () => {
    expect(evaluate(PACKED)).toBe('no-anchors');
    expect(evaluate(PACKED, { metadata: metadata() })).toBe('no-anchors');
    expect(evaluate(PACKED, { anchors: [OTHER_ROOT] })).toBe('no-anchor-issued-it');
  });

  it('trusts certificates that lead to an anchor of the relying party (WebAuthn L3 §7.1 step 24)', () => {
    expect(evaluate(PACKED, { anchors: [ROOT] })).toBe('trusted');
  });

  it('trusts certificates that lead to a root in the metadata of the model (WebAuthn L3 §7.1 step 23)', () => {
    expect(evaluate(PACKED, { metadata: metadata(entryOf({})) })).toBe('trusted');
  });

  it('trusts an attestation certificate that the metadata itself lists', () => {
    const [leaf] = PACKED.attestation.trustPath;
    const roots = leaf === undefined ? [] : [leaf];
    expect(evaluate(PACKED, { metadata: metadata(entryOf({ roots })) })).toBe('trusted');
  });

  it('trusts only the roots of the model and those of the relying party (WebAuthn L3 §7.1 step 23)', () => {
    const others = metadata(
      entryOf({ roots: [OTHER_ROOT] }),
      entryOf({}, { aaguid: 'b2b2b2b2-b2b2-b2b2-b2b2-b2b2b2b2b2b2' }),
    );
    expect(evaluate(PACKED, { metadata: others })).toBe('no-anchor-issued-it');
    expect(evaluate(PACKED, { metadata: others, anchors: [ROOT] })).toBe('trusted');
  });

  it('uses only the roots of the relying party when the entry has no statement', () => {
    const silent = metadata({ ...entryOf({}), statement: undefined });
    expect(evaluate(PACKED, { metadata: silent })).toBe('no-anchors');
    expect(evaluate(PACKED, { metadata: silent, anchors: [ROOT] })).toBe('trusted');
  });

  it('finds a fido-u2f model by the key of its certificate', () => {
    const u2f = registration('fido-u2f');
    const [leaf = Buffer.alloc(0)] = u2f.attestation.trustPath;
    const names = { keyIdentifiers: [keyIdentifierOf(leaf)] };
    expect(evaluate(u2f, { metadata: metadata(entryOf({}, names)) })).toBe('trusted');
    expect(evaluate(u2f, { metadata: metadata(entryOf({})) })).toBe('no-anchors');
  });

  it('trusts no registration without attestation', () => {
    const policy = { metadata: metadata(entryOf({})), anchors: [ROOT] };
    expect(evaluate(registration('none'), policy)).toBe('not-attested');
  });

  it('trusts self attestation only if the metadata lists it for the model', () => {
    expect(evaluate(SELF, { anchors: [ROOT] })).toBe('self-attestation');
    expect(evaluate(SELF, { metadata: metadata(entryOf({})) })).toBe('attestation-type');
    const surrogate = metadata(entryOf({ attestationTypes: ['basic_surrogate'], roots: [] }));
    expect(evaluate(SELF, { metadata: surrogate })).toBe('trusted');
    const either = metadata(entryOf({ attestationTypes: ['basic_full', 'basic_surrogate'] }));
    expect([SELF, PACKED].map((one) => evaluate(one, { metadata: either }))).toEqual([
      'trusted',
      'trusted',
    ]);
  });

  it('refuses certificates if the metadata lists only self attestation', () => {
    const surrogate = metadata(entryOf({ attestationTypes: ['basic_surrogate'] }));
    expect(evaluate(PACKED, { metadata: surrogate, anchors: [ROOT] })).toBe('attestation-type');
  });

  it('refuses an algorithm that the metadata does not list', () => {
    const others = metadata(entryOf({ algorithms: [-8, -257] }));
    expect(evaluate(PACKED, { metadata: others, anchors: [ROOT] })).toBe('algorithm-not-listed');
  });

  it('refuses a certificate list that contains the root', () => {
    const { keyPair, x5c } = createAttester(AAGUID);
    const attester = { keyPair, x5c: [...x5c, ROOT] };
    const device = { attestation: 'packed', aaguid: AAGUID, attester } as const;
    const policy = { metadata: metadata(entryOf({})), anchors: [ROOT] };
    expect(evaluate(register({ device }), policy)).toBe('root-in-path');
  });

  it('trusts a compound attestation if it trusts each of its statements (WebAuthn L3 §8.9)', () => {
    const policy = { anchors: [ROOT] };
    expect(evaluate(compound(PACKED, PACKED), policy)).toBe('trusted');
    expect(evaluate(compound(PACKED, SELF), policy)).toBe('self-attestation');
    expect(evaluate(compound(registration('none'), PACKED), policy)).toBe('not-attested');
  });

  it.each([
    ['apple', 1],
    ['android-key', 5],
    ['android-safetynet', 1],
  ])('uses the built-in roots of %s for no other format', (format, count) => {
    expect(builtInRoots(format)).toHaveLength(count);
    const own = { ...PACKED, attestation: { ...PACKED.attestation, format } };
    expect(evaluate(own)).toBe('no-anchor-issued-it');
    expect(evaluate(PACKED)).toBe('no-anchors');
  });

  it('accepts all built-in roots for a model that lists one of them, and none for other models', () => {
    const [first, ...others] = builtInRoots('android-key');
    const [leaf = Buffer.alloc(0)] = others;
    const attestation = { format: 'android-key', type: 'basic', trustPath: [leaf] } as const;
    const device = { ...PACKED, attestation };
    // Its metadata may list further roots.
    const roots = first === undefined ? [] : [OTHER_ROOT, first];
    expect(evaluate(device, { metadata: metadata(entryOf({ roots })) })).toBe('trusted');
    expect(evaluate(device, { metadata: metadata(entryOf({})) })).not.toBe('trusted');
  });

  it('trusts a TPM only by the roots of its own entry, which must list attca (WebAuthn L3 §8.3)', () => {
    const tpm = { ...PACKED, attestation: { ...PACKED.attestation, format: 'tpm' } };
    const vendors = entryOf(
      { attestationTypes: ['attca'] },
      { aaguid: '08987058-cadc-4b81-b6e1-30de50dcbe96' },
    );
    const own = (statement: Partial<MetadataStatement>) =>
      metadata(vendors, entryOf({ attestationTypes: ['attca'], ...statement }));
    expect(evaluate(tpm, { metadata: own({}) })).toBe('trusted');
    expect(evaluate(tpm, { metadata: own({ roots: [] }) })).toBe('no-anchors');
    expect(evaluate(tpm, { metadata: own({ roots: [OTHER_ROOT] }) })).toBe('no-anchor-issued-it');
    expect(evaluate(tpm, { metadata: own({ attestationTypes: ['basic_full'] }) })).toBe(
      'attestation-type',
    );
    expect(evaluate(tpm, { metadata: metadata(vendors) })).toBe('no-anchors');
  });

  describe('the objectAttributes of a TPM key (TPM 2.0 Part 2 §8.3)', () => {
    const SIGN_ALONE = 0x0004_0000;
    const of = (attributes: number) =>
      register({
        device: {
          aaguid: AAGUID,
          attestation: (input) => writeTpm(input, { area: { attributes } }),
        },
      });

    it.each([
      ['fixedTPM, fixedParent, sensitiveDataOrigin and sign', 0x0004_0032, 'trusted'],
      ['fixedParent, sensitiveDataOrigin and sign, without fixedTPM', 0x0004_0030, 'key-not-bound'],
      ['fixedTPM, sensitiveDataOrigin and sign, without fixedParent', 0x0004_0022, 'key-not-bound'],
      ['fixedTPM, fixedParent and sign, without sensitiveDataOrigin', 0x0004_0012, 'key-not-bound'],
      ['sign alone', SIGN_ALONE, 'key-not-bound'],
    ])('evaluates a TPM key with %s (objectAttributes %d) as %s', (_, attributes, verdict) => {
      expect(evaluate(of(attributes), { anchors: [ROOT] })).toBe(verdict);
    });

    it('trusts no TPM key that is not bound to its TPM, even in a compound attestation', () => {
      const unbound = of(SIGN_ALONE);
      const policy = { at: AT, anchors: [ROOT] };
      const refused = { trusted: false, reason: 'key-not-bound', proves: 'nothing' };
      expect(evaluateTrust(unbound, policy)).toMatchObject(refused);
      expect(evaluateTrust(compound(PACKED, unbound), policy)).toMatchObject(refused);
    });
  });

  describe('the proof of an attestation', () => {
    const APPLE = 'f24a8e70-d0d3-f82c-2937-32523cc4de5a';
    const of = (format: string, trustPath: readonly Buffer[]) => ({
      ...PACKED,
      attestation: { ...PACKED.attestation, format, trustPath },
    });
    const own = metadata(entryOf({ attestationTypes: ['basic_full', 'attca'] }));

    it.each([
      ['packed', 'model'],
      ['fido-u2f', 'model'],
      ['apple', 'model'],
      ['tpm', 'platform'],
      ['android-key', 'platform'],
      ['android-safetynet', 'platform'],
    ])(
      'trusted %s certificates under an anchor of the relying party prove the %s',
      (format, proof) => {
        const evidence = of(format, PACKED.attestation.trustPath);
        const anchored = evaluateTrust(evidence, { at: AT, anchors: [ROOT] });
        expect(anchored).toMatchObject({ trusted: true, proves: proof });
        // Because of the model's entry, its roots prove the model, not only the platform.
        const known = evaluateTrust(evidence, { at: AT, anchors: [ROOT], metadata: own });
        expect(known).toMatchObject({ trusted: true, proves: 'model' });
      },
    );

    it.each([
      ['apple', AAGUID_TEXT, 'platform'],
      ['apple', APPLE, 'model'],
      ['android-key', AAGUID_TEXT, 'platform'],
    ])(
      'trusted %s certificates of the model %s under a built-in root prove the %s',
      (format, aaguid, proof) => {
        const evidence = { ...of(format, builtInRoots(format).slice(-1)), aaguid };
        expect(evaluateTrust(evidence, { at: AT })).toMatchObject({ trusted: true, proves: proof });
      },
    );

    it.each([
      ['packed', true],
      ['fido-u2f', true],
      ['apple', true],
      ['tpm', true],
      ['android-safetynet', false],
    ])('trusted %s certificates prove that the key is in hardware: %s', (format, isHardware) => {
      const evidence = of(format, PACKED.attestation.trustPath);
      expect(evaluateTrust(evidence, { at: AT, anchors: [ROOT] })).toMatchObject({ isHardware });
      const software = metadata(
        entryOf({ attestationTypes: ['basic_full', 'attca'], keyProtection: ['software'] }),
      );
      expect(evaluateTrust(evidence, { at: AT, metadata: software })).toMatchObject({
        trusted: true,
        isHardware: false,
      });
    });

    it('a compound attestation proves hardware if one of its statements does', () => {
      const trust = { at: AT, anchors: [ROOT] };
      const { attestation } = of('android-safetynet', PACKED.attestation.trustPath);
      const phone = { ...PACKED, attestation };
      expect(evaluateTrust(compound(phone, phone), trust)).toMatchObject({ isHardware: false });
      expect(evaluateTrust(compound(phone, PACKED), trust)).toMatchObject({ isHardware: true });
    });

    it('self attestation proves nothing, even if the metadata lists it', () => {
      const surrogate = metadata(entryOf({ attestationTypes: ['basic_surrogate'] }));
      const verdict = evaluateTrust(SELF, { at: AT, metadata: surrogate });
      expect(verdict).toMatchObject({ trusted: true, proves: 'nothing' });
    });

    it('a trusted compound attestation proves what its strongest statement proves', () => {
      const { attestation } = of('android-key', PACKED.attestation.trustPath);
      const compound = (...statements: readonly AttestationStatement[]) => ({
        ...PACKED,
        attestation: { ...PACKED.attestation, format: 'compound', statements },
      });
      const policy = { at: AT, anchors: [ROOT] };
      const proofOf = (...statements: readonly AttestationStatement[]) =>
        evaluateTrust(compound(...statements), policy).proves;
      expect(proofOf(attestation, attestation)).toBe('platform');
      expect(proofOf(attestation, PACKED.attestation)).toBe('model');
      expect(proofOf(attestation, PACKED.attestation, SELF.attestation)).toBe('nothing');
    });
  });

  it('accepts a SHA-1 certificate only if the roots of the model require it', () => {
    const attester = createAttester(AAGUID, { hash: 'sha1' });
    const old = register({ device: { attestation: 'packed', aaguid: AAGUID, attester } });
    expect(evaluate(old, { anchors: [ROOT] })).toBe('weak-signature');
    expect(evaluate(old, { metadata: metadata(entryOf({})) })).toBe('trusted');
    const other = metadata(entryOf({ roots: [OTHER_ROOT] }));
    expect(evaluate(old, { metadata: other, anchors: [ROOT] })).toBe('no-anchor-issued-it');
  });

  it('distinguishes faulty certificates from unknown authorities', () => {
    const late = new Date('2070-01-01T00:00:00Z');
    const broken = [
      evaluateTrust(PACKED, { at: late, anchors: [ROOT] }),
      evaluateTrust(PACKED, { at: new Date(0), anchors: [] }),
    ];
    expect(broken.map(({ reason }) => reason)).toEqual(['expired', 'not-yet-valid']);
    expect(broken.map(isBrokenPath)).toEqual([true, true]);
    const unknown = [
      evaluateTrust(PACKED, { at: AT }),
      evaluateTrust(SELF, { at: AT }),
      evaluateTrust(PACKED, { at: AT, anchors: [OTHER_ROOT] }),
      evaluateTrust(PACKED, { at: AT, anchors: [ROOT] }),
    ];
    expect(unknown.map(isBrokenPath)).toEqual([false, false, false, false]);
  });
});

function registration(attestation: Attestation) {
  return register({
    device: { attestation, aaguid: attestation === 'fido-u2f' ? Buffer.alloc(16) : AAGUID },
  });
}

function entryOf(
  statement: Partial<MetadataStatement>,
  names: Partial<MetadataEntry> = { aaguid: AAGUID_TEXT },
): MetadataEntry {
  return {
    aaguid: undefined,
    keyIdentifiers: [],
    statusReports: [],
    ...names,
    statement: {
      description: 'A test authenticator',
      attestationTypes: ['basic_full'],
      keyProtection: [],
      matcherProtection: [],
      algorithms: [ES256],
      roots: [ROOT],
      icon: undefined,
      getInfo: undefined,
      ...statement,
    },
  };
}

/** `trusted`, or the reason why not. */
function evaluate(evidence: VerifiedRegistration, policy: Partial<TrustPolicy> = {}) {
  const { trusted, reason } = evaluateTrust(evidence, { at: AT, ...policy });
  return trusted ? 'trusted' : reason;
}

function compound(...parts: readonly VerifiedRegistration[]) {
  return {
    ...PACKED,
    attestation: {
      ...PACKED.attestation,
      format: 'compound',
      statements: parts.map(({ attestation }) => attestation),
    },
  };
}
