import { constants, sign } from 'node:crypto';
import {
  basicConstraints,
  name,
  OID,
  writeCertificate,
} from '../../../packages/testing/src/certificate-writer.js';
import { ALG, createKeyPair } from '../../../packages/testing/src/key-pair.js';
import { blobRoot } from '../../../packages/testing/src/blob-writer.js';
import { readMetadataBlob } from './blob.js';

const AT = new Date('2026-06-01T12:00:00Z');
const PAYLOAD = { no: 0, nextUpdate: '2026-07-01', entries: [] };
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const PSS = {
  padding: constants.RSA_PKCS1_PSS_PADDING,
  saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
};

/** A BLOB signed with an algorithm of RFC 7518 §3.1, with a key certified by the test root. */
function signedBlob(alg: string, cose: number, hash: string | null): string {
  const { publicKey, privateKey } = createKeyPair(cose);
  const certificate = writeCertificate({
    subject: name([[OID.commonName, 'ServiceFido Test BLOB Signer']]),
    issuer: blobRoot(),
    publicKey,
    extensions: [basicConstraints(false)],
  });
  const header = { alg, typ: 'JWT', x5c: [certificate.toString('base64')] };
  const signed = `${part(header)}.${part(PAYLOAD)}`;
  const padding = alg.startsWith('PS') ? PSS : {};
  const key = { key: privateKey, dsaEncoding: 'ieee-p1363', ...padding } as const;
  return `${signed}.${sign(hash, Buffer.from(signed), key).toString('base64url')}`;
}

describe('the algorithms that may sign a BLOB (RFC 7518 §3.1, RFC 8037 §3.1)', () => {
  it.each([
    ['ES256', ALG.ES256, 'sha256'],
    ['ES384', ALG.ES384, 'sha384'],
    ['ES512', ALG.ES512, 'sha512'],
    ['RS256', ALG.RS256, 'sha256'],
    ['RS384', ALG.RS384, 'sha384'],
    ['RS512', ALG.RS512, 'sha512'],
    ['PS256', ALG.PS256, 'sha256'],
    ['PS384', ALG.PS384, 'sha384'],
    ['PS512', ALG.PS512, 'sha512'],
    ['EdDSA', ALG.EdDSA, null],
  ])('accepts a BLOB signed with %s, with the number 0', (alg, cose, hash) => {
    const blob = readMetadataBlob(signedBlob(alg, cose, hash), {
      roots: [blobRoot().certificate],
      at: AT,
    });
    expect(blob.no).toBe(0);
  });

  it('refuses a BLOB of an unknown service without a root', () => {
    const read = () => readMetadataBlob(signedBlob('ES256', ALG.ES256, 'sha256'), { at: AT });
    expect(read).toThrow('certificate-path: no-anchors');
  });
});
