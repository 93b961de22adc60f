import { createPrivateKey, createPublicKey, hash, sign } from 'node:crypto';
import { DAY_MS } from '../platform/common/durations.js';
import type { IssuerKey } from '../issuers/issuer-keys.js';

const LIFE_MS = 3650 * DAY_MS;
/** From this year on, times have the type GeneralizedTime (RFC 5280 §4.1.2.5). */
const GENERALIZED = 2050;

const SEQUENCE = 0x30;
const SET = 0x31;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const UTF8_STRING = 0x0c;
const UTC_TIME = 0x17;
const GENERALIZED_TIME = 0x18;

/** An element of DER (X.690 §8.1) whose content is shorter than 64 KiB. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const long = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...(length < 0x80 ? [length] : long)]), content]);
}

/** sha256WithRSAEncryption, 1.2.840.113549.1.1.11, with NULL (RFC 4055 §5). */
const RS256 = Buffer.from('300d06092a864886f70d01010b0500', 'hex');
/** commonName, 2.5.4.3. */
const COMMON_NAME = Buffer.from('0603550403', 'hex');

function time(ms: number): Buffer {
  const date = new Date(ms);
  const text = `${date.toISOString().replace(/\D/g, '').slice(0, 14)}Z`;
  return date.getUTCFullYear() < GENERALIZED
    ? der(UTC_TIME, Buffer.from(text.slice(2)))
    : der(GENERALIZED_TIME, Buffer.from(text));
}

/**
 * The self-signed certificate of an RSA key (RFC 5280 §4.1), which Entra ID requires as `x5c`. The same key always gives
 * the same certificate.
 *
 * @param name the common name
 */
export function selfSignedCertificate({ jwk, createdAt }: IssuerKey, name: string): Buffer {
  const privateKey = createPrivateKey({ key: jwk, format: 'jwk' });
  const commonName = der(SEQUENCE, COMMON_NAME, der(UTF8_STRING, Buffer.from(name)));
  const owner = der(SEQUENCE, der(SET, commonName));
  // Positive, and without leading zeros.
  const serial = Buffer.concat([Buffer.of(1), hash('sha256', jwk.kid, 'buffer').subarray(0, 15)]);
  const certificate = der(
    SEQUENCE,
    der(INTEGER, serial),
    RS256,
    owner,
    der(SEQUENCE, time(createdAt), time(createdAt + LIFE_MS)),
    owner,
    createPublicKey(privateKey).export({ type: 'spki', format: 'der' }),
  );
  const signature = sign('sha256', certificate, privateKey);
  return der(SEQUENCE, certificate, RS256, der(BIT_STRING, Buffer.of(0), signature));
}
