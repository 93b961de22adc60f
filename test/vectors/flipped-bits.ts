import { createHash, X509Certificate } from 'node:crypto';
import { readAttestationObject } from '../../src/webauthn/attestation/attestation-object.js';
import { validateCertificatePath } from '../../src/webauthn/certificates/certificate-path.js';
import { isCborArray, isCborMap } from '../../src/webauthn/cbor.js';
import { parseAuthentication, verifyAuthentication } from '../../src/webauthn/authentication.js';
import { checkClientData, UNKNOWN_PAGE } from '../../src/webauthn/client-data.js';
import { importCoseKey, type VerificationKey } from '../../src/webauthn/keys/cose-key.js';
import { CeremonyError } from '../../src/webauthn/failure.js';
import { parseRegistration, verifyRegistration } from '../../src/webauthn/registration.js';
import { bytes, type Ceremony, readAnchor } from './vectors.js';

/** A range of bytes, `end` behind its last. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/** Bytes that may change unnoticed, and why. */
interface Unsigned {
  readonly part: Part;
  readonly reason: string;
  readonly range: (bytes: Buffer, entry: Ceremony) => Range;
}

const PARTS = ['clientDataJSON', 'attestationObject', 'authenticatorData', 'signature'] as const;
export type Part = (typeof PARTS)[number];

const NOTHING: Range = { start: 0, end: 0 };
const RP_ID_HASH = 32;
const AAGUID_BYTES = 16;
/** The lowest and the highest bit of each byte; of a signature all, of stand-ins one. */
const TWO_BITS = [0x01, 0x80];
const ONE_BIT = [0x01];
const ALL_BITS = [0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80];

/** The position of the authenticator data in an attestation object. */
function authDataAt(object: Buffer, { rpId }: Ceremony): number {
  return object.indexOf(createHash('sha256').update(rpId).digest());
}

const COUNTER: Unsigned = {
  part: 'attestationObject',
  reason: 'the counter is not signed under this format, and any counter is a first one',
  range: (object, entry) => {
    const start = authDataAt(object, entry) + RP_ID_HASH + 1;
    return { start, end: start + 4 };
  },
};

/** By attestation format; of other formats everything is signed. */
const UNSIGNED: Readonly<Record<string, readonly Unsigned[]>> = {
  none: [
    COUNTER,
    {
      part: 'attestationObject',
      reason: 'nothing vouches for the AAGUID of an authenticator that attests nothing',
      range: (object, entry) => {
        const start = authDataAt(object, entry) + RP_ID_HASH + 5;
        return { start, end: start + AAGUID_BYTES };
      },
    },
    {
      part: 'clientDataJSON',
      reason: 'nothing signs client data: unknown members are ignored, no crossOrigin means false',
      range: (json, { topOrigin }) => {
        const start = json.indexOf(topOrigin === undefined ? '"crossOrigin"' : '"extraData"');
        return start < 0 ? NOTHING : { start, end: json.length };
      },
    },
  ],
  // §8.6: the signature is over the RP ID, the client data, the credential ID and the public key.
  'fido-u2f': [COUNTER],
};

/**
 * Certificates are signed by authorities, and the collection does not hold that of W3C's vectors.
 * Those of {@link STAND_INS} are flipped instead.
 */
const WITHOUT_ANCHOR: Unsigned = {
  part: 'attestationObject',
  reason: 'a certificate is as good as its issuer, who is not known here',
  range: (object) => {
    const [certificate] = certificatesIn(object);
    if (certificate === undefined) return NOTHING;
    const start = object.indexOf(certificate);
    return { start, end: start + certificate.length };
  },
};

/** The anchor, where it was sent with the leaf: the path ends at the anchor itself, so the sent copy proves nothing. */
const COPY_OF_ANCHOR: Unsigned = {
  part: 'attestationObject',
  reason: 'the path ends at the anchor, and what goes on past it only continues the chain',
  range: (object, entry) => {
    const anchor = anchorOf(entry);
    const start = anchor === undefined ? -1 : object.indexOf(anchor);
    return anchor === undefined || start < 0 ? NOTHING : { start, end: start + anchor.length };
  },
};

function certificatesIn(object: Buffer): readonly Buffer[] {
  const { statement } = readAttestationObject(object);
  const x5c = isCborMap(statement) ? statement.get('x5c') : undefined;
  return isCborArray(x5c) ? x5c.filter(Buffer.isBuffer) : [];
}

