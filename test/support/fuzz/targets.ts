import { readAttestationObject } from '../../../src/webauthn/attestation/attestation-object.js';
import { loadCertificate } from '../../../src/webauthn/certificates/certificate.js';
import {
  RevocationListError,
  isSignedBy,
  readRevocationList,
} from '../../../src/webauthn/certificates/revocation-list.js';
import { readDistributionPoints } from '../../../src/webauthn/certificates/distribution-points.js';
import { validateCertificatePath } from '../../../src/webauthn/certificates/certificate-path.js';
import { readKeyDescription } from '../../../src/webauthn/attestation/android/android-key.js';
import { readCertificateChain, readJws } from '../../../src/webauthn/attestation/jws.js';
import {
  readTpmCertifyInfo,
  readTpmPublic,
} from '../../../src/webauthn/attestation/tpm/tpm-structures.js';
import { parseAuthentication } from '../../../src/webauthn/authentication.js';
import {
  parseAttestedAuthenticatorData,
  parseAuthenticatorData,
} from '../../../src/webauthn/authenticator-data.js';
import { CborError, decodeCbor } from '../../../src/webauthn/cbor.js';
import { parseClientData } from '../../../src/webauthn/client-data.js';
import { importCoseKey } from '../../../src/webauthn/keys/cose-key.js';
import { CeremonyError } from '../../../src/webauthn/failure.js';
import { readMetadataBlob } from '../../../src/webauthn/metadata/blob.js';
import { readEntry } from '../../../src/webauthn/metadata/metadata-statement.js';
import { MetadataError } from '../../../src/webauthn/metadata/metadata-error.js';
import { encodeCbor } from '../../../packages/testing/src/cbor-writer.js';
import {
  distributionPoints,
  writeRevocationList,
} from '../../../packages/testing/src/revocation-list-writer.js';
import { registrationBody, verifyBody } from '../authenticator/ceremony.js';
import { ALG, coseMembers, createKeyPair } from '../../../packages/testing/src/key-pair.js';
import type { SoftAuthenticatorOptions } from '../../../packages/testing/src/soft-authenticator.js';
import { attestationRoot, createAttester } from '../../../packages/testing/src/attester.js';
import { FLAGS, sha256, writeAuthenticatorData } from '../../../packages/testing/src/structures.js';
import {
  tpmCertifyInfo,
  tpmName,
  tpmPublicArea,
} from '../../../packages/testing/src/tpm-writer.js';
import { writeTpm } from '../../../packages/testing/src/tpm-statement.js';
import { blobEntry, blobRoot, writeBlob } from '../../../packages/testing/src/blob-writer.js';

/** One parser of the core, and genuine inputs to start from. */
export interface Target {
  readonly name: string;
  readonly seeds: readonly Buffer[];
  readonly run: (bytes: Buffer) => unknown;
}

const AT = new Date('2030-01-01T00:00:00Z');
const KEYS = [ALG.ES256, ALG.EdDSA, ALG.RS256, ALG.ES512].map(createKeyPair);
const COSE_KEYS = KEYS.map((pair) => encodeCbor(coseMembers(pair)));
const HEADER = { rpIdHash: sha256('example.com'), flags: FLAGS.UP | FLAGS.UV, signCount: 1 };
const extensions = new Map([['credProtect', 2]]);
const AAGUID = Buffer.alloc(16, 1);
const AUTHORITY = loadCertificate(attestationRoot().certificate);
const CERTIFICATES = [attestationRoot().certificate, ...createAttester(AAGUID).x5c];

const DEVICES: readonly SoftAuthenticatorOptions[] = [
  { attestation: 'none' },
  { attestation: 'packed-self', algorithm: ALG.EdDSA },
  { attestation: 'packed' },
  { attestation: 'fido-u2f' },
  { attestation: 'android-key' },
  { attestation: 'android-safetynet' },
  { attestation: (input) => writeTpm(input), algorithm: ALG.RS256 },
];
const BODIES = DEVICES.map((device) => registrationBody({ device }));
const OBJECTS = BODIES.map(({ response }) => Buffer.from(response.attestationObject, 'base64url'));
const CLIENT_DATA = Buffer.from(BODIES[0]?.response.clientDataJSON ?? '', 'base64url');

