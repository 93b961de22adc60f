import { register } from '../../../test/support/authenticator/ceremony.js';
import {
  aaguidExtension,
  ATTESTATION_SUBJECT,
  basicConstraints,
  type CertificateParts,
  type Extension,
  keyUsage,
  name,
  type NamePart,
  OID,
} from '../../../packages/testing/src/certificate-writer.js';
import { octetString, sequence } from '../../../packages/testing/src/der-writer.js';
import { failureOf } from '../../../test/support/authenticator/failure-of.js';
import { createAttester } from '../../../packages/testing/src/attester.js';

const AAGUID = Buffer.alloc(16, 0xa1);
const PROPER = [basicConstraints(false), aaguidExtension(AAGUID)];

const SERIAL_NUMBER = '2.5.4.5';

/** The failure of a certificate that is valid except for these parts. */
function refusal(parts: Partial<CertificateParts>): string | undefined {
  const attester = createAttester(AAGUID, parts);
  const device = { attestation: 'packed', aaguid: AAGUID, attester } as const;
  return failureOf(() => register({ device }));
}

/** The valid subject with one attribute replaced or removed. */
function subject(type: string, ...values: readonly string[]): readonly NamePart[] {
  const others = ATTESTATION_SUBJECT.filter((part) => part[0]?.[0] !== type);
  return [...others, ...name(values.map((value) => [type, value]))];
}

describe('the certificate of packed attestation (WebAuthn L3 §8.2.1)', () => {
  const critical = (id: string): Extension => ({ id, critical: true, value: sequence() });

  it.each<[string, Partial<CertificateParts>]>([
    ['a comma in O', { subject: subject(OID.organization, 'Comma, OU=Nothing') }],
    ['key usage of a leaf', { extensions: [...PROPER, keyUsage('leaf')] }],
    ['no AAGUID extension', { extensions: [basicConstraints(false)] }],
    [
      'the country code QA, next to the user-assigned codes',
      { subject: subject(OID.country, 'QA') },
    ],
    ['C=AA, as in the test vectors of WebAuthn', { subject: subject(OID.country, 'AA') }],
  ])('accepts a packed certificate with %s', (_title, parts) => {
    expect(refusal(parts)).toBeUndefined();
  });

  it.each<[string, Partial<CertificateParts>]>([
    ['version 1', { version: 1, extensions: [] }],
    ['version 2', { version: 2 }],
    ['C missing', { subject: subject(OID.country) }],
    ['C in small letters', { subject: subject(OID.country, 'us') }],
    ['C of three letters', { subject: subject(OID.country, 'USA') }],
    ['C of an unassigned code', { subject: subject(OID.country, 'ZZ') }],
    ['C of a user-assigned code', { subject: subject(OID.country, 'QM') }],
    ['C of a user-assigned code of another range', { subject: subject(OID.country, 'XK') }],
    ['OU missing', { subject: subject(OID.organizationalUnit) }],
    [
      'OU in small letters',
      { subject: subject(OID.organizationalUnit, 'authenticator attestation') },
    ],
    ['OU with a blank', { subject: subject(OID.organizationalUnit, 'Authenticator Attestation ') }],
    ['two OUs', { subject: subject(OID.organizationalUnit, 'Authenticator Attestation', 'x') }],
    [
      'OU in a multi-valued name part',
      {
        subject: [
          ...subject(OID.organizationalUnit),
          [
            [OID.organizationalUnit, 'x'],
            [OID.organizationalUnit, 'Authenticator Attestation'],
          ],
        ],
      },
    ],
    [
      'a second OU beside another attribute',
      {
        subject: [
          ...ATTESTATION_SUBJECT,
          [
            [SERIAL_NUMBER, '1'],
            [OID.organizationalUnit, 'x'],
          ],
        ],
      },
    ],
    [
      'another OU in the same name part',
      {
        subject: [
          ...subject(OID.organizationalUnit),
          [
            [OID.organizationalUnit, 'Authenticator Attestation'],
            [OID.organizationalUnit, 'x'],
          ],
        ],
      },
    ],
    [
      'OU inside O',
      {
        subject: subject(OID.organizationalUnit).map((part) =>
          part[0]?.[0] === OID.organization
            ? [[OID.organization, 'x, OU=Authenticator Attestation']]
            : part,
        ),
      },
    ],
    ['O missing', { subject: subject(OID.organization) }],
    ['CN missing', { subject: subject(OID.commonName) }],
    ['CN empty', { subject: subject(OID.commonName, '') }],
    ['an empty subject', { subject: [] }],
    ['a subject of 100 KB', { subject: subject(OID.commonName, 'x'.repeat(100_000)) }],
    ['basic constraints missing', { extensions: [aaguidExtension(AAGUID)] }],
    [
      'basic constraints of a CA',
      { extensions: [basicConstraints(true), aaguidExtension(AAGUID)] },
    ],
    ['a path length', { extensions: [basicConstraints(false, 0)] }],
    [
      'another AAGUID',
      { extensions: [basicConstraints(false), aaguidExtension(Buffer.alloc(16, 2))] },
    ],
    [
      'AAGUID critical',
      { extensions: [basicConstraints(false), { ...aaguidExtension(AAGUID), critical: true }] },
    ],
    [
      'AAGUID not wrapped',
      { extensions: [basicConstraints(false), { id: OID.aaguid, value: AAGUID }] },
    ],
    [
      'AAGUID of 15 bytes',
      { extensions: [basicConstraints(false), aaguidExtension(Buffer.alloc(15, 0xa1))] },
    ],
    [
      'AAGUID of 17 bytes',
      { extensions: [basicConstraints(false), aaguidExtension(Buffer.alloc(17, 0xa1))] },
    ],
    [
      'AAGUID wrapped twice',
      { extensions: [basicConstraints(false), aaguidExtension(octetString(AAGUID))] },
    ],
    ['AAGUID twice', { extensions: [...PROPER, aaguidExtension(AAGUID)] }],
    ['an unknown critical extension', { extensions: [...PROPER, critical('1.2.3.4')] }],
    ['critical certificate policies', { extensions: [...PROPER, critical('2.5.29.32')] }],
  ])('refuses a packed certificate with %s', (_title, parts) => {
    expect(refusal(parts)).toBe('attestation-certificate');
  });
});
