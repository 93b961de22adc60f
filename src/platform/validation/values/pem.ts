import { X509Certificate } from 'node:crypto';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** RFC 7468 §5.1 and, with its older labels, §5.3. */
const CERTIFICATE =
  /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----[\s\S]*?-----END (?:X509 |TRUSTED )?CERTIFICATE-----/g;
/** The headers of a PEM block (RFC 1421 §4.6), which end with an empty line; OpenSSL refuses those that it does not know. */
const HEADERS = /(?<=-----BEGIN [A-Z0-9 ]+-----)\s*(?:[\w-]+:.*\r?\n(?:[ \t].*\r?\n)*)+\s*/;

/**
 * The certificates of a PEM text (RFC 7468), DER; text around them and headers in them are skipped.
 *
 * @throws if one of them is not a certificate
 */
export function certificatesOfPem(text: string): Buffer[] {
  const blocks = text.match(CERTIFICATE) ?? [];
  return blocks.map((pem) => new X509Certificate(pem.replace(HEADERS, '\n')).raw);
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
