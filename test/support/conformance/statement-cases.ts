import {
  ATTESTATION_SUBJECT,
  basicConstraints,
  type CertificateParts,
  createAuthority,
  type Issuer,
  writeCertificate,
} from '../../../packages/testing/src/certificate-writer.js';
import { ALG, createKeyPair, RS1 } from '../../../packages/testing/src/key-pair.js';
import type { SoftAuthenticatorOptions } from '../../../packages/testing/src/soft-authenticator.js';
import {
  attestationRoot,
  type Attester,
  createAttester,
} from '../../../packages/testing/src/attester.js';
import { having, type RegistrationCase } from './conformance-case.js';
import { AAGUID, BATCH, U2F } from './models.js';

const PAST = new Date('2021-01-01T00:00:00Z');
const FUTURE = new Date('2059-01-01T00:00:00Z');

const self = (alg: number): SoftAuthenticatorOptions => ({
  attestation: 'packed-self',
  aaguid: AAGUID.self,
  algorithm: alg,
});

/** Resp-4: SELF packed statements of each algorithm. */
const ALGORITHMS = [
  ['P-2', 'PS256', ALG.PS256],
  ['P-3', 'PS384', ALG.PS384],
  ['P-4', 'PS512', ALG.PS512],
  ['P-5', 'RS256', ALG.RS256],
  ['P-6', 'RS384', ALG.RS384],
  ['P-7', 'RS512', ALG.RS512],
  ['P-8', 'RS1', RS1],
  ['P-9', 'ES256', ALG.ES256],
  ['P-10', 'ES384', ALG.ES384],
  ['P-11', 'ES512', ALG.ES512],
  ['P-12', 'Ed25519', ALG.EdDSA],
] as const;

const algorithms = ALGORITHMS.map(([number, name, alg]) => ({
  id: `Resp-4 ${number}`,
  words: `a SELF packed with ${name}`,
  device: self(alg),
}));

const full = (parts: Partial<CertificateParts> = {}): SoftAuthenticatorOptions => ({
  attestation: 'packed',
  aaguid: AAGUID.full,
  attester: createAttester(AAGUID.full, parts),
});

const INTERMEDIATE = createAuthority('ServiceFido Test Intermediate', {
  issuer: attestationRoot(),
});
const EXPIRED = createAuthority('ServiceFido Test Expired', {
  issuer: attestationRoot(),
  notAfter: PAST,
});
const STRANGER = createAuthority('Another Root');

/** A leaf of the issuer, and what is sent along with it. */
function chain(
  issuer: Issuer,
  path: (leaf: Buffer) => readonly Buffer[],
): SoftAuthenticatorOptions {
  const keyPair = createKeyPair(ALG.ES256);
  const leaf = writeCertificate({
    subject: ATTESTATION_SUBJECT,
    issuer,
    publicKey: keyPair.publicKey,
    extensions: [basicConstraints(false)],
  });
  const attester: Attester = { keyPair, x5c: path(leaf) };
  return { attestation: 'packed', aaguid: AAGUID.full, attester };
}

const row = (
  id: string,
  words: string,
  device: SoftAuthenticatorOptions,
  more: Partial<RegistrationCase> = {},
): RegistrationCase => ({ id, words, device, ...more });

