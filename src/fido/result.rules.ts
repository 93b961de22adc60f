import type { Code } from '../errors/catalogue.js';
import type { Judge } from '../validation/field.js';
import { isObject } from '../validation/field.js';
import { decodeBase64Url } from '../webauthn/base64url.js';

const MAX_CREDENTIAL_ID_BYTES = 1023;
const ATTACHMENTS = ['platform', 'cross-platform'];

/** The codes of one ceremony's format errors. */
interface FormatCodes {
  readonly type: readonly [missing: Code, notText: Code, other: Code];
  readonly id: readonly [missing: Code, malformed: Code];
  readonly response: Code;
  readonly rest: Code;
}

const isBase64Url = (value: unknown): boolean =>
  typeof value === 'string' && decodeBase64Url(value) !== undefined;

/** Rules of a result call's fields with the codes of its ceremony. */
export function resultRules(codes: FormatCodes) {
  const type: Judge = (value) => {
    if (value === undefined || value === null) return codes.type[0];
    if (typeof value !== 'string') return codes.type[1];
    return value === 'public-key' ? undefined : codes.type[2];
  };
  const id: Judge = (value, body) => {
    if (typeof value !== 'string') return codes.id[0];
    const bytes = decodeBase64Url(value);
    if (!bytes || bytes.length > MAX_CREDENTIAL_ID_BYTES) return codes.id[1];
    return 'rawId' in body && body.rawId === value ? undefined : codes.id[1];
  };
  /** Only the frame: its bytes are decoded and judged by the core, in the order of the ceremony. */
  const response =
    (others: (response: Record<string, unknown>) => boolean): Judge =>
    (value) => {
      if (!isObject(value)) return codes.response;
      return others(value) ? undefined : codes.rest;
    };
  const authenticatorAttachment: Judge = (value) =>
    value === undefined || value === null || ATTACHMENTS.includes(value as string)
      ? undefined
      : [codes.rest, `"authenticatorAttachment" must be one of ${ATTACHMENTS.join(', ')}.`];
  const clientExtensionResults: Judge = (value) =>
    value === undefined || isObject(value)
      ? undefined
      : [codes.rest, '"clientExtensionResults" must be an object.'];
  return { type, id, response, authenticatorAttachment, clientExtensionResults };
}

/** `response.transports`: absent or an array of strings; unknown ones are left out when stored. */
export const isTransports = ({ transports }: Record<string, unknown>): boolean =>
  transports === undefined ||
  (Array.isArray(transports) &&
    transports.length <= 64 &&
    transports.every((item) => typeof item === 'string'));

/** `response.userHandle`: absent, null, empty or Base64URL. */
export const isUserHandle = ({ userHandle }: Record<string, unknown>): boolean =>
  userHandle === undefined || userHandle === null || userHandle === '' || isBase64Url(userHandle);
