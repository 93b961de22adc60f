import { createServer } from 'node:net';
import { register } from '../support/authenticator/ceremony.js';
import {
  ATTESTATION_SUBJECT,
  basicConstraints,
  createAuthority,
  writeCertificate,
} from '../../packages/testing/src/certificate-writer.js';
import * as der from '../../packages/testing/src/der-writer.js';
import { failureOf } from '../support/authenticator/failure-of.js';
import { ALG, createKeyPair } from '../../packages/testing/src/key-pair.js';
import { attestationRoot, createAttester } from '../../packages/testing/src/attester.js';
import { tpmCertificate } from '../../packages/testing/src/tpm-certificate.js';
import { writeTpm } from '../../packages/testing/src/tpm-statement.js';
import { loadCertificate } from '../../src/webauthn/certificates/certificate.js';
import { validateCertificatePath } from '../../src/webauthn/certificates/certificate-path.js';
import { isBrokenPath, evaluateTrust } from '../../src/webauthn/attestation/attestation-trust.js';
import { listen } from '../support/listen.js';

const AT = new Date('2026-01-01T00:00:00Z');
const PAST = new Date('2021-01-01T00:00:00Z');
const FUTURE = new Date('2059-01-01T00:00:00Z');
const AAGUID = Buffer.alloc(16, 7);
const ANCHORS = [attestationRoot().certificate];
const DAY = 24 * 60 * 60 * 1000;

const trustOf = (verified: ReturnType<typeof register>, anchors: readonly Buffer[] = ANCHORS) =>
  evaluateTrust(verified, { anchors, at: AT });

describe('evaluateTrust', () => {
  it('evaluateTrust does not trust a self attestation', () => {
    const verified = register({ device: { attestation: 'packed-self' } });
    expect(trustOf(verified)).toMatchObject({ trusted: false, reason: 'self-attestation' });
  });

  it('evaluateTrust does not trust an attestation of format none', () => {
    expect(trustOf(register())).toMatchObject({ trusted: false, reason: 'not-attested' });
  });

  it('evaluateTrust does not trust a TPM attestation whose certificates lead to an unknown root', () => {
    const verified = register({
      device: { attestation: (input) => writeTpm(input), algorithm: ALG.RS256 },
    });
    expect(trustOf(verified)).toMatchObject({ trusted: true, proves: 'platform' });
    const verdict = trustOf(verified, [createAuthority('Another Root').certificate]);
    expect(verdict).toMatchObject({ trusted: false, reason: 'no-anchor-issued-it' });
    expect(isBrokenPath(verdict)).toBe(false);
  });
});

describe('attestation statements', () => {
  it.each([
    ['expired', { notAfter: PAST }],
    ['not yet valid', { notBefore: FUTURE }],
  ])('refuses a TPM statement whose certificate is %s', (_, parts) => {
    const aik = createKeyPair(ALG.RS256);
    const refusal = failureOf(() =>
      register({
        device: {
          algorithm: ALG.RS256,
          attestation: (input) => writeTpm(input, { x5c: () => [tpmCertificate(aik, parts)] }),
        },
        expected: { at: AT },
      }),
    );
    expect(refusal).toBe('certificate-path');
  });

  it('refuses a packed statement that has certificates but is signed by the credential key', () => {
    const refusal = failureOf(() =>
      register({
        device: { attestation: 'packed-self', aaguid: AAGUID },
        tweaks: { statement: (good) => new Map(good).set('x5c', createAttester(AAGUID).x5c) },
      }),
    );
    expect(refusal).toBe('attestation-signature');
  });

  it.each([31, 33])(
    'refuses a fido-u2f statement for a key whose x-coordinate has %d bytes',
    (length) => {
      const refusal = failureOf(() =>
        register({
          device: { attestation: 'fido-u2f' },
          tweaks: { coseKey: (good) => new Map(good).set(-2, Buffer.alloc(length, 1)) },
        }),
      );
      expect(refusal).toBe('key-not-acceptable');
    },
  );

  it('refuses the public key of Firefox 117, whose map header counts one member too few', () => {
    const spoiled = Buffer.concat([
      Buffer.from('a301634f4b500327206745643235353139215820', 'hex'),
      Buffer.alloc(32, 1),
    ]);
    const refusal = failureOf(() => register({ tweaks: { coseKeyBytes: spoiled } }));
    expect(refusal).toBe('data-left-over');
  });
});

describe('attestation certificates', () => {
  const certificate = (extension: Buffer, id = '1.3.6.1.5.5.7.1.1') =>
    writeCertificate({
      subject: ATTESTATION_SUBJECT,
      issuer: attestationRoot(),
      publicKey: createKeyPair(ALG.ES256).publicKey,
      extensions: [basicConstraints(false), { id, value: extension }],
    });

  it.each([
    ['0', Buffer.of(0)],
    ['-1', Buffer.of(0xff)],
    ['10 KB', Buffer.alloc(10_240, 0x11)],
  ])(
    'a certificate with the serial number %s is either read or refused as a bad certificate',
    (_, serial) => {
      const good = certificate(der.sequence());
      const written = withSerial(good, serial);
      const refusal = failureOf(() => loadCertificate(written));
      expect([undefined, 'attestation-certificate']).toContain(refusal);
    },
  );

  it('the validation of a certificate path does not connect to an address in a certificate', async () => {
    const connections: unknown[] = [];
    const server = createServer((socket) => connections.push(socket.destroy()));
    const port = await listen(server);
    const url = der.element(0x86, Buffer.from(`http://127.0.0.1:${port}/ca.der`));
    const issuers = der.sequence(der.sequence(der.oid('1.3.6.1.5.5.7.48.2'), url));
    const verdict = validateCertificatePath([certificate(issuers)], { anchors: ANCHORS, at: AT });
    expect(verdict.trusted).toBe(true);
    await new Promise((resolve) => server.close(resolve));
    expect(connections).toEqual([]);
  });

  it('refuses a certificate ten seconds or a day outside its validity', () => {
    const notBefore = AT;
    const notAfter = new Date(AT.getTime() + DAY);
    const [leaf = Buffer.of()] = createAttester(AAGUID, { notBefore, notAfter }).x5c;
    const reasonAt = (time: number) =>
      validateCertificatePath([leaf], { anchors: ANCHORS, at: new Date(time) }).reason;
    const start = AT.getTime();
    expect(
      [-DAY, -10_000, 0, DAY, DAY + 10_000, 2 * DAY].map((offset) => reasonAt(start + offset)),
    ).toEqual(['not-yet-valid', 'not-yet-valid', undefined, undefined, 'expired', 'expired']);
  });
});

/** The certificate with another serial number; its signature does not fit any more. */
function withSerial(certificate: Buffer, serial: Buffer): Buffer {
  const versionEnd = certificate.indexOf(Buffer.from('a003020102', 'hex')) + 5;
  const oldEnd = versionEnd + 2 + certificate.readUInt8(versionEnd + 1);
  const signatureAt = certificate.length - signatureLength(certificate);
  const body = Buffer.concat([
    Buffer.from('a003020102', 'hex'),
    der.element(0x02, serial),
    certificate.subarray(oldEnd, signatureAt),
  ]);
  return der.sequence(der.sequence(body), certificate.subarray(signatureAt));
}

/** AlgorithmIdentifier of ECDSA with SHA-256, and the BIT STRING behind it. */
function signatureLength(certificate: Buffer): number {
  const algorithm = der.sequence(der.oid('1.2.840.10045.4.3.2'));
  return certificate.length - certificate.lastIndexOf(algorithm);
}
