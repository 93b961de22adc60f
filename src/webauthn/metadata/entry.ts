import { objectOf, optionalText, texts } from './json.js';
import { type MetadataStatement, readStatement } from './statement.js';
import { readStatusReports, type StatusReport } from './status.js';

/** One authenticator model of a BLOB (FIDO Metadata Service v3 §3.1.1). */
export interface MetadataEntry {
  /** Set for a FIDO2 model; hyphenated, in lower case. */
  readonly aaguid: string | undefined;
  /** Set for a UAF model, in lower case. */
  readonly aaid: string | undefined;
  /** Key identifiers of a U2F model's attestation certificates, hexadecimal, in lower case. */
  readonly keyIdentifiers: readonly string[];
  readonly statement: MetadataStatement | undefined;
  readonly statusReports: readonly StatusReport[];
}

/** Reads one of a BLOB's `entries`. Fails with `payload`. */
export function readEntry(value: unknown): MetadataEntry {
  const entry = objectOf(value, 'an entry');
  const statement = entry['metadataStatement'];
  return {
    aaguid: optionalText(entry, 'aaguid')?.toLowerCase(),
    aaid: optionalText(entry, 'aaid')?.toLowerCase(),
    keyIdentifiers: texts(entry, 'attestationCertificateKeyIdentifiers').map((text) =>
      text.toLowerCase(),
    ),
    statement: statement === undefined ? undefined : readStatement(statement),
    statusReports: readStatusReports(entry['statusReports']),
  };
}
