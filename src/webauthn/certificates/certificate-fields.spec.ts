import { X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import { AsnConvert } from '@peculiar/asn1-schema';
import { BasicConstraints, Certificate } from '@peculiar/asn1-x509';
import {
  boolean,
  integer,
  octetString,
  oid,
  sequence,
} from '../../../test/support/authenticator/der-writer.js';
import {
  readBasicConstraints,
  readCertificateFields,
  readDirectoryNames,
  readKeyPurposes,
} from './certificate-fields.js';

const ROOTS = rootCertificates.map((pem) => new X509Certificate(pem).raw);
const BASIC_CONSTRAINTS = '2.5.29.19';

describe('RFC 5280 §4.1: the fields of a certificate', () => {
  it('equal those of an independent parser for all public roots of the platform', () => {
    expect(ROOTS.length).toBeGreaterThan(100);
    for (const der of ROOTS) {
      const { tbsCertificate: tbs } = AsnConvert.parse(der, Certificate);
      expect(readCertificateFields(der)).toEqual({
        version: tbs.version,
        serialNumber: Buffer.from(tbs.serialNumber).toString('hex'),
        signatureAlgorithm: tbs.signature.algorithm,
        subject: [...tbs.subject].map((part) =>
          [...part].map(({ type, value }) => ({ type, text: value.toString() })),
        ),
        notBefore: tbs.validity.notBefore.getTime().getTime(),
        notAfter: tbs.validity.notAfter.getTime().getTime(),
        keyBits: Buffer.from(tbs.subjectPublicKeyInfo.subjectPublicKey),
        extensions: (tbs.extensions ?? []).map(({ extnID, critical, extnValue }) => [
          extnID,
          { critical, value: Buffer.from(extnValue.buffer) },
        ]),
      });
    }
  });

  it('§4.2.1.9 include the same basic constraints', () => {
    for (const der of ROOTS) {
      const extensions = new Map(readCertificateFields(der)?.extensions);
      const { value } = extensions.get(BASIC_CONSTRAINTS) ?? {};
      if (value === undefined) continue;
      const { cA, pathLenConstraint } = AsnConvert.parse(value, BasicConstraints);
      expect(readBasicConstraints(value)).toEqual({ cA, pathLenConstraint });
    }
  });
});

describe('values of extensions', () => {
  it.each([
    ['nothing said', sequence(), { cA: false, pathLenConstraint: undefined }],
    ['CA', sequence(boolean(true), integer(1)), { cA: true, pathLenConstraint: 1 }],
    ['a text', octetString(Buffer.of(1)), undefined],
    ['a negative length', sequence(boolean(true), Buffer.from('0201ff', 'hex')), undefined],
    ['more than there is', sequence(boolean(true), integer(1), integer(1)), undefined],
    ['no DER', Buffer.from('3080', 'hex'), undefined],
  ])('§4.2.1.9 basic constraints: %s', (_title, value, expected) => {
    expect(readBasicConstraints(value)).toEqual(expected);
  });

  it('§4.2.1.12 extended key usages are object identifiers, and at least one', () => {
    expect(readKeyPurposes(sequence(oid('2.23.133.8.3')))).toEqual(['2.23.133.8.3']);
    expect(readKeyPurposes(sequence())).toBeUndefined();
    expect(readKeyPurposes(sequence(Buffer.from('060188', 'hex')))).toBeUndefined();
  });

  it('§4.2.1.6 ignores alternative names other than directory names', () => {
    const host = Buffer.concat([Buffer.of(0x82, 3), Buffer.from('a.b')]);
    expect(readDirectoryNames(sequence(host))).toEqual([]);
    expect(readDirectoryNames(octetString(Buffer.of(1)))).toBeUndefined();
  });
});
