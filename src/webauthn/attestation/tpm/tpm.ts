import { createHash } from 'node:crypto';
import { RS1, type SignatureAlgorithm, signatureAlgorithm } from '../../keys/algorithms.js';
import type { CborMap } from '../../cbor.js';
import type { VerificationKey } from '../../keys/cose-key.js';
import { ensure } from '../../failure.js';
import { checkAttestationLeaf } from '../../certificates/attestation-leaf.js';
import { bindCertificateKey, type Certificate } from '../../certificates/certificate.js';
import { readDirectoryNames, readKeyPurposes } from '../../certificates/certificate-fields.js';
import {
  type AttestationInput,
  type AttestationResult,
  loadLeaf,
  readAlgorithm,
  readCertificates,
  readSignature,
  statementMap,
} from '../format.js';
import { readTpmCertifyInfo, readTpmPublic, TPM_ALG, type TpmPublic } from './tpm-structures.js';

const MEMBERS = ['ver', 'alg', 'x5c', 'sig', 'certInfo', 'pubArea'];
const VERSION = '2.0';

/** Hashes of object names. Not SHA-1: colliding public areas would share a name. */
const NAME_HASHES: ReadonlyMap<number, string> = new Map([
  [TPM_ALG.SHA256, 'sha256'],
  [TPM_ALG.SHA384, 'sha384'],
  [TPM_ALG.SHA512, 'sha512'],
]);

/** TPM_ECC_CURVE (TPM 2.0 Part 2 §6.4) under its JWK names. */
const CURVES: ReadonlyMap<number, string> = new Map([
  [0x0003, 'P-256'],
  [0x0004, 'P-384'],
  [0x0005, 'P-521'],
]);

/** WebAuthn L3 §8.3 "TPM Attestation Statement Format", its verification procedure. */
export function verifyTpm(input: AttestationInput): AttestationResult {
  const statement = statementMap(input.statement, MEMBERS);
  const isVersion2 = statement.get('ver') === VERSION;
  ensure(isVersion2, 'attestation-malformed', 'ver is not 2.0');
  const algorithm = statementAlgorithm(readAlgorithm(statement));
  const signature = readSignature(statement);
  const trustPath = readCertificates(statement);
  const certInfo = readBytes(statement, 'certInfo');
  const pubArea = readBytes(statement, 'pubArea');
  const publicArea = readTpmPublic(pubArea);
  const certified = readTpmCertifyInfo(certInfo);
  ensure(isSameKey(publicArea, input.key), 'attestation-mismatch', 'pubArea is of another key');
  const isOfCeremony = certified.extraData.equals(ceremonyHash(input, algorithm));
  ensure(isOfCeremony, 'attestation-mismatch', 'extraData is of another ceremony');
  const isOfKey = certified.name.equals(nameOf(pubArea, publicArea.nameAlg));
  ensure(isOfKey, 'attestation-mismatch', 'certInfo certifies another public area');
  const leaf = loadLeaf(trustPath);
  const verified = bindCertificateKey(leaf, algorithm).verify(certInfo, signature);
  ensure(verified, 'attestation-signature');
  checkTpmCertificate(leaf, input.authenticatorData.credential.aaguid);
  return { type: 'attca', trustPath, unbound: !publicArea.bound };
}

/** Statements may use the credential algorithms, and RS1, with which older TPMs sign. */
function statementAlgorithm(alg: number): SignatureAlgorithm {
  const algorithm = alg === RS1.id ? RS1 : signatureAlgorithm(alg);
  ensure(algorithm !== undefined, 'attestation-algorithm', `COSE algorithm ${alg}`);
  return algorithm;
}

function readBytes(statement: CborMap, name: string): Buffer {
  const bytes = statement.get(name);
  ensure(Buffer.isBuffer(bytes), 'attestation-malformed', `${name} is not a byte string`);
  return bytes;
}

/** The hash of attToBeSigned, with the hash algorithm of the signature. */
function ceremonyHash(
  { authData, clientDataHash }: AttestationInput,
  { hash }: SignatureAlgorithm,
): Buffer {
  ensure(hash !== null, 'attestation-algorithm', 'alg names no hash');
  return createHash(hash).update(authData).update(clientDataHash).digest();
}

