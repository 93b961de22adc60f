import { randomBytes } from 'node:crypto';
import {
  OID,
  basicConstraints,
  createAuthority,
  type Extension,
} from '../../../packages/testing/src/certificate-writer.js';
import * as der from '../../../packages/testing/src/der-writer.js';
import {
  writeRevocationList,
  type ListParts,
} from '../../../packages/testing/src/revocation-list-writer.js';
import { loadCertificate } from './certificate.js';
import { RevocationListError, isSignedBy, readRevocationList } from './revocation-list.js';

const MAKER = createAuthority('Maker');
const SERIAL = Buffer.from('0080ff', 'hex');

const flag = (number: number) => der.element(0x80 | number, Buffer.of(0xff));
const critical = (id: string): Extension => ({ id, critical: true, value: der.integer(1) });

/** Made by OpenSSL: `openssl ca -gencrl`. */
const OPENSSL_LIST = Buffer.from(
  'MIIB2zCBxAIBATANBgkqhkiG9w0BAQsFADAwMQswCQYDVQQGEwJTRTEOMAwGA1UECgwFTWFrZXIxETAPBgNVBAMM' +
    'CE1ha2VyIENBFw0yNjAxMDEwMDAwMDBaGA8yMDU5MDEwMTAwMDAwMFowTjAiAgMAgP8XDTI2MDEwMTAwMDAwMFow' +
    'DDAKBgNVHRUEAwoBATAoAgkSNFZ4kKvN7wEXDTI2MDEwMTAwMDAwMFowDDAKBgNVHRUEAwoBAaAOMAwwCgYDVR0U' +
    'BAMCAQEwDQYJKoZIhvcNAQELBQADggEBAJ3yoiiQJW5Mk9nc5gIiRy0k55chG0zmWVDOy7Tq0dP0T0Q5dl5sFM0s' +
    'FnMYLTupNgs2Z376a1FPigI6KDybi3n5O1bSTnuIbJGaggQCVu+kNfMCgQ/T3T4V4YnVep4giebIN1+hIX+cwguN' +
    'a2DYE+LBZVWNZCodz9iwcEsXtEdZgVdB3trxXhAn5DqxFci/6CiYCkPi7hgktdawjgqrFa77biriJjBnHXejlXrf' +
    '3dM+cGnI1yWLxF3y25L16pdeYyqV9R1ZYHxK0SMwxNU7AxUSYU1UA/+ADYCNkjYmnZjeni36inzVPQZ0JJyJixP7' +
    'sAfbrq6EipqxfFTi0mUiYEU=',
  'base64',
);
const OPENSSL_AUTHORITY = Buffer.from(
  'MIIDDzCCAfegAwIBAgICAPEwDQYJKoZIhvcNAQELBQAwMDELMAkGA1UEBhMCU0UxDjAMBgNVBAoMBU1ha2VyMREw' +
    'DwYDVQQDDAhNYWtlciBDQTAgFw0yNjExMjMwMDU3MjJaGA8yMTI2MTAzMDAwNTcyMlowMDELMAkGA1UEBhMCU0Ux' +
    'DjAMBgNVBAoMBU1ha2VyMREwDwYDVQQDDAhNYWtlciBDQTCCASIwDQYJKoZIhvcNAQEBBQADggEPADCCAQoCggEB' +
    'AMUm4EuyaJE2L6qL2ZB3+WuRJ/7DP6XQR4zgpyRXffMKWmFiU7zbJ2NEC2EjWXGbK219PmydBxXwla9Rdqn4vMt8' +
    'oWN+MbIyAd5yHFrteSkJIhsvE4afTAUIVkH+xubYsqNt55p4IqAYdMP+INUP3CLjOr3U44Zyufl5nh+eNg3JwqZV' +
    'jQ/vatPAhxgpSe+05rFtOQlnk8q7iZPTkh/PXQQ/CPTz58JsGfreLk+7lBA0UmGAyPfLAqtYo6opHhUdpHsaC8x6' +
    'lLZ4xjJOYM9fScCC7Em0zL8TDxe9lQZKc82I05SjlGC7iL+IPDRHw91nemzxkVFdfCgF4RdQOlsyhdkCAwEAAaMx' +
    'MC8wDgYDVR0PAQH/BAQDAgEGMB0GA1UdDgQWBBTs1yXN246p8KJBZzm4LQcAd1fdkzANBgkqhkiG9w0BAQsFAAOC' +
    'AQEANCeq45dtpVVaCjOs3uX+C/ZQgkOLl1e/VxhhtlFjVp1WpJg6LeuGBOFT1f08PZcuCFJOTahFPBcUSda/0N63' +
    'MMH4e9v8Ws7tO4CozXHV0epuV2lglT8CMsv7Vbw94g98NCyy0GGxPLjhASGNREd45E90sjZj38vtOnA2AbqcLuI2' +
    'qIKeqF8VJ0xrLakbaszNGHJmCs9icaqzm5fSTWXm0N9ukPe6XHCQ+yh/8dCb79r/xAk7tbYJVWOL15ncTPqP6M9J' +
    'OhJklSmsAljUqltvY52T5yI49CWgHxHu8eAcXEBTICzmyzMfF9zQUug6tLTndnGFQhu0wgOBlJreTymB7Q==',
  'base64',
);

