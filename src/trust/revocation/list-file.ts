import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readRevocationList } from '../../webauthn/certificates/revocation-list.js';
import type { RevocationList } from '../../webauthn/certificates/revocation-list.js';
import { faultOf, isIgnored } from './list-faults.js';

/** Enough for several lists in PEM. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;
const MAX_FILES = 256;
const LIST_FILE = /\.(?:crl|pem|der)$/i;
const PEM = /-----BEGIN X509 CRL-----([\sA-Za-z0-9+/=]+)-----END X509 CRL-----/g;

/** The lists that a file holds. */
export interface ListFile {
  /** Modification time, size and inode of the file; changes with it. */
  readonly stamp: string;
  readonly lists: readonly RevocationList[];
  /** Why the file could not be read completely; empty where all is well. */
  readonly fault: string;
  /** Whether the fault is only that a valid list is of a kind that is not supported. */
  readonly isIgnored: boolean;
}

/**
 * The files at a path: the path itself, or the files of a directory that are named `….crl`, `….pem` or
 * `….der`.
 *
 * @throws Error where there is none, or there are more than 256
 */
export async function filesAt(path: string): Promise<readonly string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const files = (await readdir(path)).filter((name) => LIST_FILE.test(name)).sort();
  if (files.length > MAX_FILES) throw new Error(`There are more than ${MAX_FILES} files.`);
  return files.map((name) => join(path, name));
}

/**
 * Reads the lists of a file: one in DER, or several in PEM.
 *
 * @param before what was read from it last time, which stays in use while the file cannot be read
 */
export async function readListFile(path: string, before?: ListFile): Promise<ListFile> {
  try {
    const { mtimeMs, size, ino } = await stat(path);
    const stamp = [mtimeMs, size, ino].join();
    if (stamp === before?.stamp) return before;
    if (size > MAX_FILE_BYTES) throw new Error('The file is larger than 4 MiB.');
    return { stamp, lists: listsOf(await readFile(path)), fault: '', isIgnored: false };
  } catch (error) {
    const lists = before?.lists ?? [];
    return { stamp: '', lists, fault: `${path}: ${faultOf(error)}`, isIgnored: isIgnored(error) };
  }
}

function listsOf(bytes: Buffer): readonly RevocationList[] {
  const text = bytes.toString('latin1');
  const blocks = [...text.matchAll(PEM)].map(([, base64 = '']) => Buffer.from(base64, 'base64'));
  return (blocks.length > 0 ? blocks : [bytes]).map(readRevocationList);
}
