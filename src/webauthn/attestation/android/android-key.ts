import { ensure } from '../../failure.js';
import {
  ASN1_TYPE,
  CONTEXT,
  readIfWellFormed,
  ensureDer,
  ensureType,
  hasType,
  onlyElementOf,
  readSmallInteger,
  sequenceOf,
} from '../../certificates/asn1.js';
import {
  importCertificateKey,
  loadCertificate,
  type Certificate,
} from '../../certificates/certificate.js';
import { withoutRoot } from '../../certificates/certificate-path.js';
import {
  readAlgorithm,
  readCertificates,
  readSignature,
  statementMap,
  type AttestationInput,
  type AttestationResult,
} from '../format.js';
import { readDer, type DerElement } from '../../certificates/der.js';

/** What a Keystore certificate states about its key. */
interface KeyDescription {
  /** SecurityLevel of the attestation and of the Keystore: software 0, trusted environment 1, StrongBox 2. */
  readonly securityLevels: readonly number[];
  readonly challenge: Buffer;
  /** softwareEnforced and teeEnforced (in later versions hardwareEnforced), in this order. */
  readonly lists: readonly AuthorizationList[];
}

/** Each field by its tag number. Unknown fields are not decoded. */
type AuthorizationList = ReadonlyMap<number, DerElement>;

/** Number of members, attestationVersion to teeEnforced, in every version of the schema. */
const MEMBERS = 8;
const VERSIONS_AT = [0, 2];
const SECURITY_LEVELS_AT = [1, 3];
const CHALLENGE_AT = 4;
const UNIQUE_ID_AT = 5;
const LISTS_AT = 6;

/**
 * Reads the value of the Android key attestation extension, the SEQUENCE KeyDescription of Android's
 * "Key and ID attestation", as far as WebAuthn L3 §8.4.1 needs it.
 */
export function readKeyDescription(value: Buffer): KeyDescription {
  return wellFormed(() => parseKeyDescription(value));
}

function parseKeyDescription(value: Buffer): KeyDescription {
  const members = sequenceOf(readDer(value));
  ensureDer(members.length === MEMBERS);
  const { content } = ensureType(members[CHALLENGE_AT], ASN1_TYPE.octetString);
  for (const at of VERSIONS_AT) readSmallInteger(members[at]);
  ensureType(members[UNIQUE_ID_AT], ASN1_TYPE.octetString);
  const securityLevels = SECURITY_LEVELS_AT.map((at) =>
    readInteger(ensureType(members[at], ASN1_TYPE.enumerated)),
  );
  return { securityLevels, challenge: content, lists: members.slice(LISTS_AT).map(readList) };
}

/** The integers of a field that contains one integer or a SET of them. */
function integersOf(field: DerElement): readonly number[] {
  return wellFormed(() => {
    const content = onlyElementOf(field);
    const integers = hasType(content, ASN1_TYPE.set) ? content.elements : [content];
    return integers.map((integer) => readInteger(ensureType(integer, ASN1_TYPE.integer)));
  });
}

/** Reads the fields of a list. No field may occur twice, since other readers could take the other value. */
function readList(list: DerElement): AuthorizationList {
  const fields = new Map<number, DerElement>();
  for (const field of sequenceOf(list)) {
    ensureDer(field.classAndForm === CONTEXT && !fields.has(field.number));
    fields.set(field.number, field);
  }
  return fields;
}

/** NaN for an integer of more than one byte: it equals none of the small numbers it is compared with. */
const readInteger = ({ content }: DerElement): number =>
  content.length === 1 ? content.readInt8() : NaN;

function wellFormed<T>(read: () => T): T {
  const value = readIfWellFormed(read);
  ensure(value !== undefined, 'attestation-certificate', 'the key description is malformed');
  return value;
}

const ID_KEY_DESCRIPTION = '1.3.6.1.4.1.11129.2.1.17';
/** Tag numbers of the authorization list. */
const FIELD = { purpose: 1, allApplications: 600, origin: 702 } as const;
const KM_PURPOSE_SIGN = 2;
const KM_ORIGIN_GENERATED = 0;
/** TrustedEnvironment and StrongBox. */
const HARDWARE_LEVELS: readonly number[] = [1, 2];
/** Index of teeEnforced among the lists. */
const ENFORCED_BY_HARDWARE = 1;

/** WebAuthn L3 §8.4 "Android Key Attestation Statement Format", its verification procedure. */
export function verifyAndroidKey(input: AttestationInput): AttestationResult {
  const { key, authData, clientDataHash } = input;
  const statement = statementMap(input.statement, ['alg', 'sig', 'x5c']);
  const alg = readAlgorithm(statement);
  const signature = readSignature(statement);
  const [leafDer, ...others] = readCertificates(statement);
  const leaf = loadCertificate(leafDer);
  const authorities = others.map(loadCertificate);
  const signed = Buffer.concat([authData, clientDataHash]);
  const certificateKey = importCertificateKey(leaf, alg);
  ensure(certificateKey.verify(signed, signature), 'attestation-signature');
  const sameKey = leaf.publicKey.equals(key.key);
  ensure(sameKey, 'attestation-mismatch', 'the certificate is of another key');
  const description = describe(leaf);
  const sameChallenge = description.challenge.equals(clientDataHash);
  ensure(sameChallenge, 'attestation-mismatch', 'the attestation challenge is another');
  checkAuthorizations(description);
  // Android devices send the root as well.
  const trustPath = withoutRoot([leaf, ...authorities]).map(({ der }) => der);
  return { type: 'basic', trustPath };
}

/**
 * Whether the certificate of an attested key says that secure hardware made the key and keeps it: both security levels
 * are hardware, and the hardware itself enforces origin and purpose.
 */
export function isHardwareKey({ extensions }: Certificate): boolean {
  const value = extensions.get(ID_KEY_DESCRIPTION)?.value;
  const description = value && readIfWellFormed(() => parseKeyDescription(value));
  if (!description) return false;
  const { securityLevels, lists } = description;
  const isHardware = securityLevels.every((level) => HARDWARE_LEVELS.includes(level));
  return isHardware && isGeneratedForSigning(lists.slice(ENFORCED_BY_HARDWARE));
}

function describe({ extensions }: Certificate): KeyDescription {
  const extension = extensions.get(ID_KEY_DESCRIPTION);
  ensure(extension !== undefined, 'attestation-certificate', 'the key description is missing');
  return readKeyDescription(extension.value);
}

/**
 * Checks the union of both lists, as §8.4 says for servers that accept keys outside the trusted execution environment.
 * Two empty lists lack origin and purpose: the first test vectors of §16 had such lists by mistake.
 */
function checkAuthorizations({ lists }: KeyDescription): void {
  const shared = lists.some((list) => list.has(FIELD.allApplications));
  ensure(!shared, 'attestation-certificate', 'the key is open to all applications');
  const isProper = isGeneratedForSigning(lists);
  ensure(isProper, 'attestation-certificate', 'the key was not generated for signing alone');
}

const isGeneratedForSigning = (lists: readonly AuthorizationList[]): boolean =>
  allEqual(lists, FIELD.origin, KM_ORIGIN_GENERATED) &&
  allEqual(lists, FIELD.purpose, KM_PURPOSE_SIGN);

/** Whether at least one list has the field, and every value in it is the expected one. */
function allEqual(lists: readonly AuthorizationList[], field: number, expected: number): boolean {
  const values = lists.flatMap((list) => {
    const element = list.get(field);
    return element === undefined ? [] : integersOf(element);
  });
  return values.length > 0 && values.every((value) => value === expected);
}
