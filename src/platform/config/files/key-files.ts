import { statSync } from 'node:fs';
import { OptionMistakes } from '../option-types.js';
import type { ServerOptions } from '../server-config.js';
import { readOptionFile } from './option-file.js';

const MIN_BYTES = 32;
/** Permission bits of all users except the file's owner. */
const OTHERS = 0o077;
const GROUP_READ = 0o040;

/**
 * Reads the key of `--audit-key-file FILE`, which may be any bytes. A line break at the end is removed, since only
 * some editors add one; but at least 32 bytes are kept, which may be random and end with one.
 *
 * @throws OptionMistakes for a file that cannot be read, or is too short
 */
export function readAuditKey(options: Pick<ServerOptions, 'auditKeyFile'>): Buffer | undefined {
  const { auditKeyFile } = options;
  if (auditKeyFile === undefined) return undefined;
  const content = readOptionFile('--audit-key-file', auditKeyFile);
  if (content.length < MIN_BYTES) {
    const place = `--audit-key-file: ${auditKeyFile}`;
    throw new OptionMistakes([`${place} must hold at least ${MIN_BYTES} bytes`]);
  }
  const [, lineBreak = ''] = /(\r?\n)$/.exec(content.toString('latin1')) ?? [];
  return content.subarray(0, Math.max(MIN_BYTES, content.length - lineBreak.length));
}

/**
 * Whether other users of the machine may read or write a file. The process's own group may read a file of another
 * user: Kubernetes mounts secrets this way, and the server could not read them otherwise.
 */
export function isOpenToOthers(path: string): boolean {
  if (process.platform === 'win32') return false;
  const { mode, uid, gid } = statSync(path);
  const readsByGroup = uid !== process.getuid?.() && gid === process.getgid?.();
  return (mode & (readsByGroup ? OTHERS & ~GROUP_READ : OTHERS)) !== 0;
}

const KEY_BYTES = 32;
/** Base64 or Base64URL of 32 bytes, for example the output of `openssl rand -base64 32`. */
const KEY = /^[\w+/-]{43}=?$/;

/**
 * Reads `--secret-key-file FILE`: one key per line, of which the first seals. Empty lines and lines that
 * begin with `#` are skipped. A key must be 32 random bytes, since a made-up one could be guessed with a
 * database dump.
 *
 * @returns the keys, 32 bytes each; none if there is no file
 * @throws OptionMistakes for a file that cannot be read, or contains anything else
 */
export function readSecretKeys(options: Pick<ServerOptions, 'secretKeyFile'>): readonly Buffer[] {
  const { secretKeyFile } = options;
  if (secretKeyFile === undefined) return [];
  const content = readOptionFile('--secret-key-file', secretKeyFile).toString('utf8');
  const lines = content.split(/\r?\n/).map((line) => line.trim());
  const keys = lines.filter((line) => line !== '' && !line.startsWith('#'));
  const place = `--secret-key-file: ${secretKeyFile}`;
  if (keys.length === 0) throw new OptionMistakes([`${place} holds no key`]);
  if (!keys.every((key) => KEY.test(key))) {
    throw new OptionMistakes([`${place} must hold ${KEY_BYTES} bytes in Base64 on each line`]);
  }
  return keys.map((key) => Buffer.from(key, 'base64'));
}
