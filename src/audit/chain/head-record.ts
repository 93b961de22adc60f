import type { AuditKey } from './audit-key.js';
import { headOf, headText } from './chain.js';
import type { Head } from './chain.js';

/** Name of the head's record in `secrets`: kept apart from the rows, it shows a chain that lost its end. */
export const HEAD = 'audit-head';

/** The record of the newest row: `SEQ AT HASH`, in a sealed chain with the key's fingerprint and the seal. */
export interface HeadRecord {
  readonly text: string;
  readonly head: Head;
  readonly seal?: { readonly fingerprint: string; readonly mac: string };
}

export function recordOf(text: string): HeadRecord {
  const [, , , fingerprint, mac = ''] = text.split(' ');
  return { text, head: headOf(text), ...(fingerprint ? { seal: { fingerprint, mac } } : {}) };
}

export function recordText(head: Head, key: AuditKey | null): string {
  const text = headText(head);
  return key ? `${text} ${key.fingerprint} ${key.seal(text)}` : text;
}

const NOT_SEALED =
  'the audit trail is not sealed: "servicefido audit seal" begins the seal, if nobody removed one';

/** Why a process with this key, or none, must not append rows behind a record; `undefined` where it may. */
export function faultOfSeal({ head, seal }: HeadRecord, key: AuditKey | null): string | undefined {
  if (!seal) return key ? NOT_SEALED : undefined;
  const { fingerprint, mac } = seal;
  if (!key) return `the audit trail is sealed with the key ${fingerprint}, which is needed`;
  if (fingerprint !== key.fingerprint) {
    return `the audit trail is sealed with the key ${fingerprint}, and this one is ${key.fingerprint}`;
  }
  if (key.hasSealed(headText(head), mac)) return undefined;
  return `the record of the last row has another seal than the key ${fingerprint} gives it: somebody without the key wrote it`;
}
