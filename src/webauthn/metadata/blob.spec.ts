import {
  type Authority,
  basicConstraints,
  createAuthority,
  writeCertificate,
} from '../../../packages/testing/src/certificate-writer.js';
import { writeRevocationList } from '../../../packages/testing/src/revocation-list-writer.js';
import {
  blobEntry,
  blobRoot,
  createBlobSigner,
  writeBlob,
} from '../../../packages/testing/src/blob-writer.js';
import { loadCertificate } from '../certificates/certificate.js';
import { readRevocationList } from '../certificates/revocation-list.js';
import { RevocationLists } from '../certificates/revocation-lists.js';
import { readMetadataBlob, type BlobPolicy } from './blob.js';
import { PUBLIC_BLOB_ROOTS } from './blob-roots.js';
import { MetadataError, type MetadataFault } from './metadata-error.js';
import { MetadataIndex } from './metadata-index.js';

const AT = new Date('2026-06-01T12:00:00Z');
const AAGUID = 'a1a1a1a1-a1a1-a1a1-a1a1-a1a1a1a1a1a1';
const SIGNER = createBlobSigner();
const POLICY: BlobPolicy = { roots: [blobRoot().certificate], at: AT };
const read = (jwt: string | Buffer, policy = POLICY) => readMetadataBlob(jwt, policy);

/** Why a BLOB is refused. */
function faultOf(jwt: string, policy = POLICY): MetadataFault | undefined {
  try {
    read(jwt, policy);
    return undefined;
  } catch (error) {
    if (error instanceof MetadataError) return error.fault;
    throw error;
  }
}

