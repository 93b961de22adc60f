import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { isUniqueViolation } from '../../database/commit/unique-violation.js';
import type { Step } from '../../database/commit/unit.js';
import { MAX_BLOB_BYTES } from './metadata-source.js';
import type { MetadataSource } from './metadata-source.js';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** Far below what MySQL and MariaDB take in one statement, also written out in hexadecimal. */
const CHUNK_BYTES = 1024 * 1024;
/** Chunks of a BLOB that another instance is about to take are younger. */
const ORPHAN_MS = 3600_000;
const MAX_ERROR = 255;

/** Digest of a source that has no BLOB yet. */
export const NO_BLOB = Buffer.alloc(32);

/** What all instances know of a source. Times are milliseconds since 1970, 0 for never. */
export interface SourceState {
  readonly id: Buffer;
  /** SHA-256 of the last good BLOB; `NO_BLOB` where there is none. */
  readonly digest: Buffer;
  readonly no: number;
  readonly nextUpdate: number;
  readonly takenAt: number;
  readonly etag: string;
  readonly dueAt: number;
  readonly checkedAt: number;
  readonly failures: number;
  /** What the last attempt failed of; empty when it did not. */
  readonly error: string;
}

/** A BLOB that was verified, on its way to being the source's last good one. */
export interface TakenBlob {
  readonly digest: Buffer;
  readonly no: number;
  readonly nextUpdate: number;
  readonly takenAt: number;
  readonly etag: string;
}

/** How an attempt ended, and when the next one is due. */
export interface Outcome {
  readonly dueAt: number;
  readonly checkedAt: number;
  readonly failures: number;
  readonly error: string;
}

/** The last good BLOBs and the state of their sources, in the database that instances share. */
@Injectable()
export class MetadataStore {
  constructor(private readonly database: Database) {}

  /** The states of all sources that any instance has had. */
  states(): Promise<SourceState[]> {
    return this.database
      .query<SourceState>(
        `SELECT id, digest, no, next_update AS nextUpdate, taken_at AS takenAt, etag,
           due_at AS dueAt, checked_at AS checkedAt, failures, error
         FROM metadata_sources`,
      )
      .all();
  }

  /** Makes the row of a source that is new. */
  async introduce({ id, label }: MetadataSource): Promise<void> {
    try {
      await this.database.commit([
        {
          sql: `INSERT INTO metadata_sources
                  (id, source, digest, no, next_update, taken_at, etag, due_at, checked_at,
                   failures, error)
                VALUES (?, ?, ?, 0, 0, 0, '', 0, 0, 0, '')`,
          params: [id, label, NO_BLOB],
        },
      ]);
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
    }
  }

  /** Takes the turn to ask a source that is due; of several instances one gets it. */
  claim({ id, dueAt }: SourceState, until: number): Promise<boolean> {
    return this.database.commit([
      {
        sql: 'UPDATE metadata_sources SET due_at = ? WHERE id = ? AND due_at = ?',
        params: [until, id, dueAt],
        guard: true,
      },
    ]);
  }

  async settle({ id }: SourceState, outcome: Outcome): Promise<void> {
    const { dueAt, checkedAt, failures, error } = outcome;
    await this.database.commit([
      {
        sql: `UPDATE metadata_sources SET due_at = ?, checked_at = ?, failures = ?, error = ?
              WHERE id = ?`,
        params: [dueAt, checkedAt, failures, error.slice(0, MAX_ERROR), id],
      },
    ]);
  }

  /**
   * Keeps a BLOB and makes it its source's last good one.
   *
   * @returns `false` when the source got another one meanwhile; that one stays then
   */
  async advance(source: SourceState, taken: TakenBlob, jwt: Buffer): Promise<boolean> {
    const { digest, no, nextUpdate, takenAt, etag } = taken;
    await this.keep(digest, jwt, takenAt);
    const advanced = await this.database.commit([
      {
        sql: `UPDATE metadata_sources
              SET digest = ?, no = ?, next_update = ?, taken_at = ?, etag = ?, error = ''
              WHERE id = ? AND digest = ?`,
        params: [digest, no, nextUpdate, takenAt, etag, source.id, source.digest],
        guard: true,
      },
    ]);
    await this.database.commit([forgetOrphans(takenAt)]);
    return advanced;
  }

  /** The BLOB of a digest; `undefined` when it is not there as a whole. */
  async read(digest: Buffer): Promise<Buffer | undefined> {
    const rows = await this.database
      .query<{ bytes: Buffer }>('SELECT bytes FROM metadata_chunks WHERE digest = ? ORDER BY part')
      .all(digest);
    if (rows.length === 0) return undefined;
    try {
      const compressed = Buffer.concat(rows.map(({ bytes }) => bytes));
      return await decompress(compressed, { maxOutputLength: MAX_BLOB_BYTES });
    } catch {
      return undefined;
    }
  }

  /** Part by part, each a statement: what is there already is the same. */
  private async keep(digest: Buffer, jwt: Buffer, now: number): Promise<void> {
    const compressed = await compress(jwt);
    for (let part = 0; part * CHUNK_BYTES < compressed.length; part += 1) {
      const bytes = compressed.subarray(part * CHUNK_BYTES, (part + 1) * CHUNK_BYTES);
      try {
        await this.database.commit([
          {
            sql: 'INSERT INTO metadata_chunks (digest, part, stored_at, bytes) VALUES (?, ?, ?, ?)',
            params: [digest, part, now, bytes],
          },
        ]);
      } catch (error) {
        if (!isUniqueViolation(error)) throw error;
      }
    }
  }
}

function forgetOrphans(now: number): Step {
  return {
    sql: `DELETE FROM metadata_chunks
          WHERE stored_at < ? AND digest NOT IN (SELECT digest FROM metadata_sources)`,
    params: [now - ORPHAN_MS],
  };
}
