import { isAaguidText } from '../aaguid.js';
import {
  arrayOf,
  ignoreSkipped,
  readNumber,
  objectOf,
  readOptional,
  skipUnreadable,
  readText,
  readTexts,
  unreadable,
  type JsonObject,
  type OnSkipped,
} from './json.js';
import { readStatusReports, type StatusReport } from './status.js';

/** A picture of the authenticator. */
interface Icon {
  /** Media type, for example `image/png`. */
  readonly type: string;
  readonly bytes: Buffer;
}

/** What the maker of an authenticator model states about it (FIDO Metadata Statement v3 §4). */
export interface MetadataStatement {
  readonly description: string;
  /** The lowest firmware version that meets the statement. */
  readonly authenticatorVersion?: number | undefined;
  /** Attestation types (FIDO Registry §3.6.3): `basic_full`, `basic_surrogate`, `attca`, `anonca`. */
  readonly attestationTypes: readonly string[];
  /** How keys are protected (FIDO Registry §3.2), for example `hardware` and `secure_element`. */
  readonly keyProtection: readonly string[];
  /** Where fingerprints and faces are compared (FIDO Registry §3.3). */
  readonly matcherProtection: readonly string[];
  /** COSE identifiers of the algorithms of its credentials, fully-specified or not. */
  readonly algorithms: readonly number[];
  /** Trust anchors of its attestation, DER. */
  readonly roots: readonly Buffer[];
  readonly icon: Icon | undefined;
  /** The model's authenticatorGetInfo response as its maker states it; unchecked. */
  readonly getInfo: JsonObject | undefined;
}

/** Values of `keyProtection` (FIDO Registry §3.2), and below those of `matcherProtection` (§3.3). */
export const KEY_PROTECTIONS = [
  'software',
  'hardware',
  'tee',
  'secure_element',
  'remote_handle',
] as const;
export const MATCHER_PROTECTIONS = ['software', 'tee', 'on_chip'] as const;

/** Authentication algorithms (FIDO Registry §3.6.1) as COSE algorithms; WebAuthn does not use the others. */
const ALGORITHMS: ReadonlyMap<string, readonly number[]> = new Map([
  ['secp256r1_ecdsa_sha256_raw', [-7, -9]],
  ['secp256r1_ecdsa_sha256_der', [-7, -9]],
  ['rsassa_pss_sha256_raw', [-37]],
  ['rsassa_pss_sha256_der', [-37]],
  ['secp256k1_ecdsa_sha256_raw', [-47]],
  ['secp256k1_ecdsa_sha256_der', [-47]],
  ['rsassa_pss_sha384_raw', [-38]],
  ['rsassa_pss_sha512_raw', [-39]],
  ['rsassa_pkcsv15_sha256_raw', [-257]],
  ['rsassa_pkcsv15_sha384_raw', [-258]],
  ['rsassa_pkcsv15_sha512_raw', [-259]],
  ['rsassa_pkcsv15_sha1_raw', [-65535]],
  // Names from earlier versions of the registry, which older statements still contain.
  ['rsa_emsa_pkcs1_sha256_raw', [-257]],
  ['rsa_emsa_pkcs1_sha256_der', [-257]],
  ['secp384r1_ecdsa_sha384_raw', [-35, -51]],
  ['secp521r1_ecdsa_sha512_raw', [-36, -52]],
  ['secp512r1_ecdsa_sha256_raw', [-36, -52]],
  ['ed25519_eddsa_sha512_raw', [-8, -19]],
  ['ed448_eddsa_sha512_raw', [-53]],
  ['ml_dsa_44', [-48]],
  ['ml_dsa_65', [-49]],
  ['ml_dsa_87', [-50]],
]);

const DATA_URL = /^data:(image\/[a-z0-9.+-]+);base64,/;

/**
 * Reads the member `metadataStatement` of a BLOB's entry. Fails with `payload`.
 *
 * @param onSkipped called with each member that decides nothing and cannot be read
 */
export function readStatement(
  value: unknown,
  onSkipped: OnSkipped = ignoreSkipped,
): MetadataStatement {
  const statement = objectOf(value, 'metadataStatement');
  const optional = <T>(name: string, read: (value: unknown, name: string) => T) =>
    readOptional(statement, name, { read, onSkipped });
  const textIn = (name: string) => skipUnreadable(() => optional(name, readText), onSkipped);
  const info = optional('authenticatorGetInfo', objectOf);
  return {
    description: textIn('description') ?? '',
    authenticatorVersion: optional('authenticatorVersion', readNumber),
    attestationTypes: textsIn(statement, 'attestationTypes'),
    keyProtection: protections(statement, 'keyProtection'),
    matcherProtection: protections(statement, 'matcherProtection'),
    algorithms: [...statedAlgorithms(statement), ...reportedAlgorithms(info, onSkipped)],
    // Base64 in statements may contain spaces and line breaks, which Node's decoder skips.
    roots: textsIn(statement, 'attestationRootCertificates').map((text) =>
      Buffer.from(text, 'base64'),
    ),
    icon: readIcon(textIn('icon')),
    getInfo: info,
  };
}

