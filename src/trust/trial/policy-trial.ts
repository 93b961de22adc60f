import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../platform/common/clock.js';
import { TimeSlices } from '../../platform/common/pace.js';
import { serverOptions, type ServerOptions } from '../../platform/config/server-config.js';
import { ApiError } from '../../platform/errors/api-error.js';
import {
  enforcedValue,
  readPolicy,
  type Policy,
  type RelyingPartyPolicy,
} from '../../tenancy/policy/policy.js';
import { profileOf, rulesFor } from '../../tenancy/policy/rules-for.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { FIRST_POSITION } from '../findings/evaluation/evaluation-place.js';
import { findingOf, lacksFacts, KeyEvaluation } from '../findings/evaluation/key-evaluation.js';
import type { RuleBreach } from '../rule.js';
import { conveyanceOf } from '../registration-policy.js';
import { StoredKeys, type KeyToTry } from '../findings/evaluation/stored-keys.js';
import { AaguidList } from '../whitelist/aaguid-list.js';
import { DAY_MS } from '../../platform/common/durations.js';
import { distinctBytes, mapKey } from '../../platform/database/row-ids.js';
import { TrialCount, TrialUsers } from './trial-count.js';

const REGISTRATIONS_MS = 90 * DAY_MS;
const KEYS_PER_STATEMENT = 100;
const SLICE_MS = 5;
/**
 * The maximum number of keys in the figures, whose evaluation takes some seconds. They are read in the order of the hashes
 * of their IDs, so a part of them is a random sample. Their users are judged by all of their keys, since a user who
 * seems to lose the last key is invited.
 */
const MAX_KEYS = 100_000;

/** Whether a broken rule refuses sign-ins, today or from a later day on. */
const refusesSignIns = ({ mode, signInsFrom }: RuleBreach): boolean =>
  mode === 'enforce' && signInsFrom !== undefined;

/** Whether a key has verified its user, at its registration or later. */
const hasVerifiedUser = ({ userVerified, uvInitialized }: KeyToTry): boolean =>
  userVerified || Boolean(uvInitialized);

/** What a policy would do to the keys of a relying party, to its registrations and its users. */
export type PolicyEffects = Awaited<ReturnType<PolicyTrial['run']>>;

/** Tries a policy on the keys of a relying party before it applies. Changes nothing. */
@Injectable()
export class PolicyTrial {
  /** Tests evaluate fewer, in several pages. */
  maxKeys = MAX_KEYS;
  pageSize = KEYS_PER_STATEMENT;
  private readonly underWay = new Set<string>();

  constructor(
    private readonly stored: StoredKeys,
    private readonly evaluation: KeyEvaluation,
    private readonly whitelist: AaguidList,
    private readonly clock: Clock,
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
  ) {}

  /**
   * Evaluates stored proofs by a policy, with the same code that admits registrations and creates findings.
   *
   * @param written a valid policy
   * @throws ApiError E0040R while another trial of the same relying party is running
   */
  async run(rp: RelyingParty, written: RelyingPartyPolicy) {
    const name = mapKey(rp.id);
    if (this.underWay.has(name)) {
      const headers = { 'Retry-After': '10' };
      throw new ApiError('E0040R', 'policy.beingTried', {}, { headers });
    }
    this.underWay.add(name);
    try {
      return await this.tried({ ...rp, policy: readPolicy(written) });
    } finally {
      this.underWay.delete(name);
    }
  }

  /** The effect on stored keys, and on the registrations since 90 days ago of keys that still exist. */
  private async tried(rp: RelyingParty) {
    const since = this.clock.now() - REGISTRATIONS_MS;
    const keys = new TrialCount();
    const registrations = new TrialCount();
    const users = new TrialUsers();
    let position: Buffer | undefined = FIRST_POSITION;
    while (position && keys.counts.total < this.maxKeys) {
      const limit = Math.min(this.pageSize, this.maxKeys - keys.counts.total);
      const page = await this.stored.ownersAfter(rp, position, limit);
      const sample = new Set(page.map(({ credentialHash }) => mapKey(credentialHash)));
      const owners = distinctBytes(page.map(({ userId }) => userId));
      const met = new Set(owners.filter((userId) => users.has(userId)).map(mapKey));
      const slices = new TimeSlices(SLICE_MS);
      for (const key of await this.stored.toTry(rp, owners)) {
        const isInSample = sample.has(mapKey(key.credentialHash));
        if (!isInSample && met.has(mapKey(key.userId))) continue;
        const { policy } = rulesFor(rp, key.groups);
        const finding = (broken: readonly RuleBreach[]) =>
          findingOf(broken, policy, this.clock.now());
        const requiresVerification =
          this.options.verify || enforcedValue(policy.userVerification) === 'required';
        // Where facts are missing, only a broken rule is certain.
        const judged = (breaches: readonly RuleBreach[] | undefined) =>
          breaches?.length === 0 && lacksFacts(policy, key) ? undefined : breaches;
        const breaches = judged(this.evaluation.breachesOf(rp, key));
        const profile = profileOf(rp.policy, key.groups)?.name;
        const found = breaches ?? [];
        const isUnverified = requiresVerification && !hasVerifiedUser(key);
        users.add(key, finding(found), found.some(refusesSignIns), isUnverified);
        // A later page has the other keys of its users, or the sample lacks them.
        if (!isInSample) continue;
        keys.add(key, breaches, { refusalOf: finding, profile });
        if (isUnverified) keys.counts.unverified += 1;
        if (key.importedFrom === null && key.registeredAt >= since) {
          const then = this.evaluation.breachesOfRegistration(rp, key, key.earlier);
          registrations.add(key, judged(then), { profile });
          if (this.isOtherAttestation(policy, key)) registrations.counts.otherAttestation += 1;
        }
        await slices.next();
      }
      position = page.length < limit ? undefined : page.at(-1)?.credentialHash;
    }
    return { keys, registrations, users, since, complete: position === undefined };
  }

  /**
   * Whether the policy requests attestation while the registration's begin call did not and it has none, or vice
   * versa: made today, the registration would prove something else.
   */
  private isOtherAttestation(policy: Policy, key: KeyToTry): boolean {
    const wished = policy.attestation ?? 'none';
    const asks = conveyanceOf(policy, wished, this.whitelist.enabled) !== 'none';
    if (asks) return key.attestationAsked === false && key.attestationFormat === 'none';
    return policy.attestation === 'none' && key.attestationAsked === true;
  }
}
