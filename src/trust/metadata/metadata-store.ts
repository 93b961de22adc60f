import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { FindOptionsWhere, Repository } from 'typeorm';
import { Database } from '../../platform/database/database.js';
import { unlessTaken } from '../../platform/database/commit/unique-violation.js';
import { insertStep, updateStep } from '../../platform/database/commit/step-of.js';
import { MetadataChunk, MetadataSourceEntity } from './metadata-source.entity.js';
import { MAX_BLOB_BYTES } from './metadata-source.js';
import type { MetadataSource } from './metadata-source.js';
import { FORGET_ORPHANS } from './metadata.statements.js';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** Far less than MySQL and MariaDB accept in one statement, even when written in hexadecimal. */
const CHUNK_BYTES = 1024 * 1024;
/**
 * Chunks without a source are deleted after this time; those of a BLOB that another instance is just storing
 * are younger.
 */
const ORPHAN_MS = 3600_000;
const MAX_ERROR = 255;

/** Digest of a source that has no BLOB yet. */
export const NO_BLOB = Buffer.alloc(32);

/** A source that was never asked. */
export const NEW_SOURCE = {
  digest: NO_BLOB,
  no: 0,
  nextUpdate: 0,
  takenAt: 0,
  etag: '',
  dueAt: 0,
  checkedAt: 0,
  failures: 0,
  error: '',
};

/** The state of a source, which all instances share. Times are milliseconds since 1970, 0 for never. */
export type SourceState = Readonly<Omit<MetadataSourceEntity, 'source'>>;

/** A verified BLOB that is to become its source's last good one. */
type TakenBlob = Pick<SourceState, 'digest' | 'no' | 'nextUpdate' | 'takenAt' | 'etag'>;

/** How an attempt ended, and when the next one is due. */
type MetadataAttempt = Pick<SourceState, 'dueAt' | 'checkedAt' | 'failures' | 'error'>;

/** The last good BLOBs and the state of their sources, in the database that instances share. */
@Injectable()
export class MetadataStore {
  constructor(
    @InjectRepository(MetadataSourceEntity)
    private readonly sources: Repository<MetadataSourceEntity>,
    @InjectRepository(MetadataChunk) private readonly chunks: Repository<MetadataChunk>,
    private readonly database: Database,
  ) {}

  /** The states of all sources that any instance has ever been configured with. */
  states(): Promise<SourceState[]> {
    return this.sources.find();
  }

  /** Creates the row of a new source. */
  async introduce({ id, label }: MetadataSource): Promise<void> {
    const row = { ...NEW_SOURCE, id, source: label };
    await unlessTaken(this.database.commit([insertStep(this.sources, row)]));
  }

  /** Claims the turn to ask a source that is due; only one of several instances gets it. */
  claim({ id, dueAt }: SourceState, until: number): Promise<boolean> {
    return this.update({ id, dueAt }, { dueAt: until });
  }

  async settle({ id }: SourceState, outcome: MetadataAttempt): Promise<void> {
    const { dueAt, checkedAt, failures, error } = outcome;
    await this.update({ id }, { dueAt, checkedAt, failures, error: error.slice(0, MAX_ERROR) });
  }

  /**
   * Stores a BLOB and makes it its source's last good one.
   *
   * @returns `false` when the source got another one meanwhile, which then stays
   */
  async advance(source: SourceState, taken: TakenBlob, jwt: Buffer): Promise<boolean> {
    const { digest, no, nextUpdate, takenAt, etag } = taken;
    await this.keep(digest, jwt, takenAt);
    const { id, digest: last } = source;
    const changes = { digest, no, nextUpdate, takenAt, etag, error: '' };
    const advanced = await this.update({ id, digest: last }, changes);
    await this.database.commit([FORGET_ORPHANS.step({ before: takenAt - ORPHAN_MS })]);
    return advanced;
  }

  /** The BLOB with a digest; `undefined` when it is not stored completely. */
  async read(digest: Buffer): Promise<Buffer | undefined> {
    const rows = await this.chunks.find({ where: { digest }, order: { part: 'ASC' } });
    if (rows.length === 0) return undefined;
    try {
      const compressed = Buffer.concat(rows.map(({ bytes }) => bytes));
      return await decompress(compressed, { maxOutputLength: MAX_BLOB_BYTES });
    } catch {
      return undefined;
    }
  }

  /** @returns `false` when the source has changed since it was read */
  private update(
    found: FindOptionsWhere<MetadataSourceEntity>,
    changes: Partial<MetadataSourceEntity>,
  ): Promise<boolean> {
    return this.database.commit([updateStep(this.sources, found, changes, true)]);
  }

  /** Stores a BLOB part by part, each in a statement; parts that exist already are the same. */
  private async keep(digest: Buffer, jwt: Buffer, now: number): Promise<void> {
    const compressed = await compress(jwt);
    for (let part = 0; part * CHUNK_BYTES < compressed.length; part += 1) {
      const bytes = compressed.subarray(part * CHUNK_BYTES, (part + 1) * CHUNK_BYTES);
      const row = { digest, part, storedAt: now, bytes };
      await unlessTaken(this.database.commit([insertStep(this.chunks, row)]));
    }
  }
}
