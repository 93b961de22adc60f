import { isError } from '../../errors/is-error.js';

/** Failures in words, by the code of Node's error. */
const FAILURES: Readonly<Record<string, string>> = {
  PRIVATE_ADDRESS: 'the address is not a public one',
  ECONNREFUSED: 'nobody listens there',
  ECONNRESET: 'the connection broke',
  ENOTFOUND: 'the name is unknown',
  EAI_AGAIN: 'the name could not be looked up',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the host cannot be reached',
  ETIMEDOUT: 'no connection within ten seconds',
  ABORT_ERR: 'no answer within ten seconds',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another name',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet',
  CERT_REVOKED: 'the certificate is revoked',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is signed by itself, and not trusted here',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate is of an authority that is not trusted here',
  CERT_SIGNATURE_FAILURE: 'the certificate is of an authority that is not trusted here',
  UNABLE_TO_GET_ISSUER_CERT: 'the certificate is of an authority that is not trusted here',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the certificate is of an authority that is not trusted here',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate comes without those between it and a root',
};

/** Characters of a failure that are stored. */
const MOST = 100;

/** Why a call failed, for an administrator: in words, else by the code of Node's error. */
export function wordsOf(error: unknown): string {
  const code = isError(error) ? String(error.code) : '';
  const known = FAILURES[code];
  if (known !== undefined) return known;
  const words = /^(?:ERR_TLS|ERR_SSL|EPROTO)/.test(code)
    ? `no TLS connection came about (${code})`
    : `the call failed (${code || 'unknown'})`;
  return words.slice(0, MOST);
}
