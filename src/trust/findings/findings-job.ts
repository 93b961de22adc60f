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
 * Other instances notice changes within two seconds. Until all of them have, they accept registrations by the
 * old rules, and an evaluation that began at once might be past those keys already.
 */
const SETTLE_MS = 5_000;
const PAGE = 250;
/** How often the progress of an evaluation is stored while it finds nothing. */
const STORE_MS = 1_000;
/** How long keys are evaluated in one go before other work gets as much time. */
const SLICE_MS = 5;

interface Seen {
  readonly digest: Buffer;
  readonly since: number;
  /** Whether this instance knows that all keys have been evaluated against this basis. */
  readonly done: boolean;
}

/**
 * Evaluates stored keys by the rules for registrations whenever these or their data have changed: metadata,
 * revocation lists, the whitelist or a policy. Where only some models are concerned only their keys are
 * evaluated, and in any case these come first. One instance does it, page by page, and begins where the last
 * one stopped. A key that would be refused now gets a finding; the finding of a key that passes again is
 * closed.
 */
@Injectable()
export class FindingsJob implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly rounds: LeasedRounds;
  /** The basis of each relying party at the last look, and since when it has been the same. */
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
   * Evaluates all keys, no matter which process holds the lease.
   *
   * @throws the driver's error; findings stored until then stay
   */
  async catchUp(): Promise<void> {
    for (const rp of this.directory.current.relyingParties) {
      const basis = this.basis.of(rp);
      if (basis) await this.evaluate(rp, basis, () => true);
    }
  }

  private async work(): Promise<void> {
    // While another instance holds the lease, this one cannot know how far it has come.
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
   * @param mayGoOn asked before each page whether to go on
   * @returns whether all keys have been evaluated against this basis
   */
  private async evaluate(
    rp: RelyingParty,
    basis: Basis,
    mayGoOn: (progress: Progress) => boolean | Promise<boolean>,
  ): Promise<boolean> {
    const begun = await this.store.begin(rp, basis);
    if (begun === 'taken') return false;
    let place = begun;
    while (begun && place) {
      if (this.rounds.stopped || !(await mayGoOn(progressOf(begun, place)))) return false;
      const next = await this.pageBehind(rp, basis, place);
      if (next === 'taken') return false;
      place = next;
      // Stops where the basis has changed meanwhile: the evaluation then starts anew.
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

  /** @returns where the next page begins; `undefined` after the last, `taken` where somebody was faster */
  private async pageBehind(
    rp: RelyingParty,
    basis: Basis,
    place: Place,
  ): Promise<Place | 'taken' | undefined> {
    const keys = await this.store.page(rp, place, PAGE);
    const changes = await this.changes(rp, keys);
    const next = placeBehind(place, keys);
    const now = performance.now();
    // Progress is stored only now and then: evaluating pages again after a crash does no harm.
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

/** Where the next page begins, in the same model or the next one; `undefined` after the last page. */
function placeBehind({ todo }: Place, keys: readonly KeyToEvaluate[]): Place | undefined {
  const last = keys.length < PAGE ? undefined : keys.at(-1);
  if (last) return { todo, position: last.credentialHash };
  const others = todo.slice(1);
  return others.length === 0 ? undefined : { todo: others, position: FIRST };
}
