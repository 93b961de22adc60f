import {
  blobEntry,
  blobRoot,
  createBlobSigner,
  writeBlob,
} from '../../../packages/testing/src/blob-writer.js';
import { lastKnownEntries, readMetadataBlob } from './blob.js';
import { MetadataIndex } from './metadata-index.js';
import { evaluateStatus } from './status.js';

const AT = new Date('2026-06-01T12:00:00Z');
const SIGNER = createBlobSigner();
const CERTIFICATE = blobRoot().certificate.toString('base64');
const SOUND = '50000000-0000-4000-8000-000000000000';
const REVOKED = { status: 'REVOKED', effectiveDate: '2026-02-01' };

const aaguidOf = (n: number) => `0dd00000-0000-4000-8000-${String(n).padStart(12, '0')}`;

type Members = Readonly<Record<string, unknown>>;
type Path = readonly (string | number)[];

const WRONG: readonly unknown[] = [
  undefined,
  null,
  '',
  'x',
  '2026-02-30',
  0,
  -1,
  1.5,
  1e300,
  true,
  [],
  {},
  [null],
  [[{}]],
  { constructor: null },
];

describe('the parts of a BLOB that cannot be read', () => {
  it('hold up no other entry, whichever member has whichever wrong type', () => {
    const cases = pathsIn(fullEntry(aaguidOf(0)))
      .flatMap((path) => WRONG.map((wrong) => [path, wrong] as const))
      .map(([path, wrong], n) => ({ path, wrong, aaguid: aaguidOf(n) }));
    const entries = cases.map(({ path, wrong, aaguid }) =>
      withValue(fullEntry(aaguid), path, wrong),
    );
    const lastKnown = cases.map(({ aaguid }) => fullEntry(aaguid));
    const sound = blobEntry(SOUND, {}, { statusReports: [REVOKED] });
    const blob = read([...entries, sound], lastKnown);
    const index = new MetadataIndex(blob.entries);
    const reports = index.byAaguid(SOUND)?.statusReports ?? [];
    expect(evaluateStatus(reports, AT)).toEqual({ verdict: 'refuse', status: 'REVOKED' });
    expect(cases.length).toBeGreaterThan(1000);
    for (const { isEntry, isKept, entry } of blob.skipped) {
      if (isEntry && isKept) expect(index.byAaguid(entry)).toBeDefined();
    }
    // Each model is found, unless its entry does not name it any longer.
    const lost = cases.filter(({ aaguid }) => index.byAaguid(aaguid) === undefined);
    const ofName = (name: string) =>
      ['aaguid', 'attestationCertificateKeyIdentifiers'].includes(name);
    expect(lost.filter(({ path }) => path.length > 0 && !ofName(String(path[0])))).toEqual([]);
    expect(blob.skipped.every(({ detail }) => detail.length < 300)).toBe(true);
  });

  it.each<[string, Members, Members]>([
    ['a picture that is null', { icon: null }, {}],
    ['a description that is a number', { description: 5 }, {}],
    ['authenticatorGetInfo that is null', { authenticatorGetInfo: null }, {}],
    [
      'an effective date that is null',
      {},
      { statusReports: [{ ...REVOKED, effectiveDate: null }] },
    ],
  ])('unreadable parts of a BLOB are skipped without their entry: %s', (_, statement, entry) => {
    const blob = read([blobEntry(SOUND, statement, entry)]);
    expect(blob.entries).toHaveLength(1);
    expect(blob.skipped).toMatchObject([{ entry: SOUND, isEntry: false }]);
  });

  it.each<[string, Members, Members, string]>([
    ['an AAGUID that is null', {}, { aaguid: null }, 'aaid is not text: undefined'],
    ['an AAGUID that is a number', {}, { aaguid: 5 }, 'aaguid is not an AAGUID: 5'],
    [
      'no status reports',
      {},
      { statusReports: undefined },
      'statusReports is not an array: undefined',
    ],
    [
      'a statement that is null',
      {},
      { metadataStatement: null },
      'metadataStatement is not an object: null',
    ],
    [
      'an empty effective date',
      {},
      { statusReports: [{ ...REVOKED, effectiveDate: '' }] },
      'effectiveDate is not a day: ""',
    ],
    [
      'a version of firmware that is text',
      {},
      { statusReports: [{ ...REVOKED, authenticatorVersion: '5' }] },
      'authenticatorVersion is not a whole number: "5"',
    ],
    [
      'roots of numbers',
      { attestationRootCertificates: [5] },
      {},
      'an item of attestationRootCertificates is not text: 5',
    ],
  ])('leave an entry in its last known state: %s', (_, statement, entry, detail) => {
    const odd = blobEntry(SOUND, statement, entry);
    expect(read([odd])).toMatchObject({
      entries: [],
      skipped: [{ entry: SOUND, isEntry: true, isKept: false, detail }],
    });
    const known = blobEntry(SOUND, {}, { statusReports: [REVOKED] });
    const blob = read([odd], [known]);
    expect(blob.skipped).toMatchObject([{ entry: SOUND, isEntry: true, isKept: true }]);
    expect(blob.entries).toMatchObject([{ aaguid: SOUND, statusReports: [{ status: 'REVOKED' }] }]);
  });

  it('include the end of a certification, but not of a problem, which does not end', () => {
    const reports = (status: string) => ({
      statusReports: [{ status, effectiveDate: '2026-01-01', sunsetDate: 5 }],
    });
    expect(read([blobEntry(SOUND, {}, reports('FIDO_CERTIFIED_L1'))]).entries).toEqual([]);
    expect(read([blobEntry(SOUND, {}, reports('REVOKED'))]).skipped).toEqual([]);
  });

  it('unreadable parts of a BLOB do not include what accompanies an unknown status', () => {
    const odd = { status: 'BRAND_NEW', effectiveDate: 5, authenticatorVersion: {} };
    expect(read([blobEntry(SOUND, {}, { statusReports: [REVOKED, odd] })]).skipped).toEqual([]);
  });

  it('find their last known state in the BLOB until now, or in what was known before it', () => {
    const first = aaguidOf(1);
    const second = aaguidOf(2);
    const third = aaguidOf(3);
    const until = Buffer.from(
      writeBlob({
        entries: [
          blobEntry(first, { icon: 'data:image/png;base64,AQID', description: 'newer' }),
          blobEntry(second, {}, { statusReports: null }),
          blobEntry(third),
        ],
      }),
    );
    const before = [first, second].map((aaguid) => blobEntry(aaguid, { description: 'older' }));
    const known = lastKnownEntries(until, before, new Set([first, second]));
    expect(read([{ aaguid: first }, { aaguid: second }], known).entries).toMatchObject([
      { aaguid: first, statement: { description: 'newer', icon: undefined } },
      { aaguid: second, statement: { description: 'older' } },
    ]);
    expect(known).toHaveLength(2);
    expect(lastKnownEntries(undefined, [], new Set([first]))).toEqual([]);
  });

  it('leave the readable one of two entries of a model', () => {
    const blob = read(
      [blobEntry(SOUND), blobEntry(SOUND, {}, { statusReports: null })],
      [blobEntry(SOUND, {}, { statusReports: [REVOKED] })],
    );
    expect(new MetadataIndex(blob.entries).byAaguid(SOUND)?.statusReports).toMatchObject([
      { status: 'FIDO_CERTIFIED' },
    ]);
  });
});

