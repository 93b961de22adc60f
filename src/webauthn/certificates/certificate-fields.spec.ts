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
} from '../../../packages/testing/src/der-writer.js';
import {
  readBasicConstraints,
  readCertificateFields,
  readDirectoryNames,
  readKeyPurposes,
} from './certificate-fields.js';

const ROOTS = rootCertificates.map((pem) => new X509Certificate(pem).raw);
const BASIC_CONSTRAINTS = '2.5.29.19';

describe('the fields of a certificate (RFC 5280 §4.1)', () => {
  it('reads the same fields as an independent parser from all public roots of the platform', () => {
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

  it('reads the same basic constraints as an independent parser (RFC 5280 §4.2.1.9)', () => {
    for (const der of ROOTS) {
      const extensions = new Map(readCertificateFields(der)?.extensions);
      const { value } = extensions.get(BASIC_CONSTRAINTS) ?? {};
      if (value === undefined) continue;
      const { cA, pathLenConstraint } = AsnConvert.parse(value, BasicConstraints);
      expect(readBasicConstraints(value)).toEqual({ cA, pathLenConstraint });
    }
  });
});

describe('the values of certificate extensions', () => {
  it.each([
    ['no members', sequence(), { cA: false, pathLenConstraint: undefined }],
    [
      'the CA flag and a path length',
      sequence(boolean(true), integer(1)),
      { cA: true, pathLenConstraint: 1 },
    ],
    ['an octet string in their place', octetString(Buffer.of(1)), undefined],
    ['a negative length', sequence(boolean(true), Buffer.from('0201ff', 'hex')), undefined],
    ['an additional member', sequence(boolean(true), integer(1), integer(1)), undefined],
    ['bytes that are not DER', Buffer.from('3080', 'hex'), undefined],
  ])('reads basic constraints with %s (RFC 5280 §4.2.1.9)', (_title, value, expected) => {
    expect(readBasicConstraints(value)).toEqual(expected);
  });

  it('reads extended key usages as object identifiers, at least one (RFC 5280 §4.2.1.12)', () => {
    expect(readKeyPurposes(sequence(oid('2.23.133.8.3')))).toEqual(['2.23.133.8.3']);
    expect(readKeyPurposes(sequence())).toBeUndefined();
    expect(readKeyPurposes(sequence(Buffer.from('060188', 'hex')))).toBeUndefined();
  });

  it('ignores alternative names other than directory names (RFC 5280 §4.2.1.6)', () => {
    const host = Buffer.concat([Buffer.of(0x82, 3), Buffer.from('a.b')]);
    expect(readDirectoryNames(sequence(host))).toEqual([]);
    expect(readDirectoryNames(octetString(Buffer.of(1)))).toBeUndefined();
  });
});
