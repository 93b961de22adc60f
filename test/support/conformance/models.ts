import { keyIdentifierOf } from '../../../src/webauthn/metadata/metadata-index.js';
import {
  createAttester,
  attestationRoot,
  type Attester,
} from '../../../packages/testing/src/attester.js';
import { blobEntry } from '../../../packages/testing/src/blob-writer.js';

const ALL_ALGORITHMS = [
  'secp256r1_ecdsa_sha256_raw',
  'secp384r1_ecdsa_sha384_raw',
  'secp521r1_ecdsa_sha512_raw',
  'ed25519_eddsa_sha512_raw',
  'rsassa_pkcsv15_sha256_raw',
  'rsassa_pkcsv15_sha384_raw',
  'rsassa_pkcsv15_sha512_raw',
  'rsassa_pkcsv15_sha1_raw',
  'rsassa_pss_sha256_raw',
  'rsassa_pss_sha384_raw',
  'rsassa_pss_sha512_raw',
];

/** AAGUIDs of the authenticators whose metadata the tests load. */
export const AAGUID = {
  full: Buffer.alloc(16, 0xf0),
  self: Buffer.alloc(16, 0x5e),
  batch: Buffer.alloc(16, 0xba),
  prototype: Buffer.alloc(16, 0x9f),
  tpm: Buffer.alloc(16, 0x79),
  androidKey: Buffer.alloc(16, 0xa4),
  safetyNet: Buffer.alloc(16, 0x5a),
  none: Buffer.alloc(16),
  unknown: Buffer.alloc(16, 0x0b),
  unsigned: Buffer.alloc(16, 0x06),
  unchained: Buffer.alloc(16, 0x0c),
  revokedIntermediate: Buffer.alloc(16, 0x1e),
  revokedLeaf: Buffer.alloc(16, 0x1f),
} as const;

/** Statuses with which no authenticator is accepted (Metadata Service Tests F-1). */
export const COMPROMISED = [
  'USER_VERIFICATION_BYPASS',
  'ATTESTATION_KEY_COMPROMISE',
  'USER_KEY_REMOTE_COMPROMISE',
  'USER_KEY_PHYSICAL_COMPROMISE',
].map((status, index) => ({ status, aaguid: Buffer.alloc(16, 0xc0 + index) }));

/** Certificates that are anchors themselves: of a batch, and of a U2F authenticator. */
export const BATCH: Attester = createAttester(AAGUID.batch);
export const U2F: Attester = createAttester(AAGUID.none);

const uuid = (bytes: Buffer) =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

const rootsOf = (certificates: readonly Buffer[]) =>
  certificates.map((der) => der.toString('base64'));

const ROOTS = rootsOf([attestationRoot().certificate]);

const model = (aaguid: Buffer, statement: object = {}, entry: object = {}) =>
  blobEntry(uuid(aaguid), { attestationRootCertificates: ROOTS, ...statement }, { ...entry });

/** Entries of the BLOB that must be accepted. */
export const MODELS = [
  model(AAGUID.full),
  model(AAGUID.self, {
    attestationTypes: ['basic_surrogate'],
    attestationRootCertificates: [],
    authenticationAlgorithms: ALL_ALGORITHMS,
  }),
  model(AAGUID.batch, { attestationRootCertificates: rootsOf(BATCH.x5c) }),
  model(AAGUID.prototype, {
    authenticatorGetInfo: {
      versions: ['FIDO_2_1'],
      vendorPrototypeConfigCommands: [2 ** 63, Number.MAX_SAFE_INTEGER],
    },
  }),
  model(AAGUID.tpm, {
    attestationTypes: ['attca'],
    authenticationAlgorithms: ['secp256r1_ecdsa_sha256_raw', 'rsassa_pkcsv15_sha256_raw'],
  }),
  model(AAGUID.androidKey),
  model(AAGUID.safetyNet),
  model(
    AAGUID.none,
    { aaguid: undefined },
    {
      aaguid: undefined,
      attestationCertificateKeyIdentifiers: U2F.x5c.map(keyIdentifierOf),
    },
  ),
  ...COMPROMISED.map(({ status, aaguid }) =>
    model(aaguid, {}, { statusReports: [{ status, effectiveDate: '2026-01-01' }] }),
  ),
];

/** An entry of a BLOB that must be refused. */
export const lostModel = (aaguid: Buffer) => model(aaguid);
