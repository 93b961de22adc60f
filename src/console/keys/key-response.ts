import { decodeBase64Url } from '../../webauthn/base64url.js';
import { isObject } from '../../platform/validation/rule.js';

/** The answer of a prompt, as the page's script puts it into the form; the core decodes the bytes in it. */
export interface KeyResponse {
  readonly credentialId: Buffer;
  readonly userHandle: Buffer | undefined;
  readonly transports: readonly string[];
  readonly response: Readonly<Record<string, unknown>>;
}

/** @returns `undefined` for text that is no such answer */
export function readResponse(text: unknown): KeyResponse | undefined {
  const json = typeof text === 'string' ? parsed(text) : undefined;
  if (!isObject(json) || !isObject(json['response'])) return undefined;
  const { response } = json as { response: Record<string, unknown> };
  const credentialId = bytesIn(json['id']);
  if (!credentialId) return undefined;
  const listed = response['transports'];
  const transports = Array.isArray(listed) ? listed.filter(isTransport) : [];
  return { credentialId, userHandle: bytesIn(response['userHandle']), transports, response };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const bytesIn = (value: unknown): Buffer | undefined =>
  typeof value === 'string' && value !== '' ? decodeBase64Url(value) : undefined;

const isTransport = (value: unknown): value is string =>
  typeof value === 'string' && /^[a-z-]{1,16}$/.test(value);
