import { Field, Rule, isObject } from '../../validation/field.js';
import type { Coded } from '../../validation/field.js';
import { decodeBase64Url } from '../../webauthn/base64url.js';

const MAX_NONCE_BYTES = 255;
const MAX_TEXT_BYTES = 1024;
/** Length of a SHA-256 digest. */
export const HASH_BYTES = 32;

/** Levels of a sign-in (OpenID Connect EAP ACR Values §2): phishing-resistant, in hardware or not. */
export const ACRS = ['phr', 'phrh'] as const;
export type Acr = (typeof ACRS)[number];

/** A transaction to agree to: its text, or the SHA-256 (Base64URL) of what only the caller knows. */
export type Transaction = { readonly text: string } | { readonly hash: string };

const isText = (value: unknown, most: number): value is string =>
  typeof value === 'string' &&
  value !== '' &&
  value.isWellFormed() &&
  Buffer.byteLength(value, 'utf8') <= most;

export const IsNonce = (options: Coded): PropertyDecorator =>
  Rule(
    'isNonce',
    options,
    (value) => isText(value, MAX_NONCE_BYTES),
    `must be a string of 1 to ${MAX_NONCE_BYTES} bytes of UTF-8`,
  );

const TRANSACTION =
  `must be {"text": …} of 1 to ${MAX_TEXT_BYTES} bytes of UTF-8, ` +
  'or {"hash": …}, a SHA-256 in Base64URL';

export const IsTransaction = (options: Coded): PropertyDecorator =>
  Field('isTransaction', options, (property) => (value) => {
    if (isTransaction(value)) return undefined;
    return [options.context.code, `"${property}" ${TRANSACTION}.`];
  });

function isTransaction(value: unknown): boolean {
  if (!isObject(value) || Object.keys(value).length !== 1) return false;
  const { text, hash } = value;
  if (hash === undefined) return isText(text, MAX_TEXT_BYTES);
  return typeof hash === 'string' && decodeBase64Url(hash)?.length === HASH_BYTES;
}
