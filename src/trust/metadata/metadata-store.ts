import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { Database } from '../../platform/database/database.js';
import { falseIfTaken } from '../../platform/database/commit/unique-violation.js';
import { insertStep } from '../../platform/database/commit/step-of.js';
import type { Unit } from '../../platform/database/commit/unit.js';
import type { MetadataBlob } from '../../webauthn/metadata/blob.js';
import { FetchedSourceStore, NO_DIGEST, UNTRIED } from '../fetched-source.js';
import { HOUR_MS } from '../../platform/common/durations.js';
import { MetadataChunk, MetadataSourceEntity } from './metadata-source.entity.js';
import { MAX_BLOB_BYTES, type FetchedBlob, type MetadataSource } from './metadata-source.js';
import { FORGET_ORPHANS } from './metadata.statements.js';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** Far less than MySQL and MariaDB accept in one statement, even in hexadecimal. */
const CHUNK_BYTES = 1024 * 1024;
/**
 * Chunks without a source are deleted after this time; chunks of a BLOB that another instance is just storing
 * are younger.
 */
const ORPHAN_MS = HOUR_MS;

/** A source that was never fetched. */
const NEW_SOURCE = { ...UNTRIED, no: 0, nextUpdate: 0, takenAt: 0, etag: '' };

/** The state of a source, which all instances share. Times are milliseconds since 1970, 0 for never. */
export type SourceState = Readonly<Omit<MetadataSourceEntity, 'source' | 'lastKnown'>>;

/** A source, its state that all instances share, and the BLOB that this instance has loaded. */
export class LoadedSource {
  state: SourceState;
  blob: MetadataBlob | undefined;
  /** When the loaded BLOB was taken; 0 before the first. */
  takenAt = 0;
  /** Digest of the BLOB that was read last, whether it was usable or not. */
  seen: Buffer = NO_DIGEST;
  /** The stamp of the file when it was last read. */
  stamp = '';

  constructor(readonly source: MetadataSource) {
    this.state = { ...NEW_SOURCE, id: source.id };
  }
}

/** A BLOB that was fetched or uploaded. */
export interface ReceivedBlob extends FetchedBlob {
  /** Stores the change of its source with the audit row of the upload. */
  readonly commit?: (change: Unit) => Promise<boolean>;
}

/** A verified BLOB that will become its source's last good one. */
export type TakenBlob = Pick<SourceState, 'digest' | 'no' | 'nextUpdate' | 'takenAt' | 'etag'> & {
  /** The last known entries of models whose entries in the BLOB cannot be read, as JSON values. */
  readonly lastKnown: readonly unknown[];
};

/**
 * The last good BLOBs and the state of their sources, in the database that instances share. Google's list of revoked
 * phone keys is one of them: its number is its date.
 */
@Injectable()
export class MetadataStore extends FetchedSourceStore<MetadataSourceEntity> {
  constructor(
    @InjectRepository(MetadataSourceEntity) sources: Repository<MetadataSourceEntity>,
    @InjectRepository(MetadataChunk) private readonly chunks: Repository<MetadataChunk>,
    database: Database,
  ) {
    super(sources, database);
  }

  /** Creates the row of a new source. */
  introduce({ id, label }: Pick<MetadataSource, 'id' | 'label'>): Promise<void> {
    return this.add({ ...NEW_SOURCE, id, source: label });
  }

  /** @throws EntityNotFoundError before `introduce` */
  state(id: Buffer): Promise<SourceState> {
    return this.sources.findOneByOrFail({ id });
  }

  /**
   * Stores a BLOB and makes it its source's last good one.
   *
   * @param commit stores the change of the source
   * @returns `false` if the source has another one in the meantime, which then stays
   */
  async advance(
    source: SourceState,
    taken: TakenBlob,
    { jwt, commit = (unit) => this.database.commit(unit) }: ReceivedBlob,
  ): Promise<boolean> {
    await this.keep(taken, jwt);
    const { id, digest } = source;
    const lastKnown =
      taken.lastKnown.length === 0 ? null : await compress(JSON.stringify(taken.lastKnown));
    const step = this.updateStep({ id, digest }, { ...taken, lastKnown, error: '' });
    const advanced = await commit([step]);
    await this.database.store([FORGET_ORPHANS.step({ before: taken.takenAt - ORPHAN_MS })]);
    return advanced;
  }

  /** The last known entries that `advance` has stored for a source, as JSON values. */
  async lastKnown({ id }: SourceState): Promise<readonly unknown[]> {
    const row = await this.sources.findOne({
      select: { id: true, lastKnown: true },
      where: { id },
    });
    if (!row?.lastKnown) return [];
    return JSON.parse((await decompress(row.lastKnown)).toString()) as readonly unknown[];
  }

  /** The BLOB with a digest; `undefined` if it is not stored completely. */
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

  /** Stores a BLOB in parts, one per statement; parts that exist already are the same. */
  private async keep({ digest, takenAt }: TakenBlob, jwt: Buffer): Promise<void> {
    const compressed = await compress(jwt);
    for (let part = 0; part * CHUNK_BYTES < compressed.length; part += 1) {
      const bytes = compressed.subarray(part * CHUNK_BYTES, (part + 1) * CHUNK_BYTES);
      const row = { digest, part, storedAt: takenAt, bytes };
      await falseIfTaken(this.database.commit([insertStep(this.chunks, row)]));
    }
  }
}