/** An entry with every member of the standard that describes a FIDO2 model, and reports of each kind. */
function fullEntry(aaguid: string) {
  return blobEntry(
    aaguid,
    {
      legalHeader: 'Test',
      authenticatorVersion: 6,
      protocolFamily: 'fido2',
      schema: 3,
      upv: [{ major: 1, minor: 0 }],
      publicKeyAlgAndEncodings: ['cose'],
      attestationRootCertificates: [CERTIFICATE],
      userVerificationDetails: [[{ userVerificationMethod: 'none', caDesc: { base: 10 } }]],
      keyProtection: ['hardware'],
      matcherProtection: ['on_chip'],
      cryptoStrength: 128,
      attachmentHint: ['external'],
      tcDisplay: [],
      icon: 'data:image/png;base64,AQID',
      authenticatorGetInfo: {
        versions: ['FIDO_2_1'],
        aaguid: aaguid.replaceAll('-', ''),
        options: { rk: true },
        algorithms: [{ type: 'public-key', alg: -7 }],
      },
    },
    {
      attestationCertificateKeyIdentifiers: [aaguid.replaceAll('-', '')],
      biometricStatusReports: [{ certLevel: 1, modality: 'fingerprint_internal' }],
      rogueListURL: 'https://example.com',
      statusReports: [
        {
          status: 'FIDO_CERTIFIED_L1',
          effectiveDate: '2025-01-01',
          sunsetDate: '2030-01-01',
          authenticatorVersion: 1,
          certificationDescriptor: 'Test',
          certificateNumber: 'FIDO1',
          certificationPolicyVersion: '1.0',
          certificationRequirementsVersion: '1.0',
          certificationProfiles: ['consumer'],
          url: 'https://example.com',
        },
        {
          status: 'FIPS140_CERTIFIED_L1',
          effectiveDate: '2025-01-01',
          fipsRevision: 3,
          fipsPhysicalSecurityLevel: 2,
        },
        { status: 'UPDATE_AVAILABLE', effectiveDate: '2025-02-01', authenticatorVersion: 6 },
        {
          status: 'ATTESTATION_KEY_COMPROMISE',
          effectiveDate: '2025-03-01',
          certificate: CERTIFICATE,
          batchCertificate: CERTIFICATE,
        },
      ],
    },
  );
}

/** The path of each member and item of a value, at any depth. */
function pathsIn(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const inner = Object.entries(value).flatMap(([name, item]) =>
    pathsIn(item, [...path, Array.isArray(value) ? Number(name) : name]),
  );
  return [path, ...inner];
}

/** A copy of a value with another value at a path; `undefined` deletes the member. */
function withValue(value: unknown, [name, ...rest]: Path, other: unknown): unknown {
  if (name === undefined) return other;
  if (Array.isArray(value)) {
    return value.map((item: unknown, n) => (n === name ? withValue(item, rest, other) : item));
  }
  const object = value as Readonly<Record<string, unknown>>;
  return { ...object, [name]: withValue(object[name], rest, other) };
}

function read(entries: readonly unknown[], lastKnown: readonly unknown[] = []) {
  return readMetadataBlob(writeBlob({ entries }, SIGNER), {
    roots: [blobRoot().certificate],
    at: AT,
    lastKnown,
  });
}