/**
 * Ceremonies of real authenticators whose anchors the collection holds: here the certificates are
 * flipped too. And fido-u2f, since W3C's own has an AAGUID, which our interface refuses.
 */
export const STAND_INS = [
  'swa-fido-u2f-es256-verifyregistrationresponse-test-985',
  'swa-packed-full-es256-verifyregistrationresponse-test-1158',
  'swa-android-key-es256-verifyattestationandroidkey-test-43',
  'swa-apple-es256-verifyattestationapple-test-23',
];

function clientExpectation(entry: Ceremony) {
  return {
    challenge: entry.challenge,
    origins: [entry.origin],
    topOrigins: [entry.topOrigin ?? (entry.crossOrigin === true ? UNKNOWN_PAGE : [])].flat(),
  };
}

export function anchorOf({ trustAnchor = '' }: Ceremony): Buffer | undefined {
  const pem = readAnchor(trustAnchor);
  return pem === undefined ? undefined : new X509Certificate(pem).raw;
}

const rpIdHashOf = ({ rpId }: Ceremony) => createHash('sha256').update(rpId).digest();

export type Changed = (part: Part) => Buffer;

export const keyOf = ({ publicKeyCose }: Ceremony) => importCoseKey(bytes(publicKeyCose));

/** Passes when the registration is accepted and its attestation, where it has one, trusted. */
export function register(entry: Ceremony, anchor: Buffer | undefined, part: Changed): void {
  const at = new Date(entry.evaluateAt ?? 0);
  const { attestation } = verifyRegistration(
    parseRegistration({
      clientDataJSON: part('clientDataJSON'),
      attestationObject: part('attestationObject'),
    }),
    {
      ...clientExpectation(entry),
      rpIdHash: rpIdHashOf(entry),
      userVerificationRequired: entry.flags.uv,
      algorithms: [entry.alg],
      credentialId: bytes(entry.credentialId),
      at,
    },
  );
  if (anchor === undefined) return;
  const anchors = [anchor];
  const policy = { anchors, sha1Anchors: anchors, at };
  const { trusted } = validateCertificatePath(attestation.trustPath, policy);
  if (!trusted) throw new CeremonyError('attestation-not-trusted');
}

export function signIn(entry: Ceremony, key: VerificationKey, part: Changed): void {
  const parsed = parseAuthentication({
    clientDataJSON: part('clientDataJSON'),
    authenticatorData: part('authenticatorData'),
    signature: part('signature'),
  });
  checkClientData(parsed.clientData, { ...clientExpectation(entry), type: 'webauthn.get' });
  verifyAuthentication(
    parsed,
    { key, backupEligible: entry.flags.be },
    { rpIdHash: rpIdHashOf(entry), userVerificationRequired: entry.flags.uv },
  );
}

export function isAccepted(action: () => void): boolean {
  try {
    action();
    return true;
  } catch (error) {
    if (error instanceof CeremonyError) return false;
    throw error;
  }
}

/** The places of a part, `byte:mask`, whose change is not noticed though it is signed. */
export function unnoticed(
  entry: Ceremony,
  part: Part,
  accepts: (changed: Changed) => boolean,
): readonly string[] {
  const original = bytes(entry[part]);
  const flipped = Buffer.from(original);
  const intact = new Map(PARTS.map((name) => [name, bytes(entry[name] ?? '')]));
  const unsigned = unsignedRanges(entry, part);
  const signed = [...original.keys()].filter(
    (index) => !unsigned.some(({ start, end }) => index >= start && index < end),
  );
  return signed.flatMap((index) =>
    masksFor(entry, part)
      .filter((mask) => {
        flipped.writeUInt8(original.readUInt8(index) ^ mask, index);
        const accepted = accepts((name) => (name === part ? flipped : intact.get(name)) ?? flipped);
        flipped.writeUInt8(original.readUInt8(index), index);
        return accepted;
      })
      .map((mask) => `${index}:${mask}`),
  );
}

function masksFor({ id }: Ceremony, part: Part): readonly number[] {
  if (part === 'signature') return ALL_BITS;
  return STAND_INS.includes(id) ? ONE_BIT : TWO_BITS;
}

function unsignedRanges(entry: Ceremony, part: Part): readonly Range[] {
  const ofAnchor = anchorOf(entry) === undefined ? [WITHOUT_ANCHOR] : [];
  return [...(UNSIGNED[entry.format ?? ''] ?? []), ...ofAnchor, COPY_OF_ANCHOR]
    .filter((unsigned) => unsigned.part === part)
    .map(({ range }) => range(bytes(entry[part]), entry));
}
