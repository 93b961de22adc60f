import { X509Certificate, generateKeyPairSync } from 'node:crypto';
import { selfSignedCertificate } from './self-signed-certificate.js';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const jwk = {
  ...privateKey.export({ format: 'jwk' }),
  kid: 'a key',
  alg: 'RS256',
  use: 'sig' as const,
};

describe('a self-signed certificate', () => {
  it.each([
    ['2026-11-28T18:20:47Z', 'Nov 28 18:20:47 2026 GMT', 'Nov 25 18:20:47 2036 GMT'],
    ['2049-06-01T00:00:00Z', 'Jun  1 00:00:00 2049 GMT', 'May 30 00:00:00 2059 GMT'],
  ])('of a key of %s is valid for ten years, and the same each time', (made, from, to) => {
    const key = { jwk, createdAt: Date.parse(made) };
    const der = selfSignedCertificate(key, 'example.com');
    const certificate = new X509Certificate(der);
    expect([certificate.validFrom, certificate.validTo]).toEqual([from, to]);
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(selfSignedCertificate(key, 'example.com')).toEqual(der);
  });
});
