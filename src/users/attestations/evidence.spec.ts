import { createAuthority } from '../../../packages/testing/src/certificate-writer.js';
import { registrationBody, verifyBody } from '../../../test/support/authenticator/ceremony.js';
import type { SoftAuthenticatorOptions } from '../../../packages/testing/src/soft-authenticator.js';
import { attestationRoot, createAttester } from '../../../packages/testing/src/attester.js';
import { sha256 } from '../../../packages/testing/src/structures.js';
import { keptAttestation, proofOf, sharedHashes, statementOf } from './evidence.js';

const AAGUID = Buffer.alloc(16, 0xa1);
const ZEROS = Buffer.alloc(16);
/** Maximum size of a stored attestation. */
const MAX_BYTES = 1024;

const DEVICES: readonly (readonly [string, SoftAuthenticatorOptions])[] = [
  ['packed', { attestation: 'packed', aaguid: AAGUID }],
  ['packed with an authority', withAuthority()],
  ['self attestation', { attestation: 'packed-self', aaguid: AAGUID }],
  ['fido-u2f', { attestation: 'fido-u2f', aaguid: ZEROS }],
  ['android-key', { attestation: 'android-key', aaguid: AAGUID }],
];

describe('the stored evidence of an attestation', () => {
  it.each(DEVICES)('the evidence contains the verified attestation statement: %s', (_, device) => {
    const { attestation, row, shared } = kept(device);
    const stored = { ...row, evidence: JSON.parse(JSON.stringify(row.evidence)) };
    expect(statementOf(stored, shared)).toEqual(attestation);
  });

  it.each(DEVICES)('the evidence contains the signed bytes of an attestation: %s', (_, device) => {
    const { signed, row, shared } = kept(device);
    const { attestationObject, clientDataHash } = signed;
    expect(proofOf(row, signed, shared)).toEqual({ attestationObject, clientDataHash });
  });

  it.each(DEVICES)('the evidence of an attestation takes less than 1 KB: %s', (_, device) => {
    const { evidence, certificates, authorities, proof } = kept(device).row;
    const sizes = [JSON.stringify(evidence), certificates, authorities, proof];
    expect(sizes.reduce((sum, { length }) => sum + length, 0)).toBeLessThan(MAX_BYTES);
  });

  it('the evidence refers to shared certificates by hash, and contains those that are not shared', () => {
    const { row, shared } = kept(withAuthority());
    expect(shared).toHaveLength(1);
    expect(sharedHashes(row)).toEqual(shared.map(sha256));
    expect(row.certificates.includes(shared[0] ?? 'none')).toBe(false);
    const alone = kept(withAuthority(), false);
    expect(sharedHashes(alone.row)).toEqual([]);
    expect(statementOf(alone.row, [])).toEqual(alone.attestation);
  });
});

/** A registration, and its stored attestation. */
function kept(device: SoftAuthenticatorOptions, isShared = true) {
  const body = registrationBody({ device });
  const { attestation, credentialId, publicKey } = verifyBody(body);
  const clientDataJSON = Buffer.from(body.response.clientDataJSON, 'base64url');
  const attestationObject = Buffer.from(body.response.attestationObject, 'base64url');
  const shared = isShared ? attestation.trustPath.slice(1) : [];
  const clientDataHash = sha256(clientDataJSON);
  const signed = { attestationObject, clientDataHash, credentialId, publicKey };
  return {
    attestation,
    signed,
    shared,
    row: keptAttestation(attestation, { ...signed, shared, uvm: null }),
  };
}

/** An authenticator whose certificate an intermediate authority issued, not the root. */
function withAuthority(): SoftAuthenticatorOptions {
  const authority = createAuthority('An authority', { issuer: attestationRoot() });
  const attester = createAttester(AAGUID, { issuer: authority });
  return {
    attestation: 'packed',
    aaguid: AAGUID,
    attester: { ...attester, x5c: [...attester.x5c, authority.certificate] },
  };
}
