import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import {
  CeremonyError,
  ensure,
  ensureBase64Url,
  ensureMember,
  type MemberFault,
} from './failure.js';
import { originAllowed } from './origin.js';

/** WebAuthn L3 §5.8.1 CollectedClientData; the types of its members are checked. */
export interface ClientData {
  readonly type: string;
  /** Base64URL of the challenge, canonical. */
  readonly challenge: string;
  readonly origin: string;
  readonly crossOrigin: boolean;
  readonly topOrigin: string | undefined;
  /** SHA-256 of the bytes as received. */
  readonly hash: Buffer;
}

export interface ClientDataExpectation {
  readonly type: 'webauthn.create' | 'webauthn.get';
  readonly challenge: string;
  readonly origins: readonly string[];
  /** Origins of pages that may embed the ceremony; {@link UNKNOWN_PAGE} allows a page that the browser does not name. */
  readonly topOrigins: readonly string[];
}

/** No origin: an origin has a scheme. */
export const UNKNOWN_PAGE = 'unknown';

const BYTE_ORDER_MARK = '\uFEFF';
const CODE = { quote: 0x22, backslash: 0x5c, colon: 0x3a } as const;
const OPENING = new Set([0x7b, 0x5b]);
const CLOSING = new Set([0x7d, 0x5d]);

/**
 * Parses clientDataJSON: checks the JSON and the types of its members; of the values it checks only that the
 * challenge is Base64URL (WebAuthn L3 §7.1 steps 5–6, §7.2 steps 8–9).
 */
export function parseClientData(bytes: Buffer): ClientData {
  const json = parseObject(bytes);
  const type = requiredText(json, 'type');
  const challenge = requiredText(json, 'challenge');
  const origin = requiredText(json, 'origin');
  const crossOrigin = optional(json, 'crossOrigin', 'boolean') ?? false;
  const topOrigin = optional(json, 'topOrigin', 'string');
  ensureBase64Url(challenge, 'challenge', 'client-data-malformed');
  // OUT OF SPEC: Level 3 reserves the member and ignores it; our interface refuses it in any form.
  ensure(!('tokenBinding' in json), 'token-binding-present');
  return { type, challenge, origin, crossOrigin, topOrigin, hash: hash('sha256', bytes, 'buffer') };
}

/**
 * The challenge in client data that is not validated yet, to look up the ceremony.
 *
 * @returns an empty text if it cannot be read
 */
export function challengeIn(bytes: Buffer): string {
  try {
    const { challenge } = JSON.parse(decodeText(bytes)) as { readonly challenge?: unknown };
    return typeof challenge === 'string' ? challenge : '';
  } catch {
    return '';
  }
}

/** Checks the contents (WebAuthn L3 §7.1 steps 7–11, §7.2 steps 10–14). */
export function checkClientData(clientData: ClientData, expected: ClientDataExpectation): void {
  const { crossOrigin, topOrigin } = clientData;
  ensure(clientData.type === expected.type, 'client-data-type');
  if (clientData.challenge !== expected.challenge) {
    const isTwice = isEncodedTwice(clientData.challenge, expected.challenge);
    throw new CeremonyError(isTwice ? 'challenge-encoded-twice' : 'challenge-mismatch');
  }
  ensure(
    originAllowed(clientData.origin, expected.origins),
    'origin-not-allowed',
    clientData.origin,
  );
  if (!crossOrigin && topOrigin === undefined) return;
  const framedAsAllowed =
    topOrigin === undefined
      ? expected.topOrigins.includes(UNKNOWN_PAGE)
      : topOrigin !== UNKNOWN_PAGE && originAllowed(topOrigin, expected.topOrigins);
  ensure(crossOrigin && framedAsAllowed, 'cross-origin-not-allowed');
}

/** Whether a client encoded the text of a challenge in place of its bytes. */
const isEncodedTwice = (challenge: string, issued: string): boolean =>
  Buffer.from(challenge, 'base64url').toString('latin1') === issued;

const WHOLE = { field: 'clientDataJSON', fault: 'json' } as const;

/** Throws a `CeremonyError` that names a wrong member of the client data unless the condition is true. */
function ensureOwn(
  condition: boolean,
  name: string,
  fault: MemberFault,
  detail: string,
): asserts condition {
  const member = { field: `${WHOLE.field}.${name}`, fault };
  ensureMember(condition, 'client-data-malformed', member, `${name} is ${detail}`);
}

function parseObject(bytes: Buffer): object {
  ensureMember(isUtf8(bytes), 'client-data-malformed', WHOLE, 'not UTF-8');
  const text = decodeText(bytes);
  const json = parseJson(text);
  const isObject = typeof json === 'object' && json !== null && !Array.isArray(json);
  ensureMember(isObject, 'client-data-malformed', WHOLE, 'not a JSON object');
  const unique = countMembers(text) === Object.keys(json).length;
  ensureMember(unique, 'client-data-malformed', WHOLE, 'duplicate member');
  return json;
}

/** "UTF-8 decode" of the Encoding standard: strips a single leading BOM. */
function decodeText(bytes: Buffer): string {
  const decoded = bytes.toString('utf8');
  return decoded.startsWith(BYTE_ORDER_MARK) ? decoded.slice(1) : decoded;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CeremonyError('client-data-malformed', 'not JSON', WHOLE);
  }
}

/**
 * Counts the members of the outermost object, duplicates included. With attestation `none` the client data is
 * not signed, and a parser that takes the first of two members sees another ceremony than one that takes the
 * last. The text is known to be valid JSON, so counting colons outside strings is enough.
 */
function countMembers(text: string): number {
  let depth = 0;
  let members = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === CODE.quote) i = endOfString(text, i);
    else if (code === CODE.colon) members += depth === 1 ? 1 : 0;
    else if (OPENING.has(code)) depth++;
    else if (CLOSING.has(code)) depth--;
  }
  return members;
}

function endOfString(text: string, start: number): number {
  let i = start + 1;
  while (text.charCodeAt(i) !== CODE.quote) i += text.charCodeAt(i) === CODE.backslash ? 2 : 1;
  return i;
}

function requiredText(json: object, name: string): string {
  const value = ownMember(json, name);
  const present = typeof value === 'string' && value !== '';
  ensureOwn(present, name, 'text', 'missing or not text');
  return value;
}

function optional(json: object, name: string, type: 'boolean'): boolean | undefined;
function optional(json: object, name: string, type: 'string'): string | undefined;
function optional(json: object, name: string, type: string): unknown {
  const value = ownMember(json, name);
  const fits = value === undefined || typeof value === type;
  ensureOwn(fits, name, type === 'boolean' ? 'flag' : 'text', `not a ${type}`);
  return value;
}

function ownMember(json: object, name: string): unknown {
  return Object.getOwnPropertyDescriptor(json, name)?.value;
}