/** An absent list is empty. */
const textsIn = (statement: JsonObject, name: string): readonly string[] =>
  statement[name] === undefined ? [] : readTexts(statement[name], name);

/** Skips numbers, which statements for earlier versions of the format contain, as a member or in its list. */
function protections(statement: JsonObject, name: string): readonly string[] {
  const value = statement[name];
  if (value === undefined || typeof value === 'number') return [];
  const texts = arrayOf(value, name).filter((item) => typeof item !== 'number');
  return readTexts(texts, name);
}

const statedAlgorithms = (statement: JsonObject): readonly number[] =>
  textsIn(statement, 'authenticationAlgorithms').flatMap((name) => ALGORITHMS.get(name) ?? []);

/** Algorithms in authenticatorGetInfo; their COSE identifiers include those without a name in the registry. */
function reportedAlgorithms(info: JsonObject | undefined, onSkipped: OnSkipped): readonly number[] {
  const items = info && readOptional(info, 'algorithms', { read: arrayOf, onSkipped });
  return (items ?? []).flatMap((item) => {
    const { alg } = objectOf(item, 'an item of algorithms');
    if (typeof alg === 'number') return [alg];
    onSkipped(`alg of an item of algorithms is not a number: ${String(JSON.stringify(alg))}`);
    return [];
  });
}

/** Stores the icon in a Buffer, outside the JavaScript heap: icons make up most of a BLOB. */
function readIcon(text: string | undefined): Icon | undefined {
  const [prefix = '', type = ''] = DATA_URL.exec(text ?? '') ?? [];
  if (text === undefined || type === '') return undefined;
  return { type, bytes: Buffer.from(text.slice(prefix.length), 'base64') };
}

/** One authenticator model of a BLOB (FIDO Metadata Service v3 §3.1.1). */
export interface MetadataEntry {
  /** Set for a FIDO2 model; hyphenated, in lower case. */
  readonly aaguid: string | undefined;
  /** Key identifiers of a U2F model's attestation certificates, hexadecimal, in lower case. */
  readonly keyIdentifiers: readonly string[];
  readonly statement: MetadataStatement | undefined;
  readonly statusReports: readonly StatusReport[];
}

/**
 * Reads one of a BLOB's `entries`. Fails with `payload` if a member that decides something cannot be read.
 *
 * @param onSkipped called with each member that decides nothing and cannot be read
 */
export function readEntry(value: unknown, onSkipped: OnSkipped = ignoreSkipped): MetadataEntry {
  const entry = objectOf(value, 'an entry');
  const optional = <T>(name: string, read: (value: unknown, name: string) => T) =>
    readOptional(entry, name, { read, onSkipped });
  const statement = entry['metadataStatement'];
  const aaguid = optional('aaguid', aaguidOf);
  const keys = optional('attestationCertificateKeyIdentifiers', readTexts) ?? [];
  if (aaguid === undefined && keys.length === 0) readText(entry['aaid'], 'aaid');
  return {
    aaguid,
    keyIdentifiers: keys.map((text) => text.toLowerCase()),
    statement: statement === undefined ? undefined : readStatement(statement, onSkipped),
    statusReports: readStatusReports(entry['statusReports'], onSkipped),
  };
}

/**
 * Reads a metadata statement that is in no BLOB, with its model's identifiers in it (FIDO Metadata Statement v3 §4):
 * an entry without status reports. Fails with `payload`.
 */
export function readStandaloneStatement(value: unknown): MetadataEntry {
  const statement = objectOf(value, 'the statement');
  return readEntry({ ...statement, metadataStatement: statement, statusReports: [] });
}

const aaguidOf = (value: unknown, name: string): string =>
  isAaguidText(value) ? value.toLowerCase() : unreadable(name, 'an AAGUID', value);

/**
 * The model that an entry is about, even if it cannot be read: its AAGUID, hyphenated, else its first key identifier,
 * else its AAID, in lower case. `undefined` if it names none.
 */
export function modelNamedBy(entry: unknown): string | undefined {
  const own = membersOf(entry);
  return nameIn(own) ?? nameIn(membersOf(own['metadataStatement']));
}

const membersOf = (value: unknown): JsonObject =>
  typeof value === 'object' && value !== null ? (value as JsonObject) : {};

function nameIn({
  aaguid,
  attestationCertificateKeyIdentifiers: keys,
  aaid,
}: JsonObject): string | undefined {
  const names = [
    isAaguidText(aaguid) ? aaguid : undefined,
    Array.isArray(keys) ? keys[0] : '',
    aaid,
  ];
  return names.find((name) => typeof name === 'string' && name !== '')?.toLowerCase();
}
