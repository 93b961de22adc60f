import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { RoundRobin } from '../../platform/common/turns/round-robin.js';
import type { ShouldContinue } from '../../platform/database/commit/delete-in-units.js';
import { falseIfTaken } from '../../platform/database/commit/unique-violation.js';
import { Database } from '../../platform/database/database.js';
import { LeasedJob } from '../../platform/database/jobs/leased-job.js';
import { scope } from '../../platform/database/scope.js';
import { BEGINNING, NO_ID } from '../../platform/database/row-ids.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { FOLDING } from './folding.js';
import {
  ADVANCE_SEARCH,
  BEGIN_SEARCH,
  COUNT_INDEXED,
  FINISH_SEARCH,
  FORGET_SEARCH_PROGRESS,
  SEARCH_POSITION,
  SEARCH_PROGRESS,
  USERS_TO_READ,
} from './search.statements.js';
import { wordSteps } from './search-word-steps.js';

/** Few enough not to delay sign-ins on the same connection. */
const USERS_PER_UNIT = 100;
const EVERY_MS = 1_000;
/** Milliseconds of rest for each millisecond of a unit, so that others come first. */
const REST = 1;

/**
 * Fills the index of words with the names of users who are older than the index, or than the current folding. It
 * follows the names of each relying party, some per unit, and stores its progress by compare-and-set, so that it can
 * stop and continue anywhere. Users who register in the meantime store their words themselves. An outdated word does no
 * harm, since the search compares each user's row with the text.
 */
@Injectable()
export class SearchFilling extends LeasedJob {
  private done = false;

  constructor(
    private readonly database: Database,
    private readonly relyingParties: RelyingPartyCache,
  ) {
    super(database, {
      name: 'search-filling',
      everyMs: EVERY_MS,
      retryMessage: 'The search goes on reading names in a moment',
    });
  }

  /** Whether the index contains the words of all users of these relying parties. */
  async isDone(rps: readonly RelyingParty[]): Promise<boolean> {
    if (await this.isDoneEverywhere()) return true;
    const ids = rps.map(({ id }) => id);
    const [row] = await this.database.query(COUNT_INDEXED, { ids, folding: FOLDING });
    return Number(row?.n) === rps.length;
  }

  /**
   * Reads all remaining users, without the lease. Tenants take turns after each unit, so that many users of one delay
   * the search of no other.
   *
   * @param mayGoOn called before each unit; `false` stops
   * @throws the driver's error; users read until then stay indexed
   */
  async catchUp(mayGoOn: ShouldContinue = () => true): Promise<void> {
    if (await this.isDoneEverywhere()) return;
    const turns = new RoundRobin<RelyingParty>();
    for (const rp of this.relyingParties.current.all) turns.add(rp.tenant, rp);
    for (let rp = turns.take(); rp; rp = turns.take()) {
      if (!(await mayGoOn())) return;
      if (!(await this.step(rp))) turns.add(rp.tenant, rp);
    }
    // Instances of version 1.0 read this `upto`.
    const finish = FINISH_SEARCH.step({ folding: FOLDING, upto: NO_ID });
    await falseIfTaken(this.database.commit([FORGET_SEARCH_PROGRESS.step({}), finish]));
  }

  protected override work(): Promise<void> {
    let began = performance.now();
    return this.catchUp(async () => {
      await pause((performance.now() - began) * REST);
      const isHeld = await this.hold();
      began = performance.now();
      return isHeld;
    });
  }

  private async isDoneEverywhere(): Promise<boolean> {
    if (this.done) return true;
    const [row] = await this.database.query(SEARCH_PROGRESS);
    return (this.done = row?.folding === FOLDING && Boolean(row.done));
  }

  /**
   * Stores the words of the relying party's next users; if another instance was faster, nothing is stored.
   *
   * @returns whether its last users were read before
   */
  private async step(rp: RelyingParty): Promise<boolean> {
    const { done: wasDone, ...progress } = await this.position(rp);
    const isCurrent = progress.folding === FOLDING;
    if (isCurrent && wasDone) return true;
    const after = isCurrent ? progress.upto : BEGINNING;
    const users = await this.database.query(USERS_TO_READ, {
      ...scope(rp),
      after,
      limit: USERS_PER_UNIT,
    });
    const done = users.length < USERS_PER_UNIT;
    const advance = ADVANCE_SEARCH.mustChange({
      ...scope(rp),
      ...progress,
      newFolding: FOLDING,
      newUpto: done ? BEGINNING : (users.at(-1)?.username ?? after),
      done,
    });
    const named = users.map(({ username, ...user }) => ({
      ...user,
      username: username.toString('utf8'),
      relyingParty: rp,
    }));
    const words = wordSteps(this.database.kind, named);
    const isStored = await this.database.commit([advance, ...words], { background: true });
    return isStored && done;
  }

  private async position(rp: RelyingParty) {
    for (;;) {
      const [row] = await this.database.query(SEARCH_POSITION, scope(rp));
      if (row) return row;
      const begin = BEGIN_SEARCH.step({ ...scope(rp), folding: FOLDING });
      await falseIfTaken(this.database.commit([begin]));
    }
  }
}
