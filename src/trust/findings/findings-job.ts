import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { Recurring } from '../../common/recurring.js';
import { Leases } from '../../database/leases/leases.js';
import type { Lease } from '../../database/leases/leases.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { TenantDirectory } from '../../tenancy/tenant-directory.js';
import { EvaluationBasis } from './evaluation-basis.js';
import { FindingStore } from './finding-store.js';
import type { Change, KeyToEvaluate } from './finding-store.js';
import { KeyEvaluation } from './key-evaluation.js';
import { settled } from './settlement.js';

const EVERY_MS = 2_000;
/**
 * Other instances notice changes within two seconds: before all of them have, they still take
 * registrations that this one would have passed by already.
 */
const SETTLE_MS = 5_000;
const PAGE = 100;
/** How long keys are evaluated before others have their turn, for as long again. */
const SLICE_MS = 5;

/**
 * Holds every stored key against what holds for registrations now, whenever that has changed: metadata,
 * revocation lists, the whitelist or a policy. One instance does it, page by page, and begins where the
 * last one stopped. What does not pass any more is a finding, what passes again is none.
 */
@Injectable()
export class FindingsJob implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly lease: Lease;
  private readonly rounds = new Recurring(() => this.work(), EVERY_MS);
  /** What keys were to be held against at the last look, and since when, by relying party. */
  private readonly seen = new Map<string, { readonly basis: Buffer; readonly since: number }>();

  constructor(
    private readonly directory: TenantDirectory,
    private readonly basis: EvaluationBasis,
    private readonly evaluation: KeyEvaluation,
    private readonly store: FindingStore,
    leases: Leases,
  ) {
    this.lease = leases.of('findings');
  }

  onApplicationBootstrap(): void {
    this.rounds.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.rounds.stop();
    await this.lease.giveBack().catch(() => undefined);
  }

  /**
   * Evaluates all keys, whoever holds the lease.
   *
   * @throws the driver's error; what was found until then stays so
   */
  async catchUp(): Promise<void> {
    for (const rp of this.directory.current.relyingParties) {
      const basis = this.basisOf(rp);
      if (basis) await this.evaluate(rp, basis, () => true);
    }
  }

  private async work(): Promise<void> {
    try {
      if (!(await this.lease.hold())) return;
      for (const rp of this.directory.current.relyingParties) {
        const basis = this.basisOf(rp);
        if (basis && this.isSettled(rp, basis)) {
          await this.evaluate(rp, basis, () => this.lease.hold());
        }
      }
    } catch (error) {
      Logger.warn(`Keys are evaluated again in a moment: ${String(error)}`, 'Trust');
    }
  }

  private basisOf(rp: RelyingParty): Buffer | undefined {
    const server = this.basis.ofServer();
    return server && this.basis.of(rp, server);
  }

  private async evaluate(
    rp: RelyingParty,
    basis: Buffer,
    mayGoOn: () => boolean | Promise<boolean>,
  ): Promise<void> {
    let position = await this.store.begin(rp, basis);
    while (position && !this.rounds.stopped && (await mayGoOn())) {
      position = await this.pageBehind(rp, basis, position);
      // What has changed meanwhile begins anew.
      const { current } = this.directory;
      const now = current.find(rp.domain);
      if (!now || !this.basisOf(now)?.equals(basis)) return;
    }
  }

  private isSettled({ id }: RelyingParty, basis: Buffer): boolean {
    const name = id.toString('hex');
    const now = performance.now();
    const seen = this.seen.get(name);
    if (seen?.basis.equals(basis)) return now - seen.since >= SETTLE_MS;
    this.seen.set(name, { basis, since: now });
    return false;
  }

  /** @returns where the next page begins; `undefined` behind the last, and until the next round where somebody was faster */
  private async pageBehind(
    rp: RelyingParty,
    basis: Buffer,
    position: Buffer,
  ): Promise<Buffer | undefined> {
    const keys = await this.store.page(rp, position, PAGE);
    const changes = await this.changes(rp, keys);
    const next = keys.length < PAGE ? undefined : keys.at(-1)?.credentialHash;
    return (await this.store.settle(rp, { basis, next }, changes)) ? next : undefined;
  }

  private async changes(rp: RelyingParty, keys: readonly KeyToEvaluate[]): Promise<Change[]> {
    const changes: Change[] = [];
    let began = performance.now();
    for (const key of keys) {
      const change = this.changeOf(rp, key);
      if (change) changes.push(change);
      const took = performance.now() - began;
      if (took < SLICE_MS) continue;
      await pause(took);
      began = performance.now();
    }
    return changes;
  }

  private changeOf(rp: RelyingParty, key: KeyToEvaluate): Change | undefined {
    const breach = this.evaluation.breachOf(rp, key, key.statement);
    const { onFinding: action } = rp.policy;
    const found = breach && { rule: breach.rule, code: breach.code, action };
    const settlement = settled(key, found);
    return settlement && { key, found, settlement };
  }
}
