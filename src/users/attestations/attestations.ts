import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { sha256 } from '../../platform/common/sha256.js';
import { Database } from '../../platform/database/database.js';
import { scope, type ScopeOwner } from '../../platform/database/scope.js';
import { falseIfTaken } from '../../platform/database/commit/unique-violation.js';
import { distinctBytes, mapKey } from '../../platform/database/row-ids.js';
import {
  ATTESTATIONS_OF,
  AUTHORITIES_WITH,
  KEEP_AUTHORITY,
  type NewAttestationRow,
} from './attestation.statements.js';
import type { IndexedAttestation } from './attestation.entity.js';
import {
  sharedBy,
  sharedHashes,
  statementOf,
  type KeptAttestation,
  type SharedCertificates,
} from './evidence.js';

/** Size of the cache: each maker has a few certificates, and phone makers add some every few weeks. */
const MAX_AUTHORITIES = 1000;

/** The row of an attestation; it belongs in the unit that stores its credential. */
export const attestationRow = (
  rp: ScopeOwner,
  id: Buffer,
  { evidence, ...kept }: KeptAttestation,
): NewAttestationRow => ({ ...scope(rp), id, ...kept, evidence: JSON.stringify(evidence) });

/** Stored attestations, and the CA certificates, each stored once for all credentials that share it. */
@Injectable()
export class Attestations {
  /** Cached certificates by their SHA-256. All of them are in the database, which never deletes one. */
  private readonly authorities = new LRUCache<string, Buffer>({ max: MAX_AUTHORITIES });

  constructor(private readonly database: Database) {}

  /** Stores the new CA certificates (DER); does not query the database if all are cached. */
  async keepAuthorities(certificates: readonly Buffer[]): Promise<void> {
    for (const certificate of certificates) {
      const digest = sha256(certificate);
      if (this.authorities.get(mapKey(digest))) continue;
      const keep = KEEP_AUTHORITY.step({ hash: digest, certificate });
      await falseIfTaken(this.database.commit([keep]));
      // A copy, since the certificate is a slice that would keep the whole request in memory.
      this.authorities.set(mapKey(digest), Buffer.from(certificate));
    }
  }

  /**
   * The CA certificates of these attestations. The caller holds what it needs, since the cache may evict any of them
   * while others are read.
   */
  async authoritiesOf(
    attestations: readonly Pick<KeptAttestation, 'authorities'>[],
  ): Promise<SharedCertificates> {
    const found = new Map<string, Buffer>();
    const missing: Buffer[] = [];
    for (const digest of distinctBytes(attestations.flatMap(sharedHashes))) {
      const known = this.authorities.get(mapKey(digest));
      if (known) found.set(mapKey(digest), known);
      else missing.push(digest);
    }
    if (missing.length === 0) return found;
    const rows = await this.database.query(AUTHORITIES_WITH, { hashes: missing });
    for (const { hash, certificate } of rows) {
      found.set(mapKey(hash), certificate);
      this.authorities.set(mapKey(hash), certificate);
    }
    return found;
  }

  /**
   * The attestations of credentials, each with the certificates (DER) that it shares with others.
   *
   * @param ids row IDs of credentials; the result omits credentials without attestation
   * @throws Error if one of these certificates is not stored
   */
  async of(rp: ScopeOwner, ids: readonly Buffer[]) {
    if (ids.length === 0) return [];
    const rows = await this.database.query(ATTESTATIONS_OF, { ...scope(rp), ids });
    const authorities = await this.authoritiesOf(rows);
    return rows.map(({ id, ...row }) => {
      const kept = { ...row, evidence: JSON.parse(row.evidence) as IndexedAttestation };
      const shared = sharedBy(kept, authorities);
      return { id, kept, shared, statement: statementOf(kept, shared) };
    });
  }
}
