import { createHash } from 'node:crypto';
import { NO_AAGUID } from '../aaguid.js';
import { loadCertificate, storedCertificate } from '../certificates/certificate.js';
import type { MetadataEntry } from './metadata-statement.js';

/** The parts of a registration that identify the authenticator model. */
interface ModelEvidence {
  /** Hyphenated, in lower case. */
  readonly aaguid: string;
  /** Certificates of the statement, leaf first, DER. */
  readonly trustPath: readonly Buffer[];
}

/** Finds the entries of one or more BLOBs by model identifier; the entry of a later BLOB wins. */
export class MetadataIndex {
  private readonly aaguids = new Map<string, MetadataEntry>();
  private readonly keys = new Map<string, MetadataEntry>();

  constructor(entries: Iterable<MetadataEntry> = []) {
    for (const entry of entries) {
      if (entry.aaguid !== undefined) this.aaguids.set(entry.aaguid, entry);
      for (const key of entry.keyIdentifiers) this.keys.set(key, entry);
    }
  }

  /** A FIDO2 model by its AAGUID, hyphenated and in lower case. */
  byAaguid(aaguid: string): MetadataEntry | undefined {
    return this.aaguids.get(aaguid);
  }

  /** A U2F model by the key identifier of its attestation certificate, hexadecimal, lower case. */
  byKeyIdentifier(identifier: string): MetadataEntry | undefined {
    return this.keys.get(identifier);
  }

  models(): Iterable<MetadataEntry> {
    return this.aaguids.values();
  }

  u2fModels(): Iterable<MetadataEntry> {
    return new Set(this.keys.values());
  }

  /**
   * The entry of the model of a registration: by its AAGUID, or, if it has none (fido-u2f), by the key of its
   * attestation certificate.
   */
  entryFor({ aaguid, trustPath }: ModelEvidence): MetadataEntry | undefined {
    if (aaguid !== NO_AAGUID) return this.byAaguid(aaguid);
    const [leaf] = trustPath;
    const isReadable = leaf !== undefined && storedCertificate(leaf) !== undefined;
    return isReadable ? this.byKeyIdentifier(keyIdentifierOf(leaf)) : undefined;
  }
}

/**
 * The key identifier of a certificate: SHA-1 of its public key's bits (RFC 5280 §4.2.1.2 method 1).
 * Fails with `attestation-certificate` if the certificate does not load.
 */
export function keyIdentifierOf(der: Buffer): string {
  return createHash('sha1').update(loadCertificate(der).keyBits).digest('hex');
}
