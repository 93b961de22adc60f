import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { TimeSlices, type JobProgress } from '../../platform/common/pace.js';
import { Database } from '../../platform/database/database.js';
import { LeasedJob } from '../../platform/database/jobs/leased-job.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import {
  EVERY_KEY,
  FIRST_POSITION,
  progressOf,
  type EvaluationDigests,
  type EvaluationPlace,
} from './evaluation/evaluation-place.js';
import { EvaluationBasis } from './evaluation/evaluation-basis.js';
import { EvaluationRound, type PartyEvaluation } from './evaluation-round.js';
import { FindingStore } from './finding-store.js';
import { RegroupedKeys } from './regrouped-keys.js';
import {
  KeyEvaluation,
  type FindingChange,
  type KeyToEvaluate,
} from './evaluation/key-evaluation.js';

const EVERY_MS = 2_000;
/**
 * Other instances notice changes within two seconds. Until all of them have, they accept registrations by the old
 * rules, and an evaluation that starts immediately might already be past those keys.
 */
const SETTLE_MS = 5_000;
const KEYS_PER_STATEMENT = 250;
/** How often the progress of an evaluation is stored while it finds nothing. */
const STORE_MS = 1_000;
/** How long keys are evaluated in one go before other work receives as much time. */
const SLICE_MS = 5;

/** The keys of models with new data, then all remaining keys. */
const PARTS = ['models', 'all'] as const;
type Part = (typeof PARTS)[number];

/** What a part of the evaluation depends on, as `===` compares it: the data about models, or the whole basis. */
const versionOf = (part: Part, basis: EvaluationDigests | undefined): unknown =>
  part === 'models' ? basis?.models : basis?.digest.toString('base64');

interface EvaluatedSlice {
  readonly next: EvaluationPlace | undefined;
  readonly isIncomplete: boolean;
}

/** The version of a part at the last look. */
interface Observation {
  readonly version: unknown;
  /** Since when it has been the same. */
  readonly since: number;
  /** Whether this instance knows that the keys have been evaluated against it. */
  done: boolean;
}

/**
 * Evaluates stored keys by the rules for registrations whenever these or their data have changed: metadata, revocation
 * lists, the whitelist or a policy. Keys of the models concerned come first, at all relying parties. One instance does
 * it, slice by slice, and continues where the last one stopped. A key that would be refused now receives a finding; if
 * a key breaks no rule any longer, its finding is closed.
 */
@Injectable()
export class FindingsJob extends LeasedJob {
  /** The observations of each relying party. */
  private readonly seen = new Map<string, Observation>();
  private storedAt = Number.NEGATIVE_INFINITY;
  private readonly logger = new Logger(FindingsJob.name);
  private hasWarned = false;

  constructor(
    private readonly relyingParties: RelyingPartyCache,
    private readonly basis: EvaluationBasis,
    private readonly evaluation: KeyEvaluation,
    private readonly store: FindingStore,
    private readonly regrouped: RegroupedKeys,
    database: Database,
  ) {
    super(database, {
      name: 'findings',
      everyMs: EVERY_MS,
      retryMessage: 'Keys are evaluated again in a moment',
    });
  }

  /**
   * Evaluates all keys, whichever process holds the lease.
   *
   * @throws the driver's error; findings stored until then stay
   */
  async catchUp(): Promise<void> {
    for (const rp of this.relyingParties.current.all) {
      const basis = this.basis.of(rp);
      if (!basis) continue;
      const slices = this.slices(rp, basis, () => true);
      while (!(await slices.next()).done);
    }
    while (await this.regrouped.evaluate(0));
  }

  protected override async work(): Promise<void> {
    // Without a basis, an instance lets the lease expire: another one may have a basis. While another instance holds the
    // lease, this one does not know its progress.
    if (!this.basis.isReady || !(await this.hold())) return this.seen.clear();
    for (const part of PARTS) await this.evaluateDue(part);
  }

  /** Notes the current basis for the keys of each relying party, and since when it is current. */
  private look(): void {
    for (const rp of this.relyingParties.current.all) {
      const basis = this.basis.of(rp);
      if (!basis) continue;
      for (const part of PARTS) {
        const version = versionOf(part, basis);
        if (this.seen.get(nameOf(part, rp))?.version === version) continue;
        this.seen.set(nameOf(part, rp), { version, since: this.clock.elapsed(), done: false });
      }
    }
  }

  /**
   * Evaluates the keys of all relying parties that are due, slice by slice. Relying parties that become due meanwhile
   * join in.
   */
  private async evaluateDue(part: Part): Promise<void> {
    const round = new EvaluationRound();
    let addedAt = await this.addDue(part, round);
    for (let turn = round.take(); turn; turn = round.take()) {
      // The data about models has changed: the keys of these models come first.
      if (this.basis.of(turn.rp)?.models !== turn.basis.models) return;
      const slice = await turn.slices.next();
      if (!slice.done) round.putBack(turn);
      else if (slice.value) this.noteDone(part, turn);
      if (this.clock.elapsed() - addedAt >= EVERY_MS) addedAt = await this.addDue(part, round);
    }
  }

  /**
   * Adds the relying parties that are due to a round, except those whose keys it evaluates.
   *
   * @returns when it began to look for them
   */
  private async addDue(part: Part, round: EvaluationRound): Promise<number> {
    const began = this.clock.elapsed();
    await this.regrouped.evaluate(SETTLE_MS);
    this.look();
    for (const rp of this.relyingParties.current.all) {
      const basis = this.basis.of(rp);
      if (!basis || !this.isDue(part, rp) || round.isWaiting(rp)) continue;
      const mayGoOn = async (progress: JobProgress) => {
        await round.pause(rp, progress);
        return this.hold();
      };
      round.begin({ rp, basis, slices: this.slices(rp, basis, mayGoOn, part) });
    }
    return began;
  }

