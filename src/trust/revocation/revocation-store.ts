import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { FindOptionsWhere, Repository } from 'typeorm';
import { insertStep, updateStep } from '../../platform/database/commit/step-of.js';
import { unlessTaken } from '../../platform/database/commit/unique-violation.js';
import { Database } from '../../platform/database/database.js';
import type { DistributionPoint } from '../../webauthn/certificates/distribution-points.js';
import { RevocationListEntity } from './revocation-list.entity.js';

const MAX_ERROR = 255;
/** Digest of a place that has no list yet. */
export const NO_LIST = Buffer.alloc(32);

/** The state of a place, which all instances share; times are milliseconds since 1970, 0 for never. */
export type ListState = Omit<RevocationListEntity, 'list'>;
/** How an attempt ended, and when the next one is due. */
type ListAttempt = Pick<ListState, 'dueAt' | 'checkedAt' | 'failures' | 'error'>;

const NEW = { digest: NO_LIST, list: null, thisUpdate: 0 };
const UNTRIED: ListAttempt = { dueAt: 0, checkedAt: 0, failures: 0, error: '' };
const OF_STATE = {
  ...{ id: true, address: true, issuer: true, digest: true, thisUpdate: true },
  ...{ dueAt: true, checkedAt: true, failures: true, error: true },
} as const;

/** The ID of a place. Lists of different authorities at the same address have different places. */
export const idOf = ({ address, issuer }: DistributionPoint): Buffer =>
  hash('sha256', Buffer.concat([Buffer.from(`${address}\0`), issuer]), 'buffer').subarray(0, 16);

/** The places of revocation lists and their last good ones, in the database that instances share. */
@Injectable()
export class RevocationStore {
  constructor(
    @InjectRepository(RevocationListEntity)
    private readonly rows: Repository<RevocationListEntity>,
    private readonly database: Database,
  ) {}

  /** The states of all places, without their lists. */
  states(): Promise<ListState[]> {
    return this.rows.find({ select: OF_STATE });
  }

  /** The last good list of a place, DER. */
  async read({ id }: ListState): Promise<Buffer | undefined> {
    return (await this.rows.findOneBy({ id }))?.list ?? undefined;
  }

  /** Creates the row of a new place. */
  async introduce(point: DistributionPoint): Promise<void> {
    const { address, issuer } = point;
    const row = { id: idOf(point), address, issuer, ...NEW, ...UNTRIED };
    const insert = insertStep(this.rows, row);
    await unlessTaken(this.database.commit([insert], { background: true }));
  }

  /** Claims the turn to ask a place that is due; only one of several instances gets it. */
  claim({ id, dueAt }: ListState, until: number): Promise<boolean> {
    return this.update({ id, dueAt }, { dueAt: until });
  }

  async settle({ id }: ListState, { error, ...outcome }: ListAttempt): Promise<void> {
    await this.update({ id }, { ...outcome, error: error.slice(0, MAX_ERROR) });
  }

  /** Makes a list the last good one of its place, unless the place got another one meanwhile. */
  async keep(
    { id, digest: last }: ListState,
    taken: Pick<RevocationListEntity, 'list' | 'digest' | 'thisUpdate'>,
  ): Promise<void> {
    await this.update({ id, digest: last }, taken);
  }

  private update(
    found: FindOptionsWhere<RevocationListEntity>,
    changes: Partial<RevocationListEntity>,
  ): Promise<boolean> {
    return this.database.commit([updateStep(this.rows, found, changes, true)], {
      background: true,
    });
  }
}