/** The BLOB with one of its three parts replaced. */
function withPart(index: 0 | 1 | 2, part: string): string {
  return writeBlob({}, SIGNER).split('.').with(index, part).join('.');
}
const json = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('readMetadataBlob', () => {
  it('reads number, next update and entries of a BLOB', () => {
    const blob = read(writeBlob({ no: 7, entries: [blobEntry(AAGUID)] }, SIGNER));
    expect(blob).toMatchObject({
      no: 7,
      nextUpdate: new Date('2026-07-01T00:00:00Z'),
      entries: [{ aaguid: AAGUID, statement: { description: 'ServiceFido Test Authenticator' } }],
    });
  });

  it('reads a BLOB from bytes as well as text, and ignores a trailing line break', () => {
    expect(read(Buffer.from(`${writeBlob({ no: 8 }, SIGNER)}\r\n`)).no).toBe(8);
  });

  it('accepts a signer whose certificates lead to the root', () => {
    const withRoot = { ...SIGNER, x5c: [...SIGNER.x5c, blobRoot().certificate] };
    expect(faultOf(writeBlob({}, withRoot))).toBeUndefined();
  });

  it('refuses a BLOB whose signature does not verify', () => {
    expect(faultOf(withPart(1, json({ no: 9, nextUpdate: '2026-07-01', entries: [] })))).toBe(
      'signature',
    );
    expect(faultOf(withPart(2, Buffer.alloc(64, 1).toString('base64url')))).toBe('signature');
    expect(faultOf(withPart(2, 'AA'))).toBe('signature');
    const stranger = { ...SIGNER, keyPair: createBlobSigner().keyPair };
    expect(faultOf(writeBlob({}, stranger))).toBe('signature');
  });

  it('refuses a BLOB whose certificates do not lead to a root', () => {
    const other = createAuthority('ServiceFido Test BLOB Root').certificate;
    const blob = writeBlob({}, SIGNER);
    expect(faultOf(blob, { at: AT })).toBe('certificate-path');
    expect(faultOf(blob, { at: AT, roots: [other] })).toBe('certificate-path');
    const [leaf = Buffer.alloc(0)] = SIGNER.x5c;
    expect(faultOf(writeBlob({}, { ...SIGNER, x5c: [leaf] }))).toBe('certificate-path');
  });

  it('refuses a signer whose certificate is expired or not valid yet', () => {
    const expired = createBlobSigner({ notAfter: new Date('2026-05-01T00:00:00Z') });
    const early = createBlobSigner({ notBefore: new Date('2026-06-15T00:00:00Z') });
    for (const signer of [expired, early]) {
      expect(faultOf(writeBlob({}, signer))).toBe('signer-time');
      // The next BLOB is not due yet, so this one is no archived one.
      expect(faultOf(writeBlob({}, signer), { ...POLICY, isArchived: true })).toBe('signer-time');
    }
  });

  it('accepts an archived BLOB whose signer was valid when it was made, and has expired since', () => {
    const faultOfArchived = (
      [notBefore, notAfter]: readonly [string, string],
      changes: readonly unknown[],
      isArchived = true,
    ) => {
      const signer = createBlobSigner({
        notBefore: new Date(`${notBefore}T00:00:00Z`),
        notAfter: new Date(`${notAfter}T00:00:00Z`),
      });
      const entries = changes.map((timeOfLastStatusChange) =>
        blobEntry(AAGUID, {}, { timeOfLastStatusChange }),
      );
      const blob = writeBlob({ nextUpdate: '2022-03-01', entries }, signer);
      return faultOf(blob, { ...POLICY, isArchived });
    };
    const valid = ['2021-01-01', '2023-01-01'] as const;
    expect(faultOfArchived(valid, ['2022-02-01'])).toBeUndefined();
    expect(faultOfArchived(valid, ['2022-02-01'], false)).toBe('signer-time');
    // It expired before the day of the next BLOB, but after the last change of this one.
    expect(faultOfArchived(['2021-01-01', '2022-02-15'], ['2022-02-01'])).toBeUndefined();
    expect(faultOfArchived(['2021-01-01', '2022-01-15'], ['2022-02-01', 5])).toBe('signer-time');
    // The standard's own example is older than its signer.
    expect(faultOfArchived(['2022-06-01', '2027-01-01'], ['2022-02-01'])).toBeUndefined();
    expect(faultOfArchived(['2026-06-15', '2027-01-01'], ['2022-02-01'])).toBe('signer-time');
    // An issuer that became valid later than its signer.
    expect(faultOfArchived(['2018-01-01', '2019-01-01'], ['2018-02-01'])).toBe('signer-time');
  });

  it('refuses a BLOB whose signer or intermediate is revoked', () => {
    const intermediate = createAuthority('Intermediate', { issuer: blobRoot() });
    const { keyPair, x5c } = createBlobSigner({ issuer: intermediate });
    const [leaf = Buffer.of()] = x5c;
    const blob = writeBlob({}, { keyPair, x5c: [leaf, intermediate.certificate] });
    const revoked = (issuer: Authority, der: Buffer) => {
      const serial = Buffer.from(loadCertificate(der).serialNumber, 'hex');
      const list = writeRevocationList({ issuer, revoked: [{ serial }] });
      return { ...POLICY, lists: new RevocationLists([readRevocationList(list)]) };
    };
    expect(faultOf(blob, revoked(intermediate, leaf))).toBe('revoked');
    expect(faultOf(blob, revoked(blobRoot(), intermediate.certificate))).toBe('revoked');
    expect(faultOf(blob, revoked(intermediate, intermediate.certificate))).toBeUndefined();
    expect(read(blob).signers).toEqual([leaf, intermediate.certificate, blobRoot().certificate]);
  });

  it('contains the roots of FIDO, whatever Node.js ships, and trusts them only for the FIDO host', () => {
    expect(PUBLIC_BLOB_ROOTS.map((der) => loadCertificate(der).x509.fingerprint256)).toEqual([
      // GlobalSign Root CA - R3, and GlobalSign Root R46
      'CB:B5:22:D7:B7:F1:27:AD:6A:01:13:86:5B:DF:1C:D4:10:2E:7D:07:59:AF:63:5A:7C:F4:72:0D:C9:63:C5:3B',
      '4F:A3:12:6D:8D:3A:11:D1:C4:85:5A:4F:80:7C:BA:D6:CF:91:9D:3A:5A:88:B0:3B:EA:2C:63:72:D9:3C:40:C9',
    ]);
    expect(faultOf(writeBlob({}, SIGNER), { ...POLICY, roots: PUBLIC_BLOB_ROOTS })).toBe(
      'certificate-path',
    );
  });

  it('accepts a signer under the new root, alone or with the new root certified by the old one', () => {
    const old = createAuthority('Root R3');
    const renewed = createAuthority('Root R46');
    const intermediate = createAuthority('Intermediate', { issuer: renewed });
    const { keyPair, x5c } = createBlobSigner({ issuer: intermediate });
    const path = [...x5c.slice(0, 1), intermediate.certificate];
    const cross = writeCertificate({
      subject: renewed.name,
      issuer: old,
      publicKey: renewed.keyPair.publicKey,
      extensions: [basicConstraints(true)],
    });
    const accepts = (certificates: readonly Buffer[], ...roots: readonly Authority[]) =>
      faultOf(writeBlob({}, { keyPair, x5c: certificates }), {
        at: AT,
        roots: roots.map(({ certificate }) => certificate),
      }) === undefined;
    expect(accepts(path, renewed)).toBe(true);
    expect(accepts(path, old)).toBe(false);
    expect(accepts([...path, cross], old)).toBe(true);
    expect(accepts([...path, cross], old, renewed)).toBe(true);
  });

  it.each<[string, MetadataFault, string]>([
    ['no characters', 'not-a-jws', ''],
    ['two parts', 'not-a-jws', 'e30.e30'],
    ['four parts', 'not-a-jws', `${writeBlob({}, SIGNER)}.AA`],
    ['a part that is not Base64URL', 'not-a-jws', withPart(1, '+++')],
    ['a header that is not JSON', 'not-a-jws', withPart(0, 'AAAA')],
    ['a payload that is an array', 'not-a-jws', withPart(1, json([]))],
    ['critical members', 'not-a-jws', writeBlob({}, SIGNER, { crit: ['exp'] })],
    ['alg none', 'algorithm', writeBlob({}, SIGNER, { alg: 'none' })],
    ['alg HS256', 'algorithm', writeBlob({}, SIGNER, { alg: 'HS256' })],
    ['alg of another key', 'algorithm', writeBlob({}, SIGNER, { alg: 'RS256' })],
    ['alg missing', 'algorithm', writeBlob({}, SIGNER, { alg: undefined })],
    ['x5c missing', 'certificate', writeBlob({}, SIGNER, { x5c: undefined })],
    ['x5c empty', 'certificate', writeBlob({}, SIGNER, { x5c: [] })],
    ['x5c of text', 'certificate', writeBlob({}, SIGNER, { x5c: ['?'] })],
    [
      'x5c of bytes that are not a certificate',
      'certificate',
      writeBlob({}, SIGNER, { x5c: ['AAAA'] }),
    ],
  ])('refuses a BLOB with %s (%s)', (_title, fault, jwt) => {
    expect(faultOf(jwt)).toBe(fault);
  });

  it.each<[string, Parameters<typeof writeBlob>[0]]>([
    ['no missing', { no: undefined }],
    ['no as text', { no: '7' }],
    ['no negative', { no: -1 }],
    ['no with a fraction', { no: 1.5 }],
    ['nextUpdate missing', { nextUpdate: undefined }],
    ['nextUpdate on a day that does not exist', { nextUpdate: '2026-13-01' }],
    ['entries missing', { entries: undefined }],
    ['entries that are not an array', { entries: {} }],
  ])('refuses a BLOB payload with %s (MDS3 §3.1), and names the place', (title, content) => {
    const jwt = writeBlob(content, SIGNER);
    expect(faultOf(jwt)).toBe('payload');
    expect(() => read(jwt)).toThrow(`payload: ${title.split(' ')[0]} is not `);
  });
});

