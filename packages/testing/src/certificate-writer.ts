import { type KeyObject, sign } from 'node:crypto';
import * as der from './der-writer.js';
import { ALG, createKeyPair, type KeyPair } from './key-pair.js';

/** Object identifiers that certificates of authenticators use. */
export const OID = {
  commonName: '2.5.4.3',
  country: '2.5.4.6',
  organization: '2.5.4.10',
  organizationalUnit: '2.5.4.11',
  basicConstraints: '2.5.29.19',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  extendedKeyUsage: '2.5.29.37',
  aaguid: '1.3.6.1.4.1.45724.1.1.4',
  rsaWithSha256: '1.2.840.113549.1.1.11',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  ecdsaWithSha1: '1.2.840.10045.4.1',
} as const;

/** One relative distinguished name: usually one attribute, several make it multi-valued. */
export type NamePart = readonly (readonly [type: string, value: string])[];

export interface Extension {
  readonly id: string;
  readonly critical?: boolean;
  /** DER of the extension's value. */
  readonly value: Buffer;
}

/** The content of a certificate; every member can be wrong on purpose. */
export interface CertificateParts {
  readonly subject: readonly NamePart[];
  readonly publicKey: KeyObject;
  readonly issuer: Issuer;
  /** 3 unless told otherwise. */
  readonly version?: 1 | 2 | 3;
  readonly notBefore?: Date;
  readonly notAfter?: Date;
  readonly extensions?: readonly Extension[];
  /** The hash of an ECDSA signature: SHA-256 unless told otherwise. RSA signs with SHA-256. */
  readonly hash?: 'sha1' | 'sha256';
}

/** Who signs: a name and a key, usually on P-256. */
export interface Issuer {
  readonly name: readonly NamePart[];
  readonly keyPair: KeyPair;
}

/** A certificate and the key that it certifies, able to issue others. */
export interface Authority extends Issuer {
  readonly certificate: Buffer;
}

const SIGNATURE_OID = { sha1: OID.ecdsaWithSha1, sha256: OID.ecdsaWithSha256 } as const;
const NOT_BEFORE = new Date('2020-01-01T00:00:00Z');
const NOT_AFTER = new Date('2060-01-01T00:00:00Z');

let serial = 1;

/** The parts of a name with one attribute each. */
export function name(attributes: readonly (readonly [string, string])[]): readonly NamePart[] {
  return attributes.map((attribute) => [attribute]);
}

/** The subject that §8.2.1 asks of a packed attestation certificate. */
export const ATTESTATION_SUBJECT = name([
  [OID.country, 'SE'],
  [OID.organization, 'ServiceFido Test, Inc.'],
  [OID.organizationalUnit, 'Authenticator Attestation'],
  [OID.commonName, 'ServiceFido Test Authenticator'],
]);

/** basicConstraints, critical as RFC 5280 §4.2.1.9 wants it. */
export function basicConstraints(ca: boolean, pathLength?: number): Extension {
  const flag = ca ? [der.boolean(true)] : [];
  const length = pathLength === undefined ? [] : [der.integer(pathLength)];
  return { id: OID.basicConstraints, critical: true, value: der.sequence(...flag, ...length) };
}

/** keyUsage of an authority (keyCertSign, cRLSign) or of a leaf (digitalSignature). */
export function keyUsage(use: 'authority' | 'leaf'): Extension {
  const [bits, unused] = use === 'authority' ? ([0x06, 1] as const) : ([0x80, 7] as const);
  return { id: OID.keyUsage, critical: true, value: der.bitString(Buffer.of(bits), unused) };
}

/** id-fido-gen-ce-aaguid (WebAuthn L3 §8.2.1): an OCTET STRING of 16 bytes. */
export function aaguidExtension(aaguid: Buffer): Extension {
  return { id: OID.aaguid, value: der.octetString(aaguid) };
}

/** subjectAltName with one directoryName, critical as certificates without a subject need it. */
export function alternativeName(parts: readonly NamePart[]): Extension {
  const value = der.sequence(der.explicit(4, writeName(parts)));
  return { id: OID.subjectAltName, critical: true, value };
}

/** subjectAltName with one dNSName, as servers have it. */
export function hostName(host: string): Extension {
  return { id: OID.subjectAltName, value: der.sequence(der.text(2, host)) };
}

export function extendedKeyUsage(...purposes: readonly string[]): Extension {
  return { id: OID.extendedKeyUsage, value: der.sequence(...purposes.map(der.oid)) };
}

/** Writes and signs a certificate, DER. */
export function writeCertificate(parts: CertificateParts): Buffer {
  const hash = parts.hash ?? 'sha256';
  const { privateKey } = parts.issuer.keyPair;
  const isRsa = privateKey.asymmetricKeyType === 'rsa';
  const algorithm = der.sequence(
    ...(isRsa ? [der.oid(OID.rsaWithSha256), der.nothing()] : [der.oid(SIGNATURE_OID[hash])]),
  );
  const version = parts.version ?? 3;
  const tbs = der.sequence(
    ...(version === 1 ? [] : [der.explicit(0, der.integer(version - 1))]),
    der.integer(serial++),
    algorithm,
    writeName(parts.issuer.name),
    der.sequence(der.time(parts.notBefore ?? NOT_BEFORE), der.time(parts.notAfter ?? NOT_AFTER)),
    writeName(parts.subject),
    parts.publicKey.export({ format: 'der', type: 'spki' }),
    ...writeExtensions(parts.extensions ?? []),
  );
  const signature = sign(hash, tbs, privateKey);
  return der.sequence(tbs, algorithm, der.bitString(signature));
}

/** Makes a root (no `issuer`) or an intermediate authority. */
export function createAuthority(
  commonName: string,
  parts: Partial<Omit<CertificateParts, 'subject' | 'publicKey'>> = {},
): Authority {
  const keyPair = createKeyPair(ALG.ES256);
  const subject = name([[OID.commonName, commonName]]);
  const certificate = writeCertificate({
    issuer: { name: subject, keyPair },
    extensions: [basicConstraints(true), keyUsage('authority')],
    ...parts,
    subject,
    publicKey: keyPair.publicKey,
  });
  return { name: subject, keyPair, certificate };
}

/** A name, DER. */
export function writeName(parts: readonly NamePart[]): Buffer {
  return der.sequence(
    ...parts.map((part) =>
      der.set(...part.map(([type, value]) => der.sequence(der.oid(type), der.utf8String(value)))),
    ),
  );
}

function writeExtensions(extensions: readonly Extension[]): readonly Buffer[] {
  return extensions.length === 0 ? [] : [der.explicit(3, writeExtensionList(extensions))];
}

/** Extensions one behind the other, as certificates and lists have them. */
export function writeExtensionList(extensions: readonly Extension[]): Buffer {
  const items = extensions.map(({ id, critical, value }) =>
    der.sequence(
      der.oid(id),
      ...(critical === true ? [der.boolean(true)] : []),
      der.octetString(value),
    ),
  );
  return der.sequence(...items);
}