describe('a certificate revocation list (RFC 5280 §5)', () => {
  it('reads the revoked certificates of a list by OpenSSL and verifies its signature', () => {
    const list = readRevocationList(OPENSSL_LIST);
    expect(list).toMatchObject({
      thisUpdate: Date.parse('2026-01-01T00:00:00Z'),
      nextUpdate: Date.parse('2059-01-01T00:00:00Z'),
      serialNumbers: new Set(['0080ff', '1234567890abcdef01']),
    });
    expect(isSignedBy(list, loadCertificate(OPENSSL_AUTHORITY))).toBe(true);
  });

  it('accepts a revocation list without entries and without nextUpdate', () => {
    const list = readRevocationList(listOf({ revoked: [], nextUpdate: null }));
    expect(list).toMatchObject({ nextUpdate: undefined, serialNumbers: new Set() });
  });

  it('accepts a revocation list only with the signature of its authority (RFC 5280 §6.3.3 (g))', () => {
    const namesake = createAuthority('Maker');
    expect(isOfMaker(listOf())).toBe(true);
    expect(isOfMaker(listOf({ signer: namesake.keyPair.privateKey }))).toBe(false);
    expect(isOfMaker(listOf(), createAuthority('Other'))).toBe(false);
    const spoilt = Buffer.from(listOf());
    spoilt.writeUInt8(spoilt.readUInt8(spoilt.indexOf(SERIAL)) ^ 1, spoilt.indexOf(SERIAL));
    expect(isOfMaker(spoilt)).toBe(false);
  });

  it('refuses a revocation list whose signer may not sign lists (RFC 5280 §6.3.3 (f))', () => {
    const only = { id: OID.keyUsage, value: der.bitString(Buffer.of(0x04), 2) };
    const issuer = createAuthority('Maker', { extensions: [basicConstraints(true), only] });
    expect(isOfMaker(listOf({ issuer }), issuer)).toBe(false);
    const free = createAuthority('Maker', { extensions: [basicConstraints(true)] });
    expect(isOfMaker(listOf({ issuer: free }), free)).toBe(true);
  });

  it.each<[string, string, Partial<ListParts>]>([
    ['only CA certificates (§5.2.5)', 'taken', { extensions: [scope(flag(2))] }],
    ['the mark of an indirect list (§5.2.5)', 'indirect', { extensions: [scope(flag(4))] }],
    ['only attribute certificates (§5.2.5)', 'indirect', { extensions: [scope(flag(5))] }],
    ['the mark of a delta list (§5.2.4)', 'delta', { extensions: [critical('2.5.29.27')] }],
    ['a critical extension (§5.2)', 'critical-extension', { extensions: [critical('1.2.3')] }],
    [
      'an extension that is not critical (§5.2)',
      'taken',
      { extensions: [{ ...critical('1.2.3'), critical: false }] },
    ],
    [
      'an entry of another authority (§5.3.3)',
      'indirect',
      { revoked: [{ serial: SERIAL, extensions: [critical('2.5.29.29')] }] },
    ],
    [
      'a critical extension of an entry (§5.3)',
      'critical-extension',
      { revoked: [{ serial: SERIAL, extensions: [critical('1.2.3')] }] },
    ],
    ['two different algorithms (§5.1.1.2)', 'malformed', { algorithm: OID.ecdsaWithSha1 }],
    ['a serial number of 65 bytes', 'malformed', { revoked: [{ serial: Buffer.alloc(65, 1) }] }],
  ])('reads a revocation list with %s: %s', (_, fault, parts) => {
    expect(faultOf(listOf(parts))).toBe(fault);
  });

  it('limits the bytes and entries of a revocation list', () => {
    expect(faultOf(Buffer.alloc(1024 * 1024 + 1))).toBe('too-large');
    const revoked = Array.from({ length: 20_001 }, () => ({ serial: SERIAL }));
    expect(faultOf(listOf({ revoked }))).toBe('malformed');
    expect(faultOf(listOf({ revoked: revoked.slice(1) }))).toBe('taken');
  });

  it('throws only its own faults for truncated and changed revocation lists', () => {
    const list = listOf({ extensions: [scope(flag(1))] });
    for (let length = 0; length < list.length; length += 1) {
      expect(faultOf(list.subarray(0, length))).toBe('malformed');
    }
    for (let place = 0; place < list.length; place += 1) {
      for (const octet of [0x00, 0x30, 0x80, 0xa0, 0xff, randomBytes(1).readUInt8(0)]) {
        const spoilt = Buffer.from(list);
        spoilt.writeUInt8(octet, place);
        if (faultOf(spoilt) === 'taken') isOfMaker(spoilt);
      }
    }
  });
});

function listOf(parts: Partial<ListParts> = {}) {
  return writeRevocationList({ issuer: MAKER, revoked: [{ serial: SERIAL }], ...parts });
}

function isOfMaker(list: Buffer, authority = MAKER) {
  return isSignedBy(readRevocationList(list), loadCertificate(authority.certificate));
}

/** The fault of a refused list; `taken` if it is accepted. Other errors are thrown. */
function faultOf(list: Buffer): string {
  try {
    readRevocationList(list);
    return 'taken';
  } catch (error) {
    if (error instanceof RevocationListError) return error.fault;
    throw error;
  }
}

function scope(...flags: readonly Buffer[]): Extension {
  return {
    id: '2.5.29.28',
    critical: true,
    value: der.sequence(...flags),
  };
}
