import { Pace, type JobProgress } from '../../platform/common/pace.js';
import { RoundRobin } from '../../platform/common/turns/round-robin.js';
import { mapKey } from '../../platform/database/row-ids.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import type { EvaluationDigests } from './evaluation/evaluation-place.js';

/** The evaluation of one relying party's keys. */
export interface PartyEvaluation {
  readonly rp: RelyingParty;
  readonly basis: EvaluationDigests;
  /** Yields after each slice; returns whether the keys have been evaluated against the basis. */
  readonly slices: AsyncGenerator<void, boolean>;
}

/** Evaluations of several relying parties. Tenants take turns, so that many keys of one tenant delay no other. */
export class EvaluationRound {
  private readonly turns = new RoundRobin<PartyEvaluation>();
  /** The relying parties whose evaluations wait for their turns. */
  private readonly waiting = new Set<string>();
  /** The finished share of the keys of each relying party. */
  private readonly shares = new Map<string, number>();
  private readonly pace = new Pace();

  isWaiting({ id }: RelyingParty): boolean {
    return this.waiting.has(mapKey(id));
  }

  begin(evaluation: PartyEvaluation): void {
    this.shares.set(mapKey(evaluation.rp.id), 0);
    this.putBack(evaluation);
  }

  /** Takes the evaluation whose turn it is; `undefined` if none is left. */
  take(): PartyEvaluation | undefined {
    const next = this.turns.take();
    if (next) this.waiting.delete(mapKey(next.rp.id));
    return next;
  }

  /** Lets an evaluation wait for its next turn. */
  putBack(evaluation: PartyEvaluation): void {
    this.waiting.add(mapKey(evaluation.rp.id));
    this.turns.add(evaluation.rp.tenant, evaluation);
  }

  /** Await it before each slice of a relying party; waits as long as the progress of all evaluations permits. */
  async pause({ id }: RelyingParty, { done, withinMs }: JobProgress): Promise<void> {
    this.shares.set(mapKey(id), done);
    const sum = [...this.shares.values()].reduce((all, share) => all + share, 0);
    await this.pace.next({ done: sum / this.shares.size, withinMs });
  }
}
