import { isOneOf } from '../validation/decorators.js';
import { Field, Rule } from '../validation/field.js';
import type { Coded } from '../validation/field.js';
import { decodeBase64Url } from '../webauthn/base64url.js';

const MAX_CREDENTIAL_ID_BYTES = 1023;
const MAX_TRANSPORTS = 64;
const ATTACHMENTS = ['platform', 'cross-platform'];

/** `type` of a PublicKeyCredential (W3C WebAuthn L3 §5.1). */
export const IsPublicKeyType = (
  options: Coded<'missing' | 'notText' | 'other'>,
): PropertyDecorator =>
  Field('isPublicKeyType', options, () => (value) => {
    const { missing, notText, other } = options.context;
    if (value === undefined || value === null) return missing;
    if (typeof value !== 'string') return notText;
    return value === 'public-key' ? undefined : other;
  });

/** `id`: 1 to 1023 bytes in Base64URL, and `rawId` says the same. */
export const IsCredentialId = (options: Coded<'missing' | 'malformed'>): PropertyDecorator =>
  Field('isCredentialId', options, () => (value, body) => {
    const { missing, malformed } = options.context;
    if (typeof value !== 'string') return missing;
    const bytes = decodeBase64Url(value);
    if (!bytes || bytes.length > MAX_CREDENTIAL_ID_BYTES) return malformed;
    return 'rawId' in body && body.rawId === value ? undefined : malformed;
  });

/** An array of strings; unknown ones are left out when stored. */
export const IsTransports = (options: Coded): PropertyDecorator =>
  Field(
    'isTransports',
    options,
    () => (value) =>
      Array.isArray(value) &&
      value.length <= MAX_TRANSPORTS &&
      value.every((item) => typeof item === 'string')
        ? undefined
        : options.context.code,
  );

/** Null, empty or Base64URL. */
export const IsUserHandle = (options: Coded): PropertyDecorator =>
  Field(
    'isUserHandle',
    options,
    () => (value) =>
      value === null ||
      value === '' ||
      (typeof value === 'string' && decodeBase64Url(value) !== undefined)
        ? undefined
        : options.context.code,
  );

export const IsAttachment = (options: Coded): PropertyDecorator =>
  Rule(
    'isAttachment',
    options,
    (value) => value === null || isOneOf(ATTACHMENTS, value),
    `must be one of ${ATTACHMENTS.join(', ')}`,
  );
