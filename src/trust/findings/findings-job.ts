import { Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { Pace } from '../../common/pace.js';
import type { Progress } from '../../common/pace.js';
import { Slices } from '../../common/slices.js';
import { Leases } from '../../database/leases/leases.js';
import type { LeasedRounds } from '../../database/leases/leased-rounds.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { TenantDirectory } from '../../tenancy/tenant-directory.js';
import { FIRST } from './basis.js';
import type { Basis, Place } from './basis.js';
import { EvaluationBasis } from './evaluation-basis.js';
import { FindingStore } from './finding-store.js';
import type { Change } from './finding-store.js';
import { changeOf } from './change-of.js';
import { KeyEvaluation } from './key-evaluation.js';
import { progressOf } from './progress.js';
import type { KeyToEvaluate } from './stored-keys.js';

const EVERY_MS = 2_000;
/**
 * Other instances notice changes within two seconds: before all of them have, they still take
 * registrations that this one would have passed by already.
 */
const SETTLE_MS = 5_000;
const PAGE = 250;
/** How often it is stored how far an evaluation has come, where it finds nothing to store. */
const STORE_MS = 1_000;
/** How long keys are evaluated before others have their turn, for as long again. */
const SLICE_MS = 5;

interface Seen {
  readonly digest: Buffer;
  readonly since: number;
  /** Whether this instance knows that all keys have been held against it. */
  readonly done: boolean;
}

/**
 * Holds every stored key against what holds for registrations now, whenever that has changed: metadata,
 * revocation lists, the whitelist or a policy. Where something was learnt of some models only their keys are
 * looked at, and they come first in any case. One instance does it, page by page, and begins where the last
 * one stopped. What does not pass any more is a finding, what passes again is none.
 */
@Injectable()
export class FindingsJob implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly rounds: LeasedRounds;
  /** What keys were to be held against at the last look, and since when, by relying party. */
  private readonly seen = new Map<string, Seen>();
  private storedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly directory: TenantDirectory,
    private readonly basis: EvaluationBasis,
    private readonly evaluation: KeyEvaluation,
    private readonly store: FindingStore,
    leases: Leases,
  ) {
    this.rounds = leases.rounds('findings', {
      ...{ everyMs: EVERY_MS, work: () => this.work() },
      ...{ again: 'Keys are evaluated again in a moment', context: 'Trust' },
    });
  }

  onApplicationBootstrap(): void {
    this.rounds.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.rounds.stop();
  }

  /**
   * Evaluates all keys, whoever holds the lease.
   *
   * @throws the driver's error; what was found until then stays so
   */
  async catchUp(): Promise<void> {
    for (const rp of this.directory.current.relyingParties) {
      const basis = this.basis.of(rp);
      if (basis) await this.evaluate(rp, basis, () => true);
    }
  }

  private async work(): Promise<void> {
    // What others do while they hold it is not known here.
    if (!(await this.rounds.hold())) return this.seen.clear();
    const due = this.due();
    const pace = new Pace();
    for (const [n, { rp, basis }] of due.entries()) {
      const mayGoOn = async ({ done, withinMs }: Progress) => {
        await pace.next({ done: (n + done) / due.length, withinMs });
        return this.rounds.hold();
      };
      if (await this.evaluate(rp, basis, mayGoOn)) this.note(rp, basis, true);
    }
  }

  private due() {
    return this.directory.current.relyingParties.flatMap((rp) => {
      const basis = this.basis.of(rp);
      return basis && this.isDue(rp, basis) ? [{ rp, basis }] : [];
    });
  }

  /**
   * @param mayGoOn whether it may, before each page
   * @returns whether all keys have been held against this
   */
  private async evaluate(
    rp: RelyingParty,
    basis: Basis,
    mayGoOn: (progress: Progress) => boolean | Promise<boolean>,
  ): Promise<boolean> {
    const begun = await this.store.begin(rp, basis);
    let place = begun;
    while (begun && place) {
      if (this.rounds.stopped || !(await mayGoOn(progressOf(begun, place)))) return false;
      const next = await this.pageBehind(rp, basis, place);
      if (next === 'taken') return false;
      place = next;
      // What has changed meanwhile begins anew.
      const now = this.directory.current.find(rp.domain);
      if (!now || !this.basis.of(now)?.digest.equals(basis.digest)) return false;
    }
    return true;
  }

  private isDue(rp: RelyingParty, { digest }: Basis): boolean {
    const seen = this.seen.get(rp.id.toString('hex'));
    if (seen?.digest.equals(digest)) {
      return !seen.done && performance.now() - seen.since >= SETTLE_MS;
    }
    this.note(rp, { digest }, false);
    return false;
  }

  private note({ id }: RelyingParty, { digest }: Pick<Basis, 'digest'>, done: boolean): void {
    this.seen.set(id.toString('hex'), { digest, since: performance.now(), done });
  }

  /** @returns where the next page begins; `undefined` behind the last, `taken` where somebody was faster */
  private async pageBehind(
    rp: RelyingParty,
    basis: Basis,
    place: Place,
  ): Promise<Place | 'taken' | undefined> {
    const keys = await this.store.page(rp, place, PAGE);
    const changes = await this.changes(rp, keys);
    const next = placeBehind(place, keys);
    const now = performance.now();
    // Pages that are looked at twice after a crash do no harm.
    if (next && changes.length === 0 && now - this.storedAt < STORE_MS) return next;
    this.storedAt = now;
    return (await this.store.settle(rp, { basis, next }, changes)) ? next : 'taken';
  }

  private async changes(rp: RelyingParty, keys: readonly KeyToEvaluate[]): Promise<Change[]> {
    const changes: Change[] = [];
    const slices = new Slices(SLICE_MS);
    for (const key of keys) {
      const change = changeOf(this.evaluation, rp, key);
      if (change) changes.push(change);
      await slices.next();
    }
    return changes;
  }
}

/** The next page, of the same model or of the next one. */
function placeBehind({ todo }: Place, keys: readonly KeyToEvaluate[]): Place | undefined {
  const last = keys.length < PAGE ? undefined : keys.at(-1);
  if (last) return { todo, position: last.credentialHash };
  const others = todo.slice(1);
  return others.length === 0 ? undefined : { todo: others, position: FIRST };
}
