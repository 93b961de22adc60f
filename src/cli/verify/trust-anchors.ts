import { X509Certificate } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { MetadataIndex } from '../../webauthn/metadata/metadata-index.js';

/** The trusted authorities and models, the same for all ceremonies. */
export interface Trust {
  readonly metadata: MetadataIndex;
  /** Trust anchors in DER. */
  readonly anchors: readonly Buffer[];
}

const PEM = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;
/** The first bytes of a certificate in DER: a SEQUENCE whose length takes two octets. */
const DER_START = 0x3082;

/**
 * Reads all certificates in the files of a directory tree, or in one file: DER, or PEM with any number
 * of them. Other content of the files is ignored.
 *
 * @returns DER
 * @throws if the path cannot be read
 */
export function certificatesUnder(path: string): Buffer[] {
  if (!statSync(path).isDirectory()) return certificatesIn(readFileSync(path));
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .map((name) => join(path, name))
    .filter((file) => statSync(file).isFile())
    .flatMap((file) => certificatesIn(readFileSync(file)));
}

function certificatesIn(content: Buffer): Buffer[] {
  const isDer = content.length > 1 && content.readUInt16BE() === DER_START;
  const parts = isDer ? [content] : (content.toString('latin1').match(PEM) ?? []);
  return parts.flatMap((part) => {
    try {
      return [new X509Certificate(part).raw];
    } catch {
      return [];
    }
  });
}
