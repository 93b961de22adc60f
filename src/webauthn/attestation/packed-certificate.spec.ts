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
} from '../../../test/support/authenticator/certificate-writer.js';
import { octetString, sequence } from '../../../test/support/authenticator/der-writer.js';
import { failureOf } from '../../../test/support/authenticator/failure-of.js';
import { createAttester } from '../../../test/support/authenticator/statements.js';

const AAGUID = Buffer.alloc(16, 0xa1);
const PROPER = [basicConstraints(false), aaguidExtension(AAGUID)];

const SERIAL_NUMBER = '2.5.4.5';

/** What a certificate with these parts, and proper ones else, is refused for. */
function refusal(parts: Partial<CertificateParts>): string | undefined {
  const attester = createAttester(AAGUID, parts);
  const device = { attestation: 'packed', aaguid: AAGUID, attester } as const;
  return failureOf(() => register({ device }));
}

/** The proper subject with one attribute replaced, or without it. */
function subject(type: string, ...values: readonly string[]): readonly NamePart[] {
  const others = ATTESTATION_SUBJECT.filter((part) => part[0]?.[0] !== type);
  return [...others, ...name(values.map((value) => [type, value]))];
}

describe('§8.2.1 packed attestation certificates', () => {
  const critical = (id: string): Extension => ({ id, critical: true, value: sequence() });

  it.each<[string, Partial<CertificateParts>]>([
    ['PK18: a comma in O', { subject: subject(OID.organization, 'Comma, OU=Nothing') }],
    ['key usage of a leaf', { extensions: [...PROPER, keyUsage('leaf')] }],
    ['no AAGUID extension', { extensions: [basicConstraints(false)] }],
    ['a country behind the codes of users', { subject: subject(OID.country, 'QA') }],
    ['C=AA, as in the test vectors of WebAuthn', { subject: subject(OID.country, 'AA') }],
  ])('accepts %s', (_title, parts) => {
    expect(refusal(parts)).toBeUndefined();
  });

  it.each<[string, Partial<CertificateParts>]>([
    ['PK15: version 1', { version: 1, extensions: [] }],
    ['PK15: version 2', { version: 2 }],
    ['PK16: C missing', { subject: subject(OID.country) }],
    ['PK16: C in small letters', { subject: subject(OID.country, 'us') }],
    ['PK16: C of three letters', { subject: subject(OID.country, 'USA') }],
    ['PK16: C of no country', { subject: subject(OID.country, 'ZZ') }],
    ['PK16: C of users, not of a country', { subject: subject(OID.country, 'QM') }],
    ['PK16: C of users, of another range', { subject: subject(OID.country, 'XK') }],
    ['PK17: OU missing', { subject: subject(OID.organizationalUnit) }],
    [
      'PK17: OU in small letters',
      { subject: subject(OID.organizationalUnit, 'authenticator attestation') },
    ],
    [
      'PK17: OU with a blank',
      { subject: subject(OID.organizationalUnit, 'Authenticator Attestation ') },
    ],
    [
      'PK17: two OUs',
      { subject: subject(OID.organizationalUnit, 'Authenticator Attestation', 'x') },
    ],
    [
      'PK17: OU in a multi-valued name part',
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
      'PK17: a second OU beside another attribute',
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
      'PK17: another OU in the same name part',
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
      'PK18: OU inside O',
      {
        subject: subject(OID.organizationalUnit).map((part) =>
          part[0]?.[0] === OID.organization
            ? [[OID.organization, 'x, OU=Authenticator Attestation']]
            : part,
        ),
      },
    ],
    ['PK19: O missing', { subject: subject(OID.organization) }],
    ['PK19: CN missing', { subject: subject(OID.commonName) }],
    ['PK19: CN empty', { subject: subject(OID.commonName, '') }],
    ['PK19: subject empty', { subject: [] }],
    ['PK19: subject of 100 KB', { subject: subject(OID.commonName, 'x'.repeat(100_000)) }],
    ['PK20: basic constraints absent', { extensions: [aaguidExtension(AAGUID)] }],
    ['PK20: CA', { extensions: [basicConstraints(true), aaguidExtension(AAGUID)] }],
    ['PK20: a path length', { extensions: [basicConstraints(false, 0)] }],
    [
      'PK21: another AAGUID',
      { extensions: [basicConstraints(false), aaguidExtension(Buffer.alloc(16, 2))] },
    ],
    [
      'PK22: AAGUID critical',
      { extensions: [basicConstraints(false), { ...aaguidExtension(AAGUID), critical: true }] },
    ],
    [
      'PK22: AAGUID not wrapped',
      { extensions: [basicConstraints(false), { id: OID.aaguid, value: AAGUID }] },
    ],
    [
      'PK22: AAGUID of 15 bytes',
      { extensions: [basicConstraints(false), aaguidExtension(Buffer.alloc(15, 0xa1))] },
    ],
    [
      'PK22: AAGUID of 17 bytes',
      { extensions: [basicConstraints(false), aaguidExtension(Buffer.alloc(17, 0xa1))] },
    ],
    [
      'PK22: AAGUID wrapped twice',
      { extensions: [basicConstraints(false), aaguidExtension(octetString(AAGUID))] },
    ],
    ['PK22: AAGUID twice', { extensions: [...PROPER, aaguidExtension(AAGUID)] }],
    ['PK25: an unknown critical extension', { extensions: [...PROPER, critical('1.2.3.4')] }],
    ['PK25: critical certificate policies', { extensions: [...PROPER, critical('2.5.29.32')] }],
  ])('%s is refused', (_title, parts) => {
    expect(refusal(parts)).toBe('attestation-certificate');
  });
});
