import { problem, type Problem } from '../../platform/errors/reasons.js';
import { isObject } from '../../platform/validation/field-validator.js';
import { decodeBase64Url } from '../../webauthn/base64url.js';
import { base64UrlProblem, type Mediation } from '../ceremonies/ceremony.validators.js';

const MAX_NONCE_BYTES = 255;
const MAX_TEXT_BYTES = 1024;
/** Length of a SHA-256 digest. */
const HASH_BYTES = 32;

/** Authentication context classes (OpenID Connect EAP ACR Values §2): phishing-resistant, and hardware-protected. */
export const ACRS = ['phr', 'phrh'] as const;
export type Acr = (typeof ACRS)[number];

/** The values of `mediation` that a sign-in without a user name can have. */
const NAMELESS: readonly unknown[] = ['optional', 'conditional'] satisfies Mediation[];

/** A transaction for the user to confirm: its text, or the SHA-256 (Base64URL) of data that only the caller knows. */
export type TransactionToConfirm = { readonly text: string } | { readonly hash: string };

const isText = (value: unknown, most: number): value is string =>
  typeof value === 'string' &&
  value !== '' &&
  value.isWellFormed() &&
  Buffer.byteLength(value, 'utf8') <= most;

export const isNonce = (value: unknown): boolean => isText(value, MAX_NONCE_BYTES);

export const nonceProblem = (field: string): Problem =>
  problem('field.utf8', { field, most: MAX_NONCE_BYTES });

export const transactionProblem = (field: string): Problem =>
  problem('field.transaction', { field, most: MAX_TEXT_BYTES });

export function isTransaction(value: unknown): boolean {
  if (!isObject(value) || Object.keys(value).length !== 1) return false;
  const { text, hash } = value;
  if (hash === undefined) return isText(text, MAX_TEXT_BYTES);
  return typeof hash === 'string' && decodeBase64Url(hash)?.length === HASH_BYTES;
}

/** The name may be absent only if `mediation` allows a sign-in without one. */
export const requiresUsername = (body: object, username: unknown): boolean =>
  username !== undefined || !('mediation' in body) || !NAMELESS.includes(body.mediation);

/** Empty or Base64URL. */
export const isUserHandle = (value: unknown): boolean =>
  value === '' || (typeof value === 'string' && decodeBase64Url(value) !== undefined);

export const userHandleProblem = (field: string, value: unknown): Problem =>
  base64UrlProblem(field, value) ?? {
    ...problem('authentication.malformed'),
    advice: problem('field.base64url', { field }),
  };
