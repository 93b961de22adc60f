import { isUtf8 } from 'node:buffer';
import { decodeBase64Url } from '../base64url.js';
import { CeremonyError, ensure } from '../failure.js';
import { certificateList, type CertificateList } from './format.js';

/** Members of a JSON object; a Map, since an attacker may choose their names. */
export type JsonMembers = ReadonlyMap<string, unknown>;

/** A JSON Web Signature; its signature is not verified yet. */
export interface Jws {
  readonly header: JsonMembers;
  readonly payload: JsonMembers;
  readonly signed: Buffer;
  readonly signature: Buffer;
}

/** Reads a JWS in compact serialization (RFC 7515 §7.1) whose payload is a JSON object. */
export function readJws(bytes: Buffer): Jws {
  const text = bytes.toString('latin1');
  const [header, payload, signature, ...others] = text.split('.').map(decodeBase64Url);
  const complete = header !== undefined && payload !== undefined && signature !== undefined;
  ensure(complete && others.length === 0, 'attestation-malformed', 'not a JWS of three parts');
  const members = readObject(header);
  // RFC 7515 §4.1.11: `crit` names extensions that must be understood, and none is supported here.
  ensure(!members.has('crit'), 'attestation-malformed', 'the JWS has critical members');
  const signed = bytes.subarray(0, text.lastIndexOf('.'));
  return { header: members, payload: readObject(payload), signed, signature };
}

/** Reads `x5c` of a header. RFC 7515 §4.1.6: it contains Base64, not Base64URL. */
export function readCertificateChain(header: JsonMembers): CertificateList {
  const x5c = header.get('x5c');
  ensure(Array.isArray(x5c), 'attestation-malformed', 'x5c of the JWS is not an array');
  return certificateList(x5c.map(readBase64));
}

function readBase64(item: unknown): Buffer {
  const bytes = Buffer.from(typeof item === 'string' ? item : '', 'base64');
  const canonical = bytes.length > 0 && bytes.toString('base64') === item;
  ensure(canonical, 'attestation-malformed', 'x5c of the JWS holds something that is not Base64');
  return bytes;
}

function readObject(bytes: Buffer): JsonMembers {
  ensure(isUtf8(bytes), 'attestation-malformed', 'a part of the JWS is not UTF-8');
  const json = parseJson(bytes.toString('utf8'));
  const isObject = typeof json === 'object' && json !== null && !Array.isArray(json);
  ensure(isObject, 'attestation-malformed', 'a part of the JWS is not a JSON object');
  return new Map(Object.entries(json));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CeremonyError('attestation-malformed', 'a part of the JWS is not JSON');
  }
}
