import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/common/clock.js';
import { splitIntoParts } from '../../platform/common/split-into-parts.js';
import { falseIfTaken } from '../../platform/database/commit/unique-violation.js';
import { Database } from '../../platform/database/database.js';
import { mapKey } from '../../platform/database/row-ids.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import {
  DROP_REGROUPED_USERS,
  FIRST_REGROUPED_USERS,
} from '../../users/groups/user-group.statements.js';
import { Moves } from '../../users/moves/moves.js';
import { EvaluationBasis } from './evaluation/evaluation-basis.js';
import { KeyEvaluation } from './evaluation/key-evaluation.js';
import { FindingStore } from './finding-store.js';

/** Each has few keys. */
const USERS_PER_UNIT = 20;
/** A directory may have changed a group of many: after these notes, other keys are evaluated for a while. */
const MAX_NOTES = 1_000;

interface UserPlace {
  readonly rp: RelyingParty;
  readonly id: Buffer;
}

/**
 * Evaluates the keys of users whose groups have changed. It waits until the registrations are over that began with the
 * former groups, and until all instances know the policy. Only the instance that evaluates all keys does it, between two
 * slices of them, so that neither overwrites the other's findings.
 */
@Injectable()
export class RegroupedKeys {
  /** When notes were first seen, by their IDs (`mapKey`). */
  private seen = new Map<string, number>();

  constructor(
    private readonly database: Database,
    private readonly relyingParties: RelyingPartyCache,
    private readonly moves: Moves,
    private readonly basis: EvaluationBasis,
    private readonly evaluation: KeyEvaluation,
    private readonly store: FindingStore,
    private readonly clock: Clock,
  ) {}

  /**
   * Evaluates the keys of some users.
   *
   * @param settleMs how long a note must have been seen
   * @returns whether further users may be due
   */
  async evaluate(settleMs: number): Promise<boolean> {
    // All of them begin to wait now: slice by slice, the last ones would wait once for each slice.
    const notes = await this.database.query(FIRST_REGROUPED_USERS, { limit: MAX_NOTES });
    const now = this.clock.elapsed();
    this.seen = new Map(notes.map(({ id }) => [mapKey(id), this.seen.get(mapKey(id)) ?? now]));
    const due = notes.filter(({ id }) => now - (this.seen.get(mapKey(id)) ?? now) >= settleMs);
    for (const slice of splitIntoParts(due, USERS_PER_UNIT)) {
      if (!(await this.evaluateKeysOf(slice))) return false;
      // SQLite answers synchronously: other requests run in between.
      await yieldToEventLoop();
    }
    return due.length === MAX_NOTES;
  }

  /** @returns whether the notes are done; otherwise a later call repeats them */
  private async evaluateKeysOf(
    notes: readonly {
      readonly id: Buffer;
      readonly userId: Buffer;
      readonly relyingPartyId: Buffer;
    }[],
  ): Promise<boolean> {
    // A user who was noted several times, in a move perhaps at both domains, is evaluated once.
    const places = new Map<string, UserPlace>();
    const { all: relyingParties } = this.relyingParties.current;
    for (const { userId, relyingPartyId } of notes) {
      const rp = relyingParties.find(({ id }) => id.equals(relyingPartyId));
      // Nobody signs in at a closed relying party.
      if (!rp) continue;
      const elsewhere = await this.moves.elsewhere(rp, userId);
      for (const place of [{ rp, id: userId }, ...(elsewhere ? [elsewhere] : [])]) {
        places.set(mapKey(place.id), place);
      }
    }
    const steps = [];
    for (const { rp, id } of places.values()) {
      const found = await this.stepsOf(rp, id);
      if (!found) return false;
      steps.push(...found);
    }
    const ids = notes.map(({ id }) => id);
    const drop = DROP_REGROUPED_USERS.mustChange({ ids }, ids.length);
    return falseIfTaken(this.database.commit([...steps, drop], { background: true }));
  }

  /** The steps that store changed findings; `undefined` while metadata is missing. */
  private async stepsOf(rp: RelyingParty, userId: Buffer) {
    if (!this.basis.of(rp)) return undefined;
    const keys = await this.store.keys.ofUsers(rp, [userId]);
    const changes = keys.flatMap((key) => this.evaluation.changeOf(rp, key) ?? []);
    return this.store.stepsAfterChange(rp, keys, changes);
  }
}