const [TPM_KEY = createKeyPair(ALG.ES256)] = KEYS;
const PUBLIC_AREAS = KEYS.filter(({ alg }) => alg !== ALG.EdDSA).map((pair) => tpmPublicArea(pair));
const CERTIFY_INFO = tpmCertifyInfo({
  extraData: sha256('data'),
  name: tpmName(tpmPublicArea(TPM_KEY)),
});
const BLOB = Buffer.from(
  writeBlob({ entries: [blobEntry('0fa11ed0-0000-4000-8000-000000000001')] }),
);

function register(attestationObject: Buffer): void {
  const [body] = BODIES;
  if (body === undefined) return;
  const response = { ...body.response, attestationObject: attestationObject.toString('base64url') };
  const expected = { at: AT, acceptsEndedFormats: true };
  verifyBody({ ...body, response }, expected);
}

/** All parsers of bytes from outside. */
export const TARGETS: readonly Target[] = [
  { name: 'CBOR', seeds: [...OBJECTS, ...COSE_KEYS], run: decodeCbor },
  { name: 'COSE key', seeds: COSE_KEYS, run: (bytes) => importCoseKey(bytes) },
  { name: 'client data', seeds: [CLIENT_DATA], run: parseClientData },
  {
    name: 'authenticator data of an assertion',
    seeds: [writeAuthenticatorData(HEADER), writeAuthenticatorData({ ...HEADER, extensions })],
    run: parseAuthenticatorData,
  },
  {
    name: 'authenticator data of a registration',
    seeds: COSE_KEYS.map((publicKey) =>
      writeAuthenticatorData({
        ...HEADER,
        extensions,
        credential: { aaguid: AAGUID, credentialId: sha256('id'), publicKey },
      }),
    ),
    run: parseAttestedAuthenticatorData,
  },
  {
    name: 'authentication',
    seeds: [writeAuthenticatorData(HEADER)],
    run: (bytes) =>
      parseAuthentication({
        clientDataJSON: CLIENT_DATA,
        authenticatorData: bytes,
        signature: bytes,
      }),
  },
  { name: 'attestation object', seeds: OBJECTS, run: readAttestationObject },
  { name: 'registration', seeds: OBJECTS, run: register },
  { name: 'certificate', seeds: CERTIFICATES, run: loadCertificate },
  {
    name: 'certificate path',
    seeds: CERTIFICATES,
    run: (bytes) => validateCertificatePath([bytes], { anchors: CERTIFICATES, at: AT }),
  },
  {
    name: 'revocation list',
    seeds: [
      writeRevocationList({ issuer: attestationRoot(), revoked: [{ serial: Buffer.of(1) }] }),
    ],
    run: (bytes) => isSignedBy(readRevocationList(bytes), AUTHORITY),
  },
  {
    name: 'distribution points',
    seeds: [distributionPoints('http://crl.example/maker.crl').value],
    run: readDistributionPoints,
  },
  { name: 'key description', seeds: CERTIFICATES, run: readKeyDescription },
  { name: 'TPM public area', seeds: PUBLIC_AREAS, run: readTpmPublic },
  { name: 'TPM certify info', seeds: [CERTIFY_INFO], run: readTpmCertifyInfo },
  {
    name: 'JWS',
    seeds: [BLOB],
    run: (bytes) => readCertificateChain(readJws(bytes).header),
  },
  {
    name: 'metadata BLOB',
    seeds: [BLOB],
    run: (bytes) => readMetadataBlob(bytes, { roots: [blobRoot().certificate], at: new Date() }),
  },
  {
    name: 'metadata entry',
    seeds: [Buffer.from(JSON.stringify(blobEntry('0fa11ed0-0000-4000-8000-000000000001')))],
    run: (bytes) => {
      const json = jsonOf(bytes);
      return json === undefined ? undefined : readEntry(json);
    },
  },
];

function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

/** The error that a parser may throw; `undefined` if it accepted the input. */
export function refusalOf({ run }: Target, bytes: Buffer): Error | undefined {
  try {
    run(bytes);
    return undefined;
  } catch (error) {
    const named = [CeremonyError, MetadataError, CborError, RevocationListError].some(
      (kind) => error instanceof kind,
    );
    if (named && error instanceof Error) return error;
    throw error;
  }
}
