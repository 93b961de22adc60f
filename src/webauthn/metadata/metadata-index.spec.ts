import { createHash } from 'node:crypto';
import { createKeyPair, ALG, rawPoint } from '../../../packages/testing/src/key-pair.js';
import { createAttester } from '../../../packages/testing/src/attester.js';
import { blobEntry } from '../../../packages/testing/src/blob-writer.js';
import { readEntry } from './metadata-statement.js';
import { keyIdentifierOf, MetadataIndex } from './metadata-index.js';

const AAGUID = 'a1a1a1a1-a1a1-a1a1-a1a1-a1a1a1a1a1a1';
const NO_AAGUID = '00000000-0000-0000-0000-000000000000';
const KEY = createKeyPair(ALG.ES256);
const CERTIFICATES = createAttester(Buffer.alloc(16), {}, KEY).x5c;
/** RFC 5280 §4.2.1.2 method 1. */
const IDENTIFIER = createHash('sha1').update(rawPoint(KEY)).digest('hex');

describe('MetadataIndex', () => {
  it('identifies a certificate by the SHA-1 of its public key (RFC 5280 §4.2.1.2)', () => {
    expect(CERTIFICATES.map(keyIdentifierOf)).toEqual([IDENTIFIER]);
  });

  it('finds a model without an AAGUID by its certificate, if there is one', () => {
    const u2f = blobEntry('', {}, { attestationCertificateKeyIdentifiers: [IDENTIFIER] });
    const entry = readEntry({ ...u2f, aaguid: undefined });
    const index = new MetadataIndex([entry]);
    expect(index.entryFor({ aaguid: NO_AAGUID, trustPath: CERTIFICATES })).toBe(entry);
    expect(index.entryFor({ aaguid: NO_AAGUID, trustPath: [] })).toBeUndefined();
    expect(index.entryFor({ aaguid: AAGUID, trustPath: CERTIFICATES })).toBeUndefined();
  });
});
