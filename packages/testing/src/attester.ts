import {
  aaguidExtension,
  ATTESTATION_SUBJECT,
  type Authority,
  basicConstraints,
  type CertificateParts,
  createAuthority,
  writeCertificate,
} from './certificate-writer.js';
import { ALG, createKeyPair, type KeyPair } from './key-pair.js';
import { pemOf } from './pem.js';

/** An attestation key and its certificates, leaf first. */
export interface Attester {
  readonly keyPair: KeyPair;
  readonly x5c: readonly Buffer[];
}

let root: Authority | undefined;

/** The root of all attestation certificates of this process: the anchor to trust in tests. */
export function attestationRoot(): Authority {
  root ??= createAuthority('ServiceFido Test Root');
  return root;
}

/**
 * An attestation key, by default a fresh one on P-256, and its certificate of {@link
 * attestationRoot}: proper, but for the parts that a test gives.
 */
export function createAttester(
  aaguid: Buffer,
  parts: Partial<CertificateParts> = {},
  keyPair = createKeyPair(ALG.ES256),
): Attester {
  const certificate = writeCertificate({
    subject: ATTESTATION_SUBJECT,
    issuer: attestationRoot(),
    extensions: [basicConstraints(false), aaguidExtension(aaguid)],
    ...parts,
    publicKey: keyPair.publicKey,
  });
  return { keyPair, x5c: [certificate] };
}

/** The certificate of {@link attestationRoot} in PEM: the anchor of a policy that trusts the test attestations. */
export const testRoot = (): string => pemOf(attestationRoot().certificate);