const fullCases = [
  row('Resp-5 P-1', 'a valid FULL packed', full()),
  row(
    'Resp-5 P-2',
    'a chain of leaf and intermediate that links to the root of the metadata',
    chain(INTERMEDIATE, (leaf) => [leaf, INTERMEDIATE.certificate]),
  ),
  row('Resp-5 P-3', 'a batch certificate that is the trust anchor itself', {
    attestation: 'packed',
    aaguid: AAGUID.batch,
    attester: BATCH,
  }),
  row('Resp-5 P-4', 'a root with critical Basic Constraints', full()),
  row('Resp-5 P-5', 'metadata with 64-bit vendorPrototypeConfigCommands', {
    attestation: 'packed',
    aaguid: AAGUID.prototype,
  }),
  row('Resp-5 F-1', 'fmt is unknown', full(), {
    tweaks: { fmt: 'BananaPancake' },
    code: 'E1004R',
  }),
  row('Resp-5 F-2', 'sig does not verify', full(), {
    tweaks: having('sig', Buffer.from('3006020101020101', 'hex')),
    code: 'E1006R',
  }),
  row('Resp-5 F-3', 'x5c is missing', full(), { tweaks: having('x5c', undefined), code: 'E1006R' }),
  row('Resp-5 F-4', 'x5c is not an array', full(), { tweaks: having('x5c', 'x'), code: 'E1004R' }),
  row('Resp-5 F-5', 'x5c is an empty array', full(), { tweaks: having('x5c', []), code: 'E1004R' }),
  row('Resp-5 F-6', 'the leaf is expired', full({ notAfter: PAST }), { code: 'E1008R' }),
  row('Resp-5 F-7', 'the leaf is not yet valid', full({ notBefore: FUTURE }), { code: 'E1008R' }),
  row(
    'Resp-5 F-8',
    'the algorithm of the leaf differs from the metadata',
    {
      ...full(),
      attester: createAttester(AAGUID.full, {}, createKeyPair(ALG.ES256K)),
    },
    { tweaks: having('alg', ALG.ES256), code: 'E1005R' },
  ),
  row(
    'Resp-5 F-9',
    'the chain does not verify',
    chain(STRANGER, (leaf) => [leaf]),
    { code: 'E0038R' },
  ),
  row(
    'Resp-5 F-10',
    'x5c contains the full chain including the root',
    chain(attestationRoot(), (leaf) => [leaf, attestationRoot().certificate]),
    { code: 'E1008R' },
  ),
  row(
    'Resp-5 F-11',
    'the full chain is in the wrong order',
    chain(INTERMEDIATE, (leaf) => [INTERMEDIATE.certificate, leaf]),
    { code: 'E1006R' },
  ),
  row(
    'Resp-5 F-12',
    'the intermediate is expired',
    chain(EXPIRED, (leaf) => [leaf, EXPIRED.certificate]),
    { code: 'E1008R' },
  ),
  row('Resp-5 F-13', 'the signature is not by the leaf key', full(), {
    tweaks: { signingKey: createKeyPair(ALG.ES256) },
    code: 'E1006R',
  }),
  row(
    'Resp-5 F-14',
    'the signature is by the credential key',
    {
      aaguid: AAGUID.full,
      attestation: 'packed-self',
    },
    { tweaks: having('x5c', createAttester(AAGUID.full).x5c), code: 'E1006R' },
  ),
];

const surrogateCases = [
  row('Resp-6 P-1', 'a valid SELF packed', self(ALG.ES256)),
  row('Resp-6 F-1', 'sig is invalid', self(ALG.ES256), {
    tweaks: { signingKey: createKeyPair(ALG.ES256) },
    code: 'E1006R',
  }),
  row(
    'Resp-6 F-2',
    'packed is FULL although the metadata allows only basic_surrogate',
    { attestation: 'packed', aaguid: AAGUID.self },
    { code: 'E0038R' },
  ),
  row('Resp-6 F-3', 'fmt is unknown', self(ALG.ES256), {
    tweaks: { fmt: 'BananaPancake' },
    code: 'E1004R',
  }),
];

const NONE = { attestation: 'none', aaguid: AAGUID.none } as const;

const noneCases = [
  row('Resp-7 P-1', 'a valid none', NONE, { begin: { attestation: 'none' } }),
  row('Resp-7 P-2', 'a valid SELF packed although none was requested', self(ALG.ES256), {
    begin: { attestation: 'none' },
  }),
  row('Resp-7 F-1', 'none has the statement of a FULL packed', full(), {
    begin: { attestation: 'none' },
    tweaks: { fmt: 'none' },
    code: 'E1004R',
  }),
];

const ofU2f: SoftAuthenticatorOptions = { attestation: 'fido-u2f', attester: U2F };

const u2fCases = [
  row('Resp-8 P-1', 'a valid fido-u2f', ofU2f),
  row('Resp-8 F-1', 'the AAGUID is not zero', ofU2f, {
    tweaks: { aaguid: AAGUID.full },
    code: 'E1003R',
  }),
  row('Resp-8 F-2', 'sig is invalid', ofU2f, {
    tweaks: { signingKey: createKeyPair(ALG.ES256) },
    code: 'E1006R',
  }),
];

/** MakeCredential Response, Resp-4 to Resp-8. */
export const STATEMENT_CASES: readonly RegistrationCase[] = [
  ...algorithms,
  ...fullCases,
  ...surrogateCases,
  ...noneCases,
  ...u2fCases,
];
