import { readFileSync } from 'node:fs';
import type { ServerOptions } from '../server-options.js';

const KEY_BYTES = 32;
/** Base64 or Base64URL of 32 bytes, such as `openssl rand -base64 32` writes. */
const KEY = /^[\w+/-]{43}=?$/;

/**
 * Reads `--secret-key-file FILE`: one key per line, of which the first seals. Empty lines and lines that
 * begin with `#` are skipped. A key is 32 random bytes, since one that people make up could be guessed with
 * the help of a database dump.
 *
 * @param mistakes gets a line for what is wrong with the file
 * @returns the keys, 32 bytes each; none where there is no file
 */
export function readSecretKeys(
  { secretKeyFile }: Pick<ServerOptions, 'secretKeyFile'>,
  mistakes: string[],
): readonly Buffer[] {
  if (secretKeyFile === undefined) return [];
  const wrong = (sentence: string) => {
    mistakes.push(`--secret-key-file: ${secretKeyFile} ${sentence}`);
    return [];
  };
  let content: string;
  try {
    content = readFileSync(secretKeyFile, 'utf8');
  } catch {
    return wrong('cannot be read');
  }
  const lines = content.split(/\r?\n/).map((line) => line.trim());
  const keys = lines.filter((line) => line !== '' && !line.startsWith('#'));
  if (keys.length === 0) return wrong('holds no key');
  if (!keys.every((key) => KEY.test(key))) {
    return wrong(`must hold ${KEY_BYTES} bytes in Base64 on each line`);
  }
  return keys.map((key) => Buffer.from(key, 'base64'));
}
