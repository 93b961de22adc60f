import { X509Certificate } from 'node:crypto';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

/**
 * The certificates of a PEM text (RFC 7468), DER; text around them is skipped.
 *
 * @throws if one of them is not a certificate
 */
export function certificatesOfPem(text: string): Buffer[] {
  return (text.match(CERTIFICATE) ?? []).map((pem) => new X509Certificate(pem).raw);
}

/** Whether the text contains at least one certificate, and none that cannot be read. */
export function isCertificatePem(text: unknown): text is string {
  if (typeof text !== 'string') return false;
  try {
    return certificatesOfPem(text).length > 0;
  } catch {
    return false;
  }
}

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
