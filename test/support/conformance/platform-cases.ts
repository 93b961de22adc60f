import {
  writeAndroidKey,
  writeSafetyNet,
} from '../../../packages/testing/src/android-statements.js';
import type { CborInput } from '../../../packages/testing/src/cbor-writer.js';
import { ALG, createKeyPair, RS1 } from '../../../packages/testing/src/key-pair.js';
import { attestationRoot } from '../../../packages/testing/src/attester.js';
import {
  type Statement,
  type StatementInput,
  type StatementWriter,
} from '../../../packages/testing/src/statements.js';
import { sha256 } from '../../../packages/testing/src/structures.js';
import { type TpmParts, writeTpm } from '../../../packages/testing/src/tpm-statement.js';
import type { RegistrationCase } from './conformance-case.js';
import { AAGUID } from './models.js';

const OTHER_HASH = sha256('client data of another ceremony');

const tpm = (
  id: string,
  words: string,
  { alg, ...parts }: TpmParts & { readonly credential?: number },
  code?: string,
): RegistrationCase => ({
  id: `Resp-9 ${id}`,
  words,
  device: {
    aaguid: AAGUID.tpm,
    algorithm: parts.credential ?? ALG.RS256,
    attestation: (input) => writeTpm(input, { ...parts, ...(alg === undefined ? {} : { alg }) }),
  },
  ...(code === undefined ? {} : { code }),
});

const TPM_CASES = [
  tpm('P-1', 'a valid tpm with SHA-256 (RS256)', {}),
  tpm('P-2', 'a valid tpm with SHA-1 (RS1)', { alg: RS1 }),
  tpm('P-4', 'a valid tpm with ES256', { alg: ALG.ES256, credential: ALG.ES256 }),
  tpm(
    'F-1',
    'the certificates are in the wrong order',
    { x5c: (x5c) => [attestationRoot().certificate, ...x5c] },
    'E1005R',
  ),
  tpm(
    'F-2',
    'certInfo.extraData is not the hash',
    { info: { extraData: Buffer.alloc(32, 1) } },
    'E1009R',
  ),
  tpm('F-3', 'certInfo.magic is not TPM_GENERATED_VALUE', { info: { magic: 0x1469 } }, 'E1009R'),
  tpm(
    'F-4',
    'pubArea.unique is not the new key',
    { area: { unique: (bytes) => Buffer.alloc(bytes.length, 0x85) } },
    'E1009R',
  ),
];

const androidKey = (
  id: string,
  words: string,
  attestation: StatementWriter,
  code?: string,
): RegistrationCase => ({
  id: `Resp-A ${id}`,
  words,
  device: { aaguid: AAGUID.androidKey, attestation },
  ...(code === undefined ? {} : { code }),
});

const genuine: StatementWriter = (input) => writeAndroidKey(attestationRoot(), input);

/** The statement of one phone with the certificates of another. */
const withCertificatesOf =
  (change: (input: StatementInput) => StatementInput): StatementWriter =>
  (input) => {
    const { fmt, attStmt } = genuine(input);
    const x5c = genuine(change(input)).attStmt.get('x5c') ?? [];
    return { fmt, attStmt: new Map(attStmt).set('x5c', x5c) };
  };

const ANDROID_KEY_CASES = [
  androidKey('P-1', 'a valid android-key', genuine),
  androidKey(
    'F-1',
    'the leaf contains a wrong clientDataHash',
    withCertificatesOf((input) => ({ ...input, clientDataHash: OTHER_HASH })),
    'E1009R',
  ),
  androidKey(
    'F-2',
    'the leaf contains another public key',
    withCertificatesOf((input) => ({ ...input, keyPair: createKeyPair(ALG.ES256) })),
    'E1006R',
  ),
  androidKey(
    'F-3',
    'the certificates are in the wrong order',
    (input) => {
      const { fmt, attStmt } = genuine(input);
      const leaf = attStmt.get('x5c') as readonly Buffer[];
      return {
        fmt,
        attStmt: new Map(attStmt).set('x5c', [attestationRoot().certificate, ...leaf]),
      };
    },
    'E1006R',
  ),
];

type Part = Readonly<Record<string, unknown>>;

/** The statement of a phone whose service answers with other members. */
const answering =
  (payload: Part, header: Part = {}): StatementWriter =>
  (input) =>
    writeSafetyNet(attestationRoot(), input, { payload, header });

const replacing =
  (name: string, value: CborInput): StatementWriter =>
  (input): Statement => {
    const { fmt, attStmt } = writeSafetyNet(attestationRoot(), input);
    return { fmt, attStmt: new Map(attStmt).set(name, value) };
  };

const safetyNet = (
  id: string,
  words: string,
  attestation: StatementWriter,
  code?: string,
): RegistrationCase => ({
  id: `Resp-B ${id}`,
  words,
  device: { aaguid: AAGUID.safetyNet, attestation },
  ...(code === undefined ? {} : { code }),
});

const MINUTE = 60_000;

const SAFETY_NET_CASES = [
  safetyNet('P-1', 'a valid android-safetynet', answering({})),
  safetyNet('F-1', 'ver is empty', replacing('ver', ''), 'E1004R'),
  safetyNet('F-2', 'response is empty', replacing('response', Buffer.alloc(0)), 'E1004R'),
  safetyNet('F-3', 'nonce is wrong', answering({ nonce: 'AAAA' }), 'E1009R'),
  safetyNet('F-4', 'x5c of the JWS is empty', answering({}, { x5c: [] }), 'E1004R'),
  safetyNet('F-5', 'ctsProfileMatch is false', answering({ ctsProfileMatch: false }), 'E1009R'),
  safetyNet(
    'F-6',
    'timestampMs is in the future',
    (input) => answering({ timestampMs: Date.now() + 5 * MINUTE })(input),
    'E1009R',
  ),
  safetyNet(
    'F-7',
    'timestampMs is older than one minute',
    (input) => answering({ timestampMs: Date.now() - 2 * MINUTE })(input),
    'E1009R',
  ),
];

/** MakeCredential Response, Resp-9, Resp-A and Resp-B: statements of platforms. */
export const PLATFORM_CASES: readonly RegistrationCase[] = [
  ...TPM_CASES,
  ...ANDROID_KEY_CASES,
  ...SAFETY_NET_CASES,
];
