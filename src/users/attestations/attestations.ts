import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { sha256 } from '../../platform/common/sha256.js';
import { Database } from '../../platform/database/database.js';
import { scope, type ScopeOwner } from '../../platform/database/scope.js';
import type { AttestationStatement } from '../../webauthn/attestation/format.js';
import { falseIfTaken } from '../../platform/database/commit/unique-violation.js';
import { distinctBytes, mapKey } from '../../platform/database/row-ids.js';
import {
  ATTESTATIONS_OF,
  AUTHORITIES_WITH,
  KEEP_AUTHORITY,
  type AttestationRow,
  type NewAttestationRow,
} from './attestation.statements.js';
import type { Evidence } from './attestation.entity.js';
import { sharedHashes, statementOf, type KeptAttestation } from './evidence.js';

/** Size of the cache: each maker has a few certificates, and phone makers add some every few weeks. */
const MAX_KNOWN = 1000;

/** CA certificates, each stored once for all credentials that share it. */
@Injectable()
export class AttestationAuthorities {
  /** Cached certificates by their SHA-256. All of them are in the database, which never deletes one. */
  private readonly known = new LRUCache<string, Buffer>({ max: MAX_KNOWN });

  constructor(private readonly database: Database) {}

  /** Stores the new certificates (DER); does not query the database if all are cached. */
  async keep(certificates: readonly Buffer[]): Promise<void> {
    for (const certificate of certificates) {
      const digest = sha256(certificate);
      if (this.known.has(mapKey(digest))) continue;
      const keep = KEEP_AUTHORITY.step({ hash: digest, certificate });
      await falseIfTaken(this.database.commit([keep]));
      // A copy, since the certificate is a slice that would keep the whole request in memory.
      this.known.set(mapKey(digest), Buffer.from(certificate));
    }
  }

  /** Reads the certificates with these SHA-256 hashes into the cache, for `find`. */
  async load(hashes: readonly Buffer[]): Promise<void> {
    const missing = hashes.filter((digest) => !this.known.has(mapKey(digest)));
    if (missing.length === 0) return;
    const rows = await this.database.query(AUTHORITIES_WITH, { hashes: distinctBytes(missing) });
    for (const { hash: digest, certificate } of rows) this.known.set(mapKey(digest), certificate);
  }

  /** The certificates with these hashes, which `load` must have read just before. */
  find(hashes: readonly Buffer[]): readonly Buffer[] {
    return hashes.flatMap((digest) => this.known.get(mapKey(digest)) ?? []);
  }
}

/** An attestation of a credential, with all of its certificates. */
interface FoundAttestation {
  readonly id: Buffer;
  readonly kept: KeptAttestation;
  /** The certificates shared with other credentials, DER. */
  readonly shared: readonly Buffer[];
  readonly statement: AttestationStatement;
}

/** The row of an attestation; it belongs in the unit that stores its credential. */
export const attestationRow = (
  rp: ScopeOwner,
  id: Buffer,
  { evidence, ...kept }: KeptAttestation,
): NewAttestationRow => ({ ...scope(rp), id, ...kept, evidence: JSON.stringify(evidence) });

/** Reads stored attestations. */
@Injectable()
export class Attestations {
  constructor(
    private readonly database: Database,
    private readonly authorities: AttestationAuthorities,
  ) {}

  /** @param ids row IDs of credentials; the result omits credentials without attestation */
  async of(rp: ScopeOwner, ids: readonly Buffer[]): Promise<readonly FoundAttestation[]> {
    if (ids.length === 0) return [];
    return this.read(await this.database.query(ATTESTATIONS_OF, { ...scope(rp), ids }));
  }

  /** Parses rows, and adds the shared certificates. */
  async read(rows: readonly AttestationRow[]): Promise<readonly FoundAttestation[]> {
    await this.authorities.load(rows.flatMap(sharedHashes));
    return rows.map(({ id, ...row }) => {
      const kept = { ...row, evidence: JSON.parse(row.evidence) as Evidence };
      const shared = this.authorities.find(sharedHashes(kept));
      return { id, kept, shared, statement: statementOf(kept, shared) };
    });
  }
}
