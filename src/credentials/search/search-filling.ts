import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { isUniqueViolation } from '../../database/commit/unique-violation.js';
import { Database } from '../../database/database.js';
import type { Query } from '../../database/database.js';
import { Leases } from '../../database/leases/leases.js';
import type { LeasedRounds } from '../../database/leases/leased-rounds.js';
import { FOLDING } from './folding.js';
import type { SearchProgress } from './search-progress.entity.js';
import { BEGIN_SEARCH, MOVE_SEARCH, SEARCH_PROGRESS, USERS_TO_READ } from './search.statements.js';
import { wordSteps } from './word-steps.js';

type Progress = Omit<SearchProgress, 'id'>;

interface UserToRead {
  readonly id: Buffer;
  readonly tenantId: Buffer;
  readonly relyingPartyId: Buffer;
  readonly username: Buffer;
  readonly displayName: string;
}

/** Users of one unit: few enough that sign-ins which share the connection do not notice. */
const BATCH = 100;
const EVERY_MS = 1_000;
/** What it rests after a unit, for each millisecond that the unit took: others go first. */
const REST = 1;
const BEGINNING = Buffer.alloc(16);

/**
 * Reads the names of all users who were there before the search by words was, or before names were folded
 * as they are now. It goes along the users' ids, a unit for some of them, and moves by compare-and-set, so
 * that it can stop anywhere and go on. Who registers meanwhile brings the words along; a word that is not
 * so any more does no harm, since the search holds each user's row against what was asked.
 */
@Injectable()
export class SearchFilling implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly rounds: LeasedRounds;
  private readonly row: Query<Progress>;
  private readonly users: Query<UserToRead>;
  private done = false;

  constructor(
    private readonly database: Database,
    leases: Leases,
  ) {
    this.rounds = leases.rounds('search-filling', {
      ...{ everyMs: EVERY_MS, work: () => this.work() },
      ...{ again: 'The search goes on reading names in a moment', context: 'Users' },
    });
    this.row = database.query(SEARCH_PROGRESS);
    this.users = database.query(USERS_TO_READ, { patienceMs: 10_000 });
  }

  onApplicationBootstrap(): void {
    this.rounds.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.rounds.stop();
  }

  /** Whether the words of everybody are there. */
  async isDone(): Promise<boolean> {
    if (this.done) return true;
    const [row] = await this.row.all();
    return (this.done = row?.folding === FOLDING && Boolean(row.done));
  }

  /**
   * Reads all that is left, whoever holds the lease.
   *
   * @throws the driver's error; what was read until then stays so
   */
  async catchUp(): Promise<void> {
    while (!(await this.isDone())) await this.step();
  }

  private async work(): Promise<void> {
    while (!(await this.isDone()) && (await this.rounds.hold())) {
      const began = performance.now();
      await this.step();
      await pause((performance.now() - began) * REST);
    }
  }

  /** The next users. Where another instance was faster, nothing of it stays. */
  private async step(): Promise<void> {
    const progress = await this.progress();
    const upto = progress.folding === FOLDING ? progress.upto : BEGINNING;
    const users = await this.users.all(upto, BATCH);
    const last = users.at(-1)?.id ?? upto;
    const done = users.length < BATCH ? 1 : 0;
    const params = [FOLDING, last, done, progress.folding, progress.upto];
    const words = wordSteps(this.database.kind, users.map(namedOf));
    await this.database.commit([{ sql: MOVE_SEARCH, params, guard: true }, ...words], {
      background: true,
    });
  }

  private async progress(): Promise<Progress> {
    for (;;) {
      const [row] = await this.row.all();
      if (row) return row;
      await this.begin();
    }
  }

  private async begin(): Promise<void> {
    try {
      await this.database.commit([{ sql: BEGIN_SEARCH, params: [FOLDING, BEGINNING] }]);
    } catch (error) {
      // Another instance was faster.
      if (!isUniqueViolation(error)) throw error;
    }
  }
}

const namedOf = ({ id, tenantId, relyingPartyId, username, displayName }: UserToRead) => ({
  ...{ id, displayName },
  username: username.toString('utf8'),
  relyingParty: { id: relyingPartyId, tenantId },
});
