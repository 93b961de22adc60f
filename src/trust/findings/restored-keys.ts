import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import { Deletions } from '../../credentials/deletions/deletions.js';
import type { Code } from '../../errors/catalogue.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { changeOf } from './change-of.js';
import { EvaluationBasis } from './evaluation-basis.js';
import { FindingStore } from './finding-store.js';
import { KeyEvaluation } from './key-evaluation.js';
import { StoredKeys } from './stored-keys.js';
import type { KeyToEvaluate } from './stored-keys.js';

/**
 * Evaluates keys whose deletion was undone: nobody did while they were deleted, and their findings were
 * deleted with them.
 */
@Injectable()
export class RestoredKeys implements OnModuleInit {
  constructor(
    private readonly deletions: Deletions,
    private readonly basis: EvaluationBasis,
    private readonly evaluation: KeyEvaluation,
    private readonly stored: StoredKeys,
    private readonly store: FindingStore,
  ) {}

  onModuleInit(): void {
    this.deletions.whenRestored((rp, hashes) => this.evaluate(rp, hashes));
  }

  private async evaluate(rp: RelyingParty, hashes: readonly Buffer[]): Promise<void> {
    if (!this.basis.of(rp)) return;
    const keys = await this.stored.ofHashes(rp, hashes);
    const changes = keys.flatMap((key) => changeOf(this.evaluation, rp, asFound(key)) ?? []);
    if (changes.length > 0) await this.store.record(rp, changes);
  }
}

/**
 * Restores the former finding of a key as far as its mark tells: there was one, but its rule is not known any
 * more.
 */
const asFound = (key: KeyToEvaluate): KeyToEvaluate =>
  key.refusedWith === null
    ? key
    : { ...key, finding: { rule: '', code: key.refusedWith as Code, action: 'report' } };