  /** Whether all instances know the current version, and the keys have not been evaluated against it. */
  private isDue(part: Part, rp: RelyingParty): boolean {
    const seen = this.seen.get(nameOf(part, rp));
    return seen !== undefined && !seen.done && this.clock.elapsed() - seen.since >= SETTLE_MS;
  }

  /** Notes that the keys have been evaluated, unless the rules or the data have changed in the meantime. */
  private noteDone(part: Part, { rp, basis }: PartyEvaluation): void {
    const seen = this.seen.get(nameOf(part, rp));
    if (seen && seen.version === versionOf(part, basis)) seen.done = true;
  }

  /**
   * Evaluates slice by slice.
   *
   * @param mayGoOn called before each slice; `false` stops
   * @returns whether the keys have been evaluated against this basis
   */
  private async *slices(
    rp: RelyingParty,
    basis: EvaluationDigests,
    mayGoOn: (progress: JobProgress) => boolean | Promise<boolean>,
    part: Part = 'all',
  ): PartyEvaluation['slices'] {
    // SQLite answers synchronously: other requests run between two relying parties.
    await yieldToEventLoop();
    const begun = await this.store.begin(rp, basis);
    if (begun === 'taken') return false;
    let place = begun;
    let isIncomplete = false;
    while (begun && place && (part === 'all' || isOfModel(place))) {
      if (this.isShuttingDown || !(await mayGoOn(progressOf(begun, place)))) return false;
      // Stops if the basis has changed in the meantime: the evaluation then restarts. One of single models continues
      // if only policies have changed.
      const now = this.relyingParties.current.find(rp.domain);
      if (!now || versionOf(part, this.basis.of(now)) !== versionOf(part, basis)) return false;
      const slice = await this.sliceAfter(now, basis, place);
      if (slice === 'taken') return false;
      isIncomplete ||= slice.isIncomplete;
      // The repetition is for the next process: this one has just missed the certificates.
      if (isIncomplete && isRepetition(place, slice.next)) return true;
      place = slice.next;
      yield;
    }
    return true;
  }

  /**
   * @returns where the next slice begins, `undefined` after the last, and whether a key of this one lacks a certificate;
   *   `taken` if another instance was faster
   */
  private async sliceAfter(
    rp: RelyingParty,
    basis: EvaluationDigests,
    place: EvaluationPlace,
  ): Promise<EvaluatedSlice | 'taken'> {
    const keys = await this.store.keys.slice(rp, place, KEYS_PER_STATEMENT);
    const changes = await this.changes(rp, keys);
    const isIncomplete = keys.some(({ lacksCertificate }) => lacksCertificate);
    if (isIncomplete) this.warnOfLoss(rp);
    const next = placeAfter(isIncomplete ? withRepetition(place) : place, keys);
    const now = this.clock.elapsed();
    const modelsDone = next !== undefined && isOfModel(place) && !isOfModel(next);
    // Progress is stored only now and then: evaluating slices again after a crash is harmless.
    const isEnd = modelsDone || isRepetition(place, next);
    const isSoon = !isEnd && !isIncomplete && now - this.storedAt < STORE_MS;
    if (next && changes.length === 0 && isSoon) return { next, isIncomplete };
    this.storedAt = now;
    const progress = { basis, next, modelsDone };
    if (!(await this.store.storeSlice(rp, progress, changes))) return 'taken';
    return { next, isIncomplete };
  }

  /** Logs once what operators can do about keys whose certificates are lost. */
  private warnOfLoss({ domain }: RelyingParty): void {
    if (this.hasWarned) return;
    this.hasWarned = true;
    this.logger.warn(
      `Keys of ${domain}, and perhaps of others, cannot be evaluated and keep their findings: CA certificates of ` +
        'their attestations are missing. Restore the table attestation_authorities from a complete backup, and restart',
    );
  }

  private async changes(
    rp: RelyingParty,
    keys: readonly KeyToEvaluate[],
  ): Promise<FindingChange[]> {
    const changes: FindingChange[] = [];
    const slices = new TimeSlices(SLICE_MS);
    for (const key of keys) {
      const change = this.evaluation.changeOf(rp, key);
      if (change) changes.push(change);
      await slices.next();
    }
    return changes;
  }
}

const nameOf = (part: Part, { id }: RelyingParty): string => `${part} ${id.toString('hex')}`;

/** Whether the next keys belong to a single model, instead of all keys. */
const isOfModel = ({ todo: [model] }: EvaluationPlace): boolean =>
  model?.equals(EVERY_KEY) === false;

/** Where the next slice begins, in the same model or the next one; `undefined` after the last slice. */
function placeAfter(
  { todo }: EvaluationPlace,
  keys: readonly KeyToEvaluate[],
): EvaluationPlace | undefined {
  const last = keys.length < KEYS_PER_STATEMENT ? undefined : keys.at(-1);
  if (last) return { todo, position: last.credentialHash };
  const others = todo.slice(1);
  return others.length === 0 ? undefined : { todo: others, position: FIRST_POSITION };
}

/** The same place, with a further pass over all keys in the end, for those that lack a certificate. */
function withRepetition({ todo, position }: EvaluationPlace): EvaluationPlace {
  const isRepeated = todo.slice(1).some((model) => model.equals(EVERY_KEY));
  return { todo: isRepeated ? todo : [...todo, EVERY_KEY], position };
}

/** Whether a pass over all keys has ended and another one would begin. */
const isRepetition = (before: EvaluationPlace, next: EvaluationPlace | undefined): boolean =>
  !isOfModel(before) && next?.position === FIRST_POSITION;
