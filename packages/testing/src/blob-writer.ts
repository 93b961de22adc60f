import { sign } from 'node:crypto';
import {
  type Authority,
  basicConstraints,
  createAuthority,
  name,
  OID,
  writeCertificate,
  type CertificateParts,
} from './certificate-writer.js';
import { ALG, createKeyPair, type KeyPair } from './key-pair.js';

/** Who signs metadata BLOBs in tests: a key and its certificates, leaf first. */
export interface BlobSigner {
  readonly keyPair: KeyPair;
  readonly x5c: readonly Buffer[];
}

let root: Authority | undefined;

/** The root of all BLOB signers of this process. */
export function blobRoot(): Authority {
  root ??= createAuthority('ServiceFido Test BLOB Root');
  return root;
}

/** A signer with a fresh key on P-256; its certificate is proper, but for the given parts. */
export function createBlobSigner(parts: Partial<CertificateParts> = {}): BlobSigner {
  const keyPair = createKeyPair(ALG.ES256);
  const intermediate = createAuthority('ServiceFido Test BLOB Intermediate', {
    issuer: blobRoot(),
  });
  const leaf = writeCertificate({
    subject: name([[OID.commonName, 'ServiceFido Test BLOB Signer']]),
    issuer: intermediate,
    extensions: [basicConstraints(false)],
    ...parts,
    publicKey: keyPair.publicKey,
  });
  return { keyPair, x5c: [leaf, intermediate.certificate] };
}

/** The content of a BLOB; every member can be wrong on purpose. */
export interface BlobContent {
  readonly no?: unknown;
  readonly nextUpdate?: unknown;
  readonly entries?: unknown;
  readonly legalHeader?: unknown;
}

/** Writes and signs a metadata BLOB (FIDO Metadata Service v3 §3.1.7) with ES256. */
export function writeBlob(
  content: BlobContent = {},
  signer: BlobSigner = createBlobSigner(),
  header: Readonly<Record<string, unknown>> = {},
): string {
  const x5c = signer.x5c.map((certificate) => certificate.toString('base64'));
  const payload = { legalHeader: 'Test', no: 1, nextUpdate: '2026-07-01', entries: [], ...content };
  const signed = [{ alg: 'ES256', typ: 'JWT', x5c, ...header }, payload]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const key = { key: signer.keyPair.privateKey, dsaEncoding: 'ieee-p1363' } as const;
  return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`;
}

/** An entry of a BLOB, as JSON; members that the model has otherwise are given. */
export function blobEntry(
  aaguid: string,
  statement: Readonly<Record<string, unknown>> = {},
  entry: Readonly<Record<string, unknown>> = {},
) {
  return {
    aaguid,
    timeOfLastStatusChange: '2026-01-01',
    statusReports: [{ status: 'FIDO_CERTIFIED', effectiveDate: '2026-01-01' }],
    metadataStatement: {
      aaguid,
      description: 'ServiceFido Test Authenticator',
      attestationTypes: ['basic_full'],
      authenticationAlgorithms: ['secp256r1_ecdsa_sha256_raw'],
      attestationRootCertificates: [],
      ...statement,
    },
    ...entry,
  };
}
