import { createHash, randomBytes } from 'node:crypto';
import type { AuditAction, AuditEntry } from '../audit-entry.js';
import { truncateUtf8 } from '../../platform/validation/values/names.js';
import type { AuditRow } from '../audit-row.entity.js';

/** The newest row of the chain. */
export type ChainHead = Readonly<Pick<AuditRow, 'seq' | 'at' | 'hash'>>;

/** The head of an empty chain: the first row is sealed onto it. */
export const GENESIS: ChainHead = { seq: 0, at: 0, hash: Buffer.alloc(32) };

/** `SEQ AT HASH`: the form in which the head is stored outside the table, and compared as one text. */
export const headText = ({ seq, at, hash }: ChainHead): string =>
  `${seq} ${at} ${hash.toString('hex')}`;

export function chainHead(text: string): ChainHead {
  const [seq, at, hash = ''] = text.split(' ');
  return { seq: Number(seq), at: Number(at), hash: Buffer.from(hash, 'hex') };
}

const SALT_BYTES = 16;

/** The action of rows that change the key; their target is its fingerprint. */
export const KEY_CHANGE = 'audit.key' satisfies AuditAction;

/** The action of rows that record an erasure; their target is the pseudonym. */
export const ERASURE_ACTION = 'audit.erase' satisfies AuditAction;

/** The text with which the previous key approves: the row before the change, and the new key's fingerprint. */
export const keyChangeText = (before: ChainHead, fingerprint: string): string =>
  `${KEY_CHANGE} ${headText(before)} ${fingerprint}`;

/** The columns that the hash covers, in an order that never changes; the salt follows them. */
const HASHED = [
  'seq',
  'at',
  'account',
  'role',
  'address',
  'action',
  'tenant',
  'relyingParty',
  'target',
  'result',
  'code',
  'requestId',
  'detail',
  'previousHash',
] as const satisfies readonly (keyof AuditRow)[];

/**
 * SHA-256 over the other columns of a row, including its predecessor's hash. The encoding is the JSON array
 * of the columns in order, bytes in hexadecimal: no two rows have the same text. The salt, if any, comes
 * last: once it is deleted, the user of an erased row cannot be found by trying names.
 */
export function hashOfRow({ salt, ...row }: Omit<AuditRow, 'hash' | 'erasedBy'>): Buffer {
  const columns = HASHED.map((column) => row[column]);
  const values = (salt === null ? columns : [...columns, salt]).map((value) =>
    Buffer.isBuffer(value) ? value.toString('hex') : value,
  );
  return createHash('sha256').update(JSON.stringify(values)).digest();
}

/** Returns the sealed row that follows the head. Times never decrease, even if the clock does. */
export function seal(entry: AuditEntry, head: ChainHead, now: number): AuditRow {
  const row = {
    seq: head.seq + 1,
    at: Math.max(now, head.at),
    account: cutBytes(entry.account, 255),
    role: cutText(entry.role, 16),
    address: cutText(entry.address, 64),
    action: cutText(entry.action, 64),
    tenant: cutOptional(entry.tenant, 255),
    relyingParty: cutOptional(entry.relyingParty, 255),
    target: cutOptional(entry.target, 1024),
    result: entry.result,
    code: entry.code ?? null,
    requestId: cutText(entry.requestId, 64),
    detail: JSON.stringify(entry.detail ?? {}),
    previousHash: head.hash,
    salt: randomBytes(SALT_BYTES),
  };
  return { ...row, hash: hashOfRow(row), erasedBy: null };
}

const cutOptional = (text: string | undefined, bytes: number): Buffer | null =>
  text === undefined ? null : cutBytes(text, bytes);

const cutText = (text: string, bytes: number): string => truncateUtf8(bytes, text.toWellFormed());

const cutBytes = (text: string, bytes: number): Buffer =>
  Buffer.from(truncateUtf8(bytes, text), 'utf8');
