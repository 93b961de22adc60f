import { Rule } from '../platform/validation/rule.js';
import type { Coded } from '../platform/validation/rule.js';
import { decodeBase64Url } from '../webauthn/base64url.js';

const MAX_CREDENTIAL_ID_BYTES = 1023;
const MAX_TRANSPORTS = 64;
export const ATTACHMENTS = ['platform', 'cross-platform'];

/** `id`: 1 to 1023 bytes in Base64URL, and `rawId` is the same. */
export const IsCredentialId = (options: Coded): PropertyDecorator =>
  Rule('isCredentialId', options, (value, body) => {
    const bytes = typeof value === 'string' ? decodeBase64Url(value) : undefined;
    if (!bytes || bytes.length > MAX_CREDENTIAL_ID_BYTES) return false;
    return 'rawId' in body && body.rawId === value;
  });

/** An array of strings; unknown ones are left out when stored. */
export const IsTransports = (options: Coded): PropertyDecorator =>
  Rule(
    'isTransports',
    options,
    (value) =>
      Array.isArray(value) &&
      value.length <= MAX_TRANSPORTS &&
      value.every((item) => typeof item === 'string'),
  );

/** Empty or Base64URL. */
export const IsUserHandle = (options: Coded): PropertyDecorator =>
  Rule(
    'isUserHandle',
    options,
    (value) => value === '' || (typeof value === 'string' && decodeBase64Url(value) !== undefined),
  );
