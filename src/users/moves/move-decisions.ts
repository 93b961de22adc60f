import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { ShouldContinue } from '../../platform/database/commit/delete-in-units.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { Database } from '../../platform/database/database.js';
import { LeasedJob } from '../../platform/database/jobs/leased-job.js';
import { BEGINNING, NO_ID, mapKey } from '../../platform/database/row-ids.js';
import { scope } from '../../platform/database/scope.js';
import type { MoveForecast, MoveForecaster } from '../../tenancy/changes/predecessor.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { ignoresCase } from '../../tenancy/usernames/name-key.js';
import { TenancyService } from '../../tenancy/tenancy.service.js';
import { DROP_EXPECTED } from './link.statements.js';
import {
  DROP_COLLISION,
  OTHER_COLLISIONS,
  OTHER_EXPECTED,
  USERS_TO_DECIDE,
} from './move-decision.statements.js';
import { moveScope } from './move-scope.js';
import { SameUsers } from './same-users.js';

const EVERY_MS = 2_000;
/** Few enough not to delay sign-ins on the same connection; a statement reads as many. */
const USERS_PER_UNIT = 500;
/** How long the users of a move are not read again, at least: new ones are decided about by the same rule until then. */
const AGAIN_MS = 60_000;
/** The same, as a multiple of the time that the users of a large move take. */
const AGAIN_TIMES = 20;
/** How long a dry run reads. */
const FORECAST_MS = 5_000;

interface Sweep {
  /** `mapKey` of the predecessor's ID. */
  readonly predecessorId: string | undefined;
  /** Milliseconds of a monotonic clock. */
  readonly nextAt: number;
}

/**
 * Stores which user of the successor each user of the predecessor is, and removes what was decided for a predecessor that
 * no longer is one. It stores no progress: it skips users with a stored decision, so that it can stop anywhere and any
 * instance can continue. Each sweep decides again about users who are not at the successor yet.
 */
@Injectable()
export class MoveDecisions extends LeasedJob implements MoveForecaster {
  /** By the successor's ID. */
  private readonly sweeps = new Map<string, Sweep>();

  constructor(
    private readonly database: Database,
    private readonly relyingParties: RelyingPartyCache,
    private readonly same: SameUsers,
    tenancy: TenancyService,
  ) {
    super(database, {
      name: 'move-decisions',
      everyMs: EVERY_MS,
      retryMessage: 'Users who move to another domain are decided about in a moment',
    });
    tenancy.registerForecaster(this);
  }

  protected override work(): Promise<void> {
    return this.catchUp(
      () => this.hold(),
      (nextAt) => nextAt <= performance.now(),
    );
  }

  /**
   * Decides about all users of all moves.
   *
   * @param isDue whether the users of a move are read again; called with `Sweep.nextAt`
   * @throws the driver's error; decisions stored until then stay
   */
  async catchUp(
    mayGoOn: ShouldContinue = () => true,
    isDue: (nextAt: number) => boolean = () => true,
  ): Promise<void> {
    if (!(await mayGoOn())) return;
    await this.relyingParties.catchUp();
    for (const rp of this.relyingParties.current.all) {
      const predecessor = this.relyingParties.current.predecessorOf(rp);
      const predecessorId = predecessor && mapKey(predecessor.id);
      const last = this.sweeps.get(mapKey(rp.id));
      const isNew = !last || last.predecessorId !== predecessorId;
      if (!isNew && !(predecessor && isDue(last.nextAt))) continue;
      const began = performance.now();
      if (isNew && !(await this.dropOthers(rp, predecessor, mayGoOn))) return;
      if (predecessor && !(await this.decide(rp, predecessor, mayGoOn))) return;
      const took = performance.now() - began;
      const nextAt = performance.now() + Math.max(AGAIN_MS, AGAIN_TIMES * took);
      this.sweeps.set(mapKey(rp.id), { predecessorId, nextAt });
    }
  }

  /** Counts what a move would decide about the users of the predecessor; reads for some seconds at most. */
  async forecast(successor: RelyingParty, predecessor: RelyingParty): Promise<MoveForecast> {
    const until = performance.now() + FORECAST_MS;
    const sum = { users: 0, links: 0, collisions: 0 };
    const move = usersOf(successor, predecessor);
    for (let after: Buffer = BEGINNING; ;) {
      const users = await this.database.query(USERS_TO_DECIDE, { ...move, after });
      const same = await this.same.ofPredecessor(
        successor,
        users.map(({ id }) => id),
      );
      sum.users += users.length;
      sum.links += same.size;
      sum.collisions += users.length - same.size;
      const last = users.at(-1)?.username;
      if (!last || users.length < USERS_PER_UNIT) return { ...sum, complete: true };
      if (performance.now() > until) return { ...sum, complete: false };
      after = last;
    }
  }

  /** @returns `false` if it had to stop */
  private async decide(
    successor: RelyingParty,
    predecessor: RelyingParty,
    mayGoOn: ShouldContinue,
  ): Promise<boolean> {
    const move = usersOf(successor, predecessor);
    return this.inUnits(mayGoOn, BEGINNING, async (after) => {
      const users = await this.database.query(USERS_TO_DECIDE, { ...move, after });
      const open = users.filter(({ isOpen }) => Number(isOpen) === 1).map(({ id }) => id);
      const unit = await this.same.storing(successor, predecessor, open);
      return { unit, last: users.length < USERS_PER_UNIT ? undefined : users.at(-1)?.username };
    });
  }

  /** Removes decisions about users of other relying parties than the predecessor. @returns `false` if it had to stop */
  private async dropOthers(
    rp: RelyingParty,
    predecessor: RelyingParty | undefined,
    mayGoOn: ShouldContinue,
  ): Promise<boolean> {
    const predecessorId = predecessor?.id ?? NO_ID;
    for (const [find, remove] of [
      [OTHER_EXPECTED, DROP_EXPECTED],
      [OTHER_COLLISIONS, DROP_COLLISION],
    ] as const) {
      const params = { ...scope(rp), predecessorId, limit: USERS_PER_UNIT };
      const isDone = await this.inUnits(mayGoOn, NO_ID, async (after) => {
        const rows = await this.database.query(find, { ...params, after });
        const unit = rows
          .filter(({ isOther }) => Number(isOther) === 1)
          .map(({ id }) => remove.step({ ...scope(rp), predecessorUserId: id }));
        return { unit, last: rows.length < USERS_PER_UNIT ? undefined : rows.at(-1)?.id };
      });
      if (!isDone) return false;
    }
    return true;
  }

  /** Commits unit after unit, and rests as long as each took. @returns `false` if it had to stop */
  private async inUnits(
    mayGoOn: ShouldContinue,
    first: Buffer,
    next: (after: Buffer) => Promise<{ unit: readonly Step[]; last: Buffer | undefined }>,
  ): Promise<boolean> {
    for (let after: Buffer | undefined = first; after;) {
      if (!(await mayGoOn())) return false;
      const began = performance.now();
      const { unit, last } = await next(after);
      if (unit.length > 0) await this.database.store(unit, { background: true });
      after = last;
      if (after) await pause(performance.now() - began);
    }
    return true;
  }
}

const usersOf = (successor: RelyingParty, predecessor: RelyingParty) => ({
  ...moveScope(successor, predecessor),
  ignoresCase: ignoresCase(successor),
  limit: USERS_PER_UNIT,
});
