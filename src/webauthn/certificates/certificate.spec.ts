import fc from 'fast-check';
import {
  ATTESTATION_SUBJECT,
  basicConstraints,
  writeCertificate,
} from '../../../packages/testing/src/certificate-writer.js';
import { nested, octetString, oid, sequence } from '../../../packages/testing/src/der-writer.js';
import { failureOf } from '../../../test/support/authenticator/failure-of.js';
import {
  ALG,
  createKeyPair,
  generateKeys,
  rawPoint,
} from '../../../packages/testing/src/key-pair.js';
import { attestationRoot } from '../../../packages/testing/src/attester.js';
import { basicConstraintsOf, importCertificateKey, loadCertificate } from './certificate.js';

const KEY_PAIR = createKeyPair(ALG.ES256);
const CERTIFICATE = writeCertificate({
  subject: ATTESTATION_SUBJECT,
  publicKey: KEY_PAIR.publicKey,
  issuer: attestationRoot(),
  extensions: [basicConstraints(false)],
});

/** The certificate with some bytes replaced by as many others, which invalidates its signature. */
function replaced(certificate: Buffer, part: Buffer, by: Buffer): Buffer {
  const changed = Buffer.from(certificate);
  by.copy(changed, certificate.indexOf(part));
  return changed;
}

/** Start and end of a sequence of indefinite length (X.690 §8.1.3.6), which is BER but not DER. */
const INDEFINITE = Buffer.of(0x30, 0x80);
const END = Buffer.alloc(2);

const refusal = (der: Buffer) => failureOf(() => loadCertificate(der));

describe('loadCertificate', () => {
  it('loads a valid certificate with its bytes and basic constraints', () => {
    const certificate = loadCertificate(CERTIFICATE);
    expect(certificate.der).toBe(CERTIFICATE);
    expect(basicConstraintsOf(certificate)?.cA).toBe(false);
  });

  it('refuses a certificate whose key is not a point on the curve', () => {
    const point = rawPoint(KEY_PAIR);
    const broken = Buffer.from(CERTIFICATE);
    broken.fill(0xff, CERTIFICATE.indexOf(point) + 1, CERTIFICATE.indexOf(point) + point.length);
    expect(refusal(broken)).toBe('attestation-certificate');
  });

  it('refuses a certificate whose key is of an unknown kind or zero', () => {
    const idEcPublicKey = oid('1.2.840.10045.2.1');
    const unknown = replaced(CERTIFICATE, idEcPublicKey, oid('1.2.840.10045.2.9'));
    expect(refusal(unknown)).toBe('attestation-certificate');
    const { publicKey } = createKeyPair(ALG.RS256);
    const parts = { subject: ATTESTATION_SUBJECT, issuer: attestationRoot() };
    const { n = '' } = publicKey.export({ format: 'jwk' });
    const modulus = Buffer.from(n, 'base64url');
    const zero = replaced(writeCertificate({ ...parts, publicKey }), modulus, Buffer.alloc(256));
    const use = () => importCertificateKey(loadCertificate(zero), ALG.RS256);
    expect(failureOf(use)).toBe('attestation-certificate');
  });

  it.each<[string, Buffer]>([
    ['10,000 nested sequences', nested(10_000)],
    ['a length beyond the end', Buffer.from('3082ffff00', 'hex')],
    ['an indefinite length', Buffer.concat([INDEFINITE, CERTIFICATE.subarray(4), END])],
    ['10 MB', Buffer.alloc(10 * 1024 * 1024, 0x30)],
    ['an empty sequence', sequence()],
    ['an empty byte string', Buffer.alloc(0)],
    ['a certificate with a byte behind it', Buffer.concat([CERTIFICATE, Buffer.of(0)])],
    [
      'a certificate in PEM',
      Buffer.from(
        `-----BEGIN CERTIFICATE-----\n${CERTIFICATE.toString('base64')}\n-----END CERTIFICATE-----`,
      ),
    ],
  ])('refuses as a certificate: %s', (_title, der) => {
    expect(refusal(der)).toBe('attestation-certificate');
  });

  it('refuses a certificate with invalid basic constraints', () => {
    const certificate = writeCertificate({
      subject: ATTESTATION_SUBJECT,
      publicKey: KEY_PAIR.publicKey,
      issuer: attestationRoot(),
      extensions: [{ ...basicConstraints(false), value: octetString(Buffer.of(1)) }],
    });
    const read = () => basicConstraintsOf(loadCertificate(certificate));
    expect(failureOf(read)).toBe('attestation-certificate');
  });

  it('refuses a certificate key that matches no COSE algorithm', () => {
    const { publicKey } = generateKeys('ec', { namedCurve: 'secp224r1' });
    const certificate = loadCertificate(
      writeCertificate({ subject: ATTESTATION_SUBJECT, publicKey, issuer: attestationRoot() }),
    );
    const refused = failureOf(() => importCertificateKey(certificate, ALG.ES256));
    expect(refused).toBe('attestation-certificate');
  });

  it('parses a certificate of the same bytes only once', () => {
    expect(loadCertificate(CERTIFICATE)).toBe(loadCertificate(CERTIFICATE));
  });

  it('refuses a certificate truncated at any byte', () => {
    const lengths = [...Array(CERTIFICATE.length).keys()];
    const failures = lengths.map((length) => refusal(CERTIFICATE.subarray(0, length)));
    expect(new Set(failures)).toEqual(new Set(['attestation-certificate']));
  });

  it('returns a certificate or a named failure for any changed byte', () => {
    fc.assert(
      fc.property(fc.nat(CERTIFICATE.length - 1), fc.nat(255), (at, value) => {
        const changed = Buffer.from(CERTIFICATE);
        changed.writeUInt8(value, at);
        expect([undefined, 'attestation-certificate']).toContain(refusal(changed));
      }),
    );
  });
});
