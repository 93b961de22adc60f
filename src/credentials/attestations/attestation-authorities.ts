import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { isUniqueViolation } from '../../database/commit/unique-violation.js';
import { Database } from '../../database/database.js';
import { padded } from '../../database/padded.js';
import { KEEP_AUTHORITY, authoritiesWith } from './attestation.statements.js';

/** Makers have a few each; those of phones change every few weeks. */
const MOST_KNOWN = 1000;

interface Row {
  readonly hash: Buffer;
  readonly certificate: Buffer;
}

const nameOf = (bytes: Buffer): string => bytes.toString('latin1');

/** Certificates of authorities, each kept once for all credentials that they vouch for. */
@Injectable()
export class AttestationAuthorities {
  /** By their hashes. What is here is in the database, which never forgets one. */
  private readonly known = new LRUCache<string, Buffer>({ max: MOST_KNOWN });

  constructor(private readonly database: Database) {}

  /** Asks the database for nothing where all of them have been seen. */
  async keep(certificates: readonly Buffer[]): Promise<void> {
    for (const certificate of certificates) {
      const digest = hash('sha256', certificate, 'buffer');
      if (this.known.has(nameOf(digest))) continue;
      await this.insert(digest, certificate);
      // A copy: what is given is a part of a whole request.
      this.known.set(nameOf(digest), Buffer.from(certificate));
    }
  }

  /** Makes sure that `find` knows these. */
  async load(hashes: readonly Buffer[]): Promise<void> {
    const missing = hashes.filter((digest) => !this.known.has(nameOf(digest)));
    if (missing.length === 0) return;
    const asked = padded([...new Map(missing.map((one) => [nameOf(one), one])).values()]);
    const rows = await this.database.query<Row>(authoritiesWith(asked)).all(...asked);
    for (const { hash: digest, certificate } of rows) this.known.set(nameOf(digest), certificate);
  }

  /** Those of these hashes, which were loaded a moment ago. */
  find(hashes: readonly Buffer[]): readonly Buffer[] {
    return hashes.flatMap((digest) => this.known.get(nameOf(digest)) ?? []);
  }

  private async insert(digest: Buffer, certificate: Buffer): Promise<void> {
    try {
      await this.database.commit([{ sql: KEEP_AUTHORITY, params: [digest, certificate] }]);
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
    }
  }
}