describe('the entries of a BLOB', () => {
  const entry = (statement: object, more: object = {}) =>
    read(
      writeBlob(
        { entries: [blobEntry(AAGUID.toUpperCase(), { ...statement }, { ...more })] },
        SIGNER,
      ),
    ).entries[0];

  it('lists the algorithms of an entry by COSE number, including those of authenticatorGetInfo', () => {
    const statement = entry({
      authenticationAlgorithms: ['rsassa_pkcsv15_sha256_raw', 'sm2_sm3_raw'],
      authenticatorGetInfo: { algorithms: [{ type: 'public-key', alg: -7 }, { alg: 'x' }] },
    })?.statement;
    expect(statement?.algorithms).toEqual([-257, -7]);
    expect(statement?.getInfo).toHaveProperty('algorithms');
  });

  it('decodes the roots of an entry, even if their Base64 contains line breaks', () => {
    const root = blobRoot().certificate;
    const text = root.toString('base64');
    const certificates = [text, `\n ${text.slice(0, 64)}\n${text.slice(64)}\n `];
    expect(entry({ attestationRootCertificates: certificates })?.statement?.roots).toEqual([
      root,
      root,
    ]);
  });

  it('keeps the icon of an entry as the bytes of a picture, or not at all', () => {
    expect(entry({ icon: 'data:image/png;base64,AQID' })?.statement?.icon).toEqual({
      type: 'image/png',
      bytes: Buffer.of(1, 2, 3),
    });
    for (const icon of ['data:text/html;base64,AQID', 'https://example.com/x.png', '', undefined]) {
      expect(entry({ icon })?.statement?.icon).toBeUndefined();
    }
  });

  it('finds an entry by AAGUID or key identifier without regard to case, and no UAF entry', () => {
    const u2f = { aaguid: undefined, attestationCertificateKeyIdentifiers: ['ABCDEF'] };
    const uaf = { aaguid: undefined, aaid: '4E4E#4005' };
    const { entries } = read(
      writeBlob(
        {
          entries: [
            blobEntry(AAGUID.toUpperCase()),
            blobEntry('', {}, u2f),
            blobEntry('', {}, uaf),
          ],
        },
        SIGNER,
      ),
    );
    const index = new MetadataIndex(entries);
    expect(index.byAaguid(AAGUID)).toBe(entries[0]);
    expect(index.byKeyIdentifier('abcdef')).toBe(entries[1]);
    expect([...index.models()]).toEqual([entries[0]]);
    expect([...index.u2fModels()]).toEqual([entries[1]]);
    expect(index.byAaguid('00000000-0000-0000-0000-000000000000')).toBeUndefined();
  });

  it('the entries of a later BLOB replace those of an earlier one', () => {
    const named = (description: string) =>
      read(writeBlob({ entries: [blobEntry(AAGUID, { description })] }, SIGNER)).entries;
    const index = new MetadataIndex([...named('first'), ...named('second')]);
    expect(index.byAaguid(AAGUID)?.statement?.description).toBe('second');
  });

  it('accepts an entry without a statement', () => {
    expect(entry({}, { metadataStatement: undefined })?.statement).toBeUndefined();
  });
});
