import { isIP } from 'node:net';
import type { Request } from 'express';
import { sha256 } from '../../platform/common/sha256.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { decodeBase64Url } from '../../webauthn/base64url.js';
import { isObject, parsedJson } from '../../platform/validation/field-validator.js';
import { isLoopback } from '../../platform/config/base-address.js';
import { isDomain } from '../../platform/validation/values/domain.js';

/** The relying party for the keys of the console's own accounts: the host with which the console was called. */
export interface ConsoleHost {
  /** Its RP ID. */
  readonly domain: string;
  readonly rpIdHash: Buffer;
  readonly origins: readonly string[];
}

/**
 * Finds the relying party of a request by its host. A page can use keys of its own host only, and the browser
 * signs the page's origin: a page that relays the console's options has another origin than the host that it
 * calls.
 *
 * @returns `undefined` if browsers refuse keys: an IP address is not a domain
 */
export function consoleHost({
  host,
  hostname,
}: Pick<Request, 'host' | 'hostname'>): ConsoleHost | undefined {
  const domain = (hostname ?? '').toLowerCase();
  if (isIP(domain) !== 0 || !(isDomain(domain) || isLoopback(domain))) return undefined;
  const [, port = ''] = /(:\d{1,5})?$/.exec(host ?? '') ?? [];
  // A proxy may hide the scheme; but browsers use keys over plain HTTP on the local machine only.
  const schemes = isLoopback(domain) ? ['https', 'http'] : ['https'];
  return {
    domain,
    rpIdHash: sha256(domain),
    origins: schemes.map((scheme) => `${scheme}://${domain}${port}`),
  };
}

/** The answer of a prompt in the form that the page's script sends; the core decodes its bytes. */
export interface KeyResponse {
  readonly credentialId: Buffer;
  readonly userHandle: Buffer | undefined;
  readonly transports: readonly string[];
  readonly response: Readonly<Record<string, unknown>>;
}

/** @returns `undefined` for a text that is not such an answer */
export function readResponse(text: unknown): KeyResponse | undefined {
  const json = typeof text === 'string' ? parsedJson(text) : undefined;
  if (!isObject(json) || !isObject(json['response'])) return undefined;
  const { response } = json as { response: Record<string, unknown> };
  const credentialId = bytesIn(json['id']);
  if (!credentialId) return undefined;
  const listed = response['transports'];
  const transports = Array.isArray(listed) ? listed.filter(isTransport) : [];
  return { credentialId, userHandle: bytesIn(response['userHandle']), transports, response };
}

/** A new key that its owner has created on a page and named. */
export interface NewKey {
  readonly host: ConsoleHost;
  readonly response: KeyResponse;
  readonly name: string;
}

/** @throws ApiError E0045R if the form contains no answer of a prompt, or the host can have no keys */
export function newKeyIn(
  request: Pick<Request, 'host' | 'hostname'>,
  form: { readonly name?: string; readonly response?: string },
): NewKey {
  const { name } = form;
  const host = consoleHost(request);
  const response = readResponse(form.response);
  if (!host || !response || name === undefined) throw new ApiError('E0045R', 'accountKey.noneSent');
  return { host, response, name };
}

const bytesIn = (value: unknown): Buffer | undefined =>
  typeof value === 'string' && value !== '' ? decodeBase64Url(value) : undefined;

const isTransport = (value: unknown): value is string =>
  typeof value === 'string' && /^[a-z-]{1,16}$/.test(value);
