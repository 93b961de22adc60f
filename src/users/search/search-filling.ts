import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { falseIfTaken } from '../../platform/database/commit/unique-violation.js';
import { Database } from '../../platform/database/database.js';
import { LeasedJob } from '../../platform/database/leased-job.js';
import { FOLDING } from './folding.js';
import {
  BEGIN_SEARCH,
  ADVANCE_SEARCH,
  SEARCH_PROGRESS,
  USERS_TO_READ,
  type SearchPosition,
} from './search.statements.js';
import { wordSteps } from './search-word-steps.js';

/** Users per unit: few enough not to delay sign-ins on the same connection. */
const BATCH = 100;
const EVERY_MS = 1_000;
/** Milliseconds of rest for each millisecond of a unit, so that others come first. */
const REST = 1;
const BEGINNING = Buffer.alloc(16);

/**
 * Fills the index of words with the names of users who are older than the index, or than the current folding. It
 * follows the users' IDs, some per unit, and stores its progress by compare-and-set, so that it can stop and continue
 * anywhere. Users who register in the meantime store their words themselves. An outdated word does no harm, since the
 * search compares each user's row with the text.
 */
@Injectable()
export class SearchFilling extends LeasedJob {
  private done = false;

  constructor(private readonly database: Database) {
    super(database, {
      name: 'search-filling',
      everyMs: EVERY_MS,
      retryMessage: 'The search goes on reading names in a moment',
    });
  }

  /** Whether the index contains the words of all users. */
  async isDone(): Promise<boolean> {
    if (this.done) return true;
    const [row] = await this.database.query(SEARCH_PROGRESS);
    return (this.done = row?.folding === FOLDING && Boolean(row.done));
  }

  /**
   * Reads all remaining users, without the lease.
   *
   * @throws the driver's error; users read until then stay indexed
   */
  async catchUp(): Promise<void> {
    while (!(await this.isDone())) await this.step();
  }

  protected override async work(): Promise<void> {
    while (!(await this.isDone()) && (await this.hold())) {
      const began = performance.now();
      await this.step();
      await pause((performance.now() - began) * REST);
    }
  }

  /** Stores the words of the next users; if another instance was faster, nothing is stored. */
  private async step(): Promise<void> {
    const progress = await this.progress();
    const upto = progress.folding === FOLDING ? progress.upto : BEGINNING;
    const users = await this.database.query(USERS_TO_READ, { after: upto, limit: BATCH });
    const last = users.at(-1)?.id ?? upto;
    const done = users.length < BATCH;
    const advance = ADVANCE_SEARCH.mustChange({
      ...progress,
      newFolding: FOLDING,
      newUpto: last,
      done,
    });
    const named = users.map(({ tenantId, relyingPartyId, username, ...user }) => ({
      ...user,
      username: username.toString('utf8'),
      relyingParty: { id: relyingPartyId, tenantId },
    }));
    const words = wordSteps(this.database.kind, named);
    await this.database.commit([advance, ...words], { background: true });
  }

  private async progress(): Promise<SearchPosition> {
    for (;;) {
      const [row] = await this.database.query(SEARCH_PROGRESS);
      if (row) return row;
      const begin = BEGIN_SEARCH.step({ folding: FOLDING, upto: BEGINNING });
      await falseIfTaken(this.database.commit([begin]));
    }
  }
}
