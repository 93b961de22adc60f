import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { Slices } from '../../common/slices.js';
import { ApiError } from '../../errors/api-error.js';
import { readPolicy } from '../../tenancy/policy.js';
import type { RelyingPartyPolicy } from '../../tenancy/policy.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { FIRST } from '../findings/basis.js';
import { findingOf } from '../findings/finding-of.js';
import type { Breach } from '../rule.js';
import { KeyEvaluation } from '../findings/key-evaluation.js';
import { StoredKeys } from '../findings/stored-keys.js';
import { TrialCount } from './trial-count.js';

const DAY_MS = 86_400_000;
const REGISTRATIONS_MS = 90 * DAY_MS;
const PAGE = 250;
const SLICE_MS = 5;
/**
 * The most keys that are evaluated, which takes some seconds. Keys are read in the order of the hashes of
 * their IDs, so a part of them is a random sample.
 */
const MOST_KEYS = 100_000;

/** What a policy would do with the stored keys and recent registrations. */
export interface Trial {
  readonly keys: TrialCount;
  /** Registrations of the last 90 days, of keys that still exist. */
  readonly registrations: TrialCount;
  /** Since when registrations are counted, in ms since 1970. */
  readonly since: number;
  /** Whether all keys were evaluated. */
  readonly complete: boolean;
}

/** Tries a policy on the keys of a relying party before it applies. Nothing is changed. */
@Injectable()
export class PolicyTrial {
  private readonly underWay = new Set<string>();

  constructor(
    private readonly stored: StoredKeys,
    private readonly evaluation: KeyEvaluation,
    private readonly clock: Clock,
  ) {}

  /**
   * Evaluates what registrations proved by a policy, with the same code that admits registrations and makes
   * findings.
   *
   * @param written a valid policy
   * @throws ApiError E0040R while another trial of the same relying party is running
   */
  async run(rp: RelyingParty, written: RelyingPartyPolicy): Promise<Trial> {
    const name = rp.id.toString('hex');
    if (this.underWay.has(name)) {
      const headers = { 'Retry-After': '10' };
      throw new ApiError('E0040R', 'A policy is being tried here. Wait until it has.', { headers });
    }
    this.underWay.add(name);
    try {
      return await this.tried({ ...rp, policy: readPolicy(written) });
    } finally {
      this.underWay.delete(name);
    }
  }

  private async tried(rp: RelyingParty): Promise<Trial> {
    const since = this.clock.now() - REGISTRATIONS_MS;
    const [keys, registrations] = [new TrialCount(), new TrialCount()];
    const finding = (breaches: readonly Breach[]) =>
      findingOf(breaches, rp.policy, this.clock.now());
    let position: Buffer | undefined = FIRST;
    while (position && keys.total < MOST_KEYS) {
      const page = await this.stored.pageToTry(rp, position, PAGE);
      const slices = new Slices(SLICE_MS);
      for (const key of page) {
        keys.add(key, this.evaluation.breachesOf(rp, key, key.statement), finding);
        if (key.importedFrom === null && key.registeredAt >= since) {
          const { statement, earlier } = key;
          const then = { statement, credentials: Number(earlier) };
          registrations.add(key, this.evaluation.breachesOfRegistration(rp, key, then));
        }
        await slices.next();
      }
      position = page.length < PAGE ? undefined : page.at(-1)?.credentialHash;
    }
    return { keys, registrations, since, complete: position === undefined };
  }
}
