import { createHash } from 'node:crypto';
import type { CborInput } from './cbor-writer.js';
import { ALG, createKeyPair, type KeyPair, RS1, signWith } from './key-pair.js';
import { tpmCertificate } from './tpm-certificate.js';
import {
  type CertifyInfoParts,
  type PublicAreaParts,
  tpmCertifyInfo,
  tpmName,
  tpmPublicArea,
} from './tpm-writer.js';

/** What a TPM is asked to certify. */
interface TpmInput {
  readonly authData: Buffer;
  readonly clientDataHash: Buffer;
  readonly keyPair: KeyPair;
}

/** Members that can be wrong on purpose. */
export interface TpmParts {
  /** Algorithm of the attestation key. */
  readonly alg?: number;
  readonly info?: Partial<CertifyInfoParts>;
  readonly area?: PublicAreaParts;
  /** Changes the certificates, of which the leaf is the only one. */
  readonly x5c?: (x5c: readonly Buffer[]) => readonly Buffer[];
}

/** `tpm` (WebAuthn L3 §8.3): a key that a TPM certifies by an attestation key of the test root. */
export function writeTpm(
  { authData, clientDataHash, keyPair }: TpmInput,
  { alg = ALG.RS256, info, area, x5c = (certificates) => certificates }: TpmParts = {},
) {
  const attestationKey = createKeyPair(alg);
  const hash = alg === RS1 ? 'sha1' : 'sha256';
  const pubArea = tpmPublicArea(keyPair, area);
  const certInfo = tpmCertifyInfo({
    extraData: createHash(hash).update(authData).update(clientDataHash).digest(),
    name: tpmName(pubArea),
    ...info,
  });
  const attStmt = new Map<string, CborInput>([
    ['ver', '2.0'],
    ['alg', alg],
    ['x5c', x5c([tpmCertificate(attestationKey)])],
    ['sig', signWith(attestationKey, certInfo)],
    ['certInfo', certInfo],
    ['pubArea', pubArea],
  ]);
  return { fmt: 'tpm', attStmt };
}
