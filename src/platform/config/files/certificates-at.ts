import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { certificatesOfPem } from '../../validation/values/pem.js';

const PEM_FILE = /\.(?:pem|crt|cer)$/i;

/**
 * The certificates of a PEM file, or of all PEM files of a directory, DER.
 *
 * @throws Error that names the file if one cannot be read or contains none
 */
export function certificatesAt(path: string): Buffer[] {
  const isDirectory = statSync(path).isDirectory();
  const names = isDirectory ? readdirSync(path).filter((name) => PEM_FILE.test(name)) : [''];
  const found = names.flatMap((name) => certificatesIn(join(path, name)));
  if (found.length === 0) throw new Error(`${path} holds no certificates in PEM.`);
  return found;
}

function certificatesIn(file: string): Buffer[] {
  try {
    return certificatesOfPem(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`${file} cannot be read as certificates in PEM.`, { cause: error });
  }
}
