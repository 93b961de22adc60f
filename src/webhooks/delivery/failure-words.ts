import { isError } from '../../platform/errors/driver-errors.js';
import { plainText } from '../../platform/pages/languages/languages.js';
import { phrase, type Phrase } from '../../platform/pages/languages/phrase.js';

/** Texts below `tenants:webhooks.failures`, by the code of Node's error. */
const TEXTS: Readonly<Record<string, string>> = {
  PRIVATE_ADDRESS: 'private',
  ECONNREFUSED: 'refused',
  ECONNRESET: 'reset',
  ENOTFOUND: 'unknown',
  EAI_AGAIN: 'lookup',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  ETIMEDOUT: 'slowConnection',
  ABORT_ERR: 'slowAnswer',
  ERR_TLS_CERT_ALTNAME_INVALID: 'otherName',
  CERT_HAS_EXPIRED: 'expired',
  CERT_NOT_YET_VALID: 'early',
  CERT_REVOKED: 'revoked',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'selfSigned',
  SELF_SIGNED_CERT_IN_CHAIN: 'authority',
  CERT_SIGNATURE_FAILURE: 'authority',
  UNABLE_TO_GET_ISSUER_CERT: 'authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'chain',
};

/** The maximum number of characters of a stored failure. */
const MAX = 100;

/** The stored form of a failed call: the code of Node's error. */
export const failureOf = (error: unknown): string =>
  (isError(error) && typeof error.code === 'string' ? error.code : 'unknown').slice(0, MAX);

/** The stored form of a failed call: the status of the receiver's answer. */
export const failureOfStatus = (status: number): string => `HTTP ${status}`;

/** A stored failure, for an administrator. */
export function failurePhrase(failure: string): Phrase {
  const text = TEXTS[failure];
  if (text !== undefined) return phrase(`tenants:webhooks.failures.${text}`);
  const status = /^HTTP (\d+)$/.exec(failure)?.[1];
  if (status !== undefined) {
    return phrase('tenants:webhooks.failures.status', { code: Number(status) });
  }
  const isTls = /^(?:ERR_TLS|ERR_SSL|EPROTO)/.test(failure);
  return phrase(`tenants:webhooks.failures.${isTls ? 'noTls' : 'failed'}`, { code: failure });
}

/** A stored failure in English, for answers of the API and the log. */
export const failureText = (failure: string): string => plainText('en', failurePhrase(failure));
