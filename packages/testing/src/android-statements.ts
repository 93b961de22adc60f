import type { CborInput } from './cbor-writer.js';
import {
  ATTESTATION_SUBJECT,
  type Authority,
  basicConstraints,
  keyUsage,
  name,
  OID,
  writeCertificate,
} from './certificate-writer.js';
import * as der from './der-writer.js';
import { ALG, createKeyPair, type KeyPair, signWith } from './key-pair.js';
import { base64url, sha256 } from './structures.js';

/** The data that an app on a phone asks its system to attest. */
interface PhoneInput {
  readonly authData: Buffer;
  readonly clientDataHash: Buffer;
  /** The credential's, which the phone certifies. */
  readonly keyPair: KeyPair;
}

const KEY_DESCRIPTION = '1.3.6.1.4.1.11129.2.1.17';
const ENUMERATED = 0x0a;
const DNS_NAME = 0x82;
const GOOGLE_HOST = 'attest.android.com';
/** Statements contain the time of their creation; clocks of one machine differ by less than this. */
const MADE_BEFORE_MS = 1000;

/** Keystore's SecurityLevel. */
export const SECURITY_LEVEL = { software: 0, trustedEnvironment: 1, strongBox: 2 } as const;
type SecurityLevel = (typeof SECURITY_LEVEL)[keyof typeof SECURITY_LEVEL];

/** What a key description says about the hardware, by default that a trusted environment does everything. */
interface Protection {
  /** Of the attestation, and of the Keystore. */
  readonly levels?: readonly [SecurityLevel, SecurityLevel];
  /** Whether only software enforces origin and purpose. */
  readonly enforcedBySoftware?: boolean;
}

/** The description of a key for signing that was generated on the phone. */
function keyDescription(challenge: Buffer, protection: Protection): Buffer {
  const { levels = [1, 1], enforcedBySoftware = false } = protection;
  const purpose = der.explicit(1, der.set(der.integer(2)));
  const origin = der.explicit(702, der.integer(0));
  const [ofAttestation, ofKeystore] = levels.map((level) =>
    der.element(ENUMERATED, Buffer.of(level)),
  );
  const lists = [der.sequence(), der.sequence(purpose, origin)];
  return der.sequence(
    der.integer(300),
    ofAttestation ?? Buffer.alloc(0),
    der.integer(300),
    ofKeystore ?? Buffer.alloc(0),
    der.octetString(challenge),
    der.octetString(Buffer.alloc(0)),
    ...(enforcedBySoftware ? lists.reverse() : lists),
  );
}

/** `android-key` (WebAuthn L3 §8.4): a new certificate of the issuer for the credential's key. */
export function writeAndroidKey(
  issuer: Authority,
  { authData, clientDataHash, keyPair }: PhoneInput,
  protection: Protection = {},
) {
  const leaf = writeCertificate({
    subject: name([[OID.commonName, 'Android Keystore Key']]),
    issuer,
    publicKey: keyPair.publicKey,
    extensions: [
      keyUsage('leaf'),
      { id: KEY_DESCRIPTION, value: keyDescription(clientDataHash, protection) },
    ],
  });
  const attStmt = new Map<string, CborInput>([
    ['alg', keyPair.alg],
    ['sig', signWith(keyPair, Buffer.concat([authData, clientDataHash]))],
    ['x5c', [leaf]],
  ]);
  return { fmt: 'android-key', attStmt };
}

/** Members of the service's answer that can be wrong on purpose. */
interface AnswerParts {
  readonly header?: Readonly<Record<string, unknown>>;
  readonly payload?: Readonly<Record<string, unknown>>;
}

/** `android-safetynet` (WebAuthn L3 §8.5): the answer of a service that the issuer certified. */
export function writeSafetyNet(
  issuer: Authority,
  { authData, clientDataHash }: Omit<PhoneInput, 'keyPair'>,
  parts: AnswerParts = {},
) {
  const service = createKeyPair(ALG.RS256);
  const host = der.sequence(der.element(DNS_NAME, Buffer.from(GOOGLE_HOST)));
  const leaf = writeCertificate({
    subject: ATTESTATION_SUBJECT,
    issuer,
    publicKey: service.publicKey,
    extensions: [basicConstraints(false), { id: OID.subjectAltName, value: host }],
  });
  const payload = {
    nonce: sha256(Buffer.concat([authData, clientDataHash])).toString('base64'),
    timestampMs: Date.now() - MADE_BEFORE_MS,
    ctsProfileMatch: true,
    basicIntegrity: true,
    ...parts.payload,
  };
  const header = { alg: 'RS256', x5c: [leaf.toString('base64')], ...parts.header };
  const signed = [header, payload]
    .map((part) => base64url(Buffer.from(JSON.stringify(part))))
    .join('.');
  const response = `${signed}.${base64url(signWith(service, Buffer.from(signed)))}`;
  const attStmt = new Map<string, CborInput>([
    ['ver', '1'],
    ['response', Buffer.from(response)],
  ]);
  return { fmt: 'android-safetynet', attStmt };
}