/** TPM 2.0 Part 1 §16: the name of an object is nameAlg and the hash of its public area. */
function nameOf(pubArea: Buffer, nameAlg: number): Buffer {
  const hash = NAME_HASHES.get(nameAlg);
  ensure(hash !== undefined, 'attestation-algorithm', 'nameAlg is not supported');
  const digest = createHash(hash).update(pubArea).digest();
  return Buffer.concat([Buffer.of(nameAlg >> 8, nameAlg & 0xff), digest]);
}

function isSameKey(area: TpmPublic, { key }: VerificationKey): boolean {
  const jwk = key.export({ format: 'jwk' });
  if (area.type === 'RSA') {
    const exponent = numberOf(Buffer.from(jwk.e ?? '', 'base64url'));
    const sameExponent = exponent === BigInt(area.exponent);
    return jwk.kty === 'RSA' && sameExponent && isSameNumber(area.modulus, jwk.n);
  }
  const sameCurve = jwk.kty === 'EC' && CURVES.get(area.curve) === jwk.crv;
  return sameCurve && isSameNumber(area.x, jwk.x) && isSameNumber(area.y, jwk.y);
}

/** TPMs may omit leading zeros, so the numbers are compared. */
function isSameNumber(bytes: Buffer, member = ''): boolean {
  return numberOf(bytes) === numberOf(Buffer.from(member, 'base64url'));
}

function numberOf(bytes: Buffer): bigint {
  return BigInt(`0x0${bytes.toString('hex')}`);
}

const ID_CE_SUBJECT_ALT_NAME = '2.5.29.17';
const ID_CE_EXT_KEY_USAGE = '2.5.29.37';
/** certificatePolicies, which Windows certificates mark critical although it is only informative. */
const ID_CE_CERTIFICATE_POLICIES = '2.5.29.32';
/** tcg-kp-AIKCertificate */
const TCG_KP_AIK_CERTIFICATE = '2.23.133.8.3';
/** Attribute types of TCG's EK Credential Profile §3.2.9. */
const ATTRIBUTE = {
  manufacturer: '2.23.133.2.1',
  model: '2.23.133.2.2',
  version: '2.23.133.2.3',
} as const;
/**
 * TCG's vendor identifier in hexadecimal digits. It is not checked against TCG's list of vendors: the list
 * grows, and a vendor's name is only as reliable as the certificate path.
 */
const MANUFACTURER = /^id:[0-9A-F]{8}$/;

/**
 * WebAuthn L3 §8.3.1 "TPM Attestation Statement Certificate Requirements", and the AAGUID extension
 * of §8.3. Fails with `attestation-certificate`.
 */
export function checkTpmCertificate(certificate: Certificate, aaguid: Buffer): void {
  const understood = [ID_CE_SUBJECT_ALT_NAME, ID_CE_CERTIFICATE_POLICIES];
  checkAttestationLeaf(certificate, aaguid, understood);
  const unnamed = certificate.subject.length === 0;
  ensure(unnamed, 'attestation-certificate', 'subject is not empty');
  checkAlternativeName(certificate);
  const usage = valueOf(certificate, ID_CE_EXT_KEY_USAGE, readKeyPurposes);
  const forAik = usage.includes(TCG_KP_AIK_CERTIFICATE);
  ensure(forAik, 'attestation-certificate', 'extended key usage is not of an attestation key');
}

function checkAlternativeName(certificate: Certificate): void {
  // Some vendors encode one name part with three attributes, others three parts with one each.
  const attributes = valueOf(certificate, ID_CE_SUBJECT_ALT_NAME, readDirectoryNames).flat();
  const sole = (type: string): string => {
    const [only, ...others] = attributes.filter((attribute) => attribute.type === type);
    const text = only?.text ?? '';
    const once = text !== '' && others.length === 0;
    ensure(once, 'attestation-certificate', 'a TPM attribute does not occur exactly once');
    return text;
  };
  const manufacturer = sole(ATTRIBUTE.manufacturer);
  const isVendor = MANUFACTURER.test(manufacturer);
  ensure(isVendor, 'attestation-certificate', 'the TPM manufacturer is no vendor identifier');
  sole(ATTRIBUTE.model);
  sole(ATTRIBUTE.version);
}

function valueOf<T>(
  { extensions }: Certificate,
  id: string,
  read: (value: Buffer) => T | undefined,
): T {
  const extension = extensions.get(id);
  ensure(extension !== undefined, 'attestation-certificate', `extension ${id} is missing`);
  const value = read(extension.value);
  ensure(value !== undefined, 'attestation-certificate', `extension ${id} is malformed`);
  return value;
}
