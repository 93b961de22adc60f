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

describe('§8.2.1 packed attestation certificates', () => {
  const critical = (id: string): Extension => ({ id, critical: true, value: sequence() });

  it.each<[string, Partial<CertificateParts>]>([
    ['a comma in O (PK18)', { subject: subject(OID.organization, 'Comma, OU=Nothing') }],
    ['key usage of a leaf', { extensions: [...PROPER, keyUsage('leaf')] }],
    ['no AAGUID extension', { extensions: [basicConstraints(false)] }],
    ['a country behind the codes of users', { subject: subject(OID.country, 'QA') }],
    ['C=AA, as in the test vectors of WebAuthn', { subject: subject(OID.country, 'AA') }],
  ])('accepts %s', (_title, parts) => {
    expect(refusal(parts)).toBeUndefined();
  });

  it.each<[string, Partial<CertificateParts>]>([
    ['version 1 (PK15)', { version: 1, extensions: [] }],
    ['version 2 (PK15)', { version: 2 }],
    ['C missing (PK16)', { subject: subject(OID.country) }],
    ['C in small letters (PK16)', { subject: subject(OID.country, 'us') }],
    ['C of three letters (PK16)', { subject: subject(OID.country, 'USA') }],
    ['C of no country (PK16)', { subject: subject(OID.country, 'ZZ') }],
    ['C of users, not of a country (PK16)', { subject: subject(OID.country, 'QM') }],
    ['C of users, of another range (PK16)', { subject: subject(OID.country, 'XK') }],
    ['OU missing (PK17)', { subject: subject(OID.organizationalUnit) }],
    [
      'OU in small letters (PK17)',
      { subject: subject(OID.organizationalUnit, 'authenticator attestation') },
    ],
    [
      'OU with a blank (PK17)',
      { subject: subject(OID.organizationalUnit, 'Authenticator Attestation ') },
    ],
    [
      'two OUs (PK17)',
      { subject: subject(OID.organizationalUnit, 'Authenticator Attestation', 'x') },
    ],
    [
      'OU in a multi-valued name part (PK17)',
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
      'a second OU beside another attribute (PK17)',
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
      'another OU in the same name part (PK17)',
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
      'OU inside O (PK18)',
      {
        subject: subject(OID.organizationalUnit).map((part) =>
          part[0]?.[0] === OID.organization
            ? [[OID.organization, 'x, OU=Authenticator Attestation']]
            : part,
        ),
      },
    ],
    ['O missing (PK19)', { subject: subject(OID.organization) }],
    ['CN missing (PK19)', { subject: subject(OID.commonName) }],
    ['CN empty (PK19)', { subject: subject(OID.commonName, '') }],
    ['subject empty (PK19)', { subject: [] }],
    ['subject of 100 KB (PK19)', { subject: subject(OID.commonName, 'x'.repeat(100_000)) }],
    ['basic constraints absent (PK20)', { extensions: [aaguidExtension(AAGUID)] }],
    ['CA (PK20)', { extensions: [basicConstraints(true), aaguidExtension(AAGUID)] }],
    ['a path length (PK20)', { extensions: [basicConstraints(false, 0)] }],
    [
      'another AAGUID (PK21)',
      { extensions: [basicConstraints(false), aaguidExtension(Buffer.alloc(16, 2))] },
    ],
    [
      'AAGUID critical (PK22)',
      { extensions: [basicConstraints(false), { ...aaguidExtension(AAGUID), critical: true }] },
    ],
    [
      'AAGUID not wrapped (PK22)',
      { extensions: [basicConstraints(false), { id: OID.aaguid, value: AAGUID }] },
    ],
    [
      'AAGUID of 15 bytes (PK22)',
      { extensions: [basicConstraints(false), aaguidExtension(Buffer.alloc(15, 0xa1))] },
    ],
    [
      'AAGUID of 17 bytes (PK22)',
      { extensions: [basicConstraints(false), aaguidExtension(Buffer.alloc(17, 0xa1))] },
    ],
    [
      'AAGUID wrapped twice (PK22)',
      { extensions: [basicConstraints(false), aaguidExtension(octetString(AAGUID))] },
    ],
    ['AAGUID twice (PK22)', { extensions: [...PROPER, aaguidExtension(AAGUID)] }],
    ['an unknown critical extension (PK25)', { extensions: [...PROPER, critical('1.2.3.4')] }],
    ['critical certificate policies (PK25)', { extensions: [...PROPER, critical('2.5.29.32')] }],
  ])('%s is refused', (_title, parts) => {
    expect(refusal(parts)).toBe('attestation-certificate');
  });
});
