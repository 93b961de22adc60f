import { Inject, Injectable } from '@nestjs/common';
import { sha256 } from '../../../platform/common/sha256.js';
import { Clock } from '../../../platform/common/clock.js';
import { serverOptions, type ServerOptions } from '../../../platform/config/server-config.js';
import { mapKey } from '../../../platform/database/row-ids.js';
import type { Policy } from '../../../tenancy/policy/policy.js';
import type { RelyingParty } from '../../../tenancy/relying-party.js';
import { RelyingPartyCache } from '../../../tenancy/scope/relying-party-cache.js';
import { NO_AAGUID, aaguidBytes, isAaguidText } from '../../../webauthn/aaguid.js';
import type { MetadataEntry } from '../../../webauthn/metadata/metadata-statement.js';
import { latestEffect } from '../../../webauthn/metadata/status.js';
import { MetadataService } from '../../metadata/metadata.service.js';
import { Revocations } from '../../revocation/revocations.js';
import { AaguidList } from '../../whitelist/aaguid-list.js';
import { writeBasis, type EvaluationDigests } from './evaluation-place.js';

/** Increase it if the code of the evaluation changes, so that all keys are evaluated again. */
const VERSION = 5;

const jsonDigest = (value: unknown): Buffer => sha256(JSON.stringify(value));

/** The part of a basis that all relying parties share, and the objects whose change shows that it is outdated. */
interface ServerDigests extends EvaluationDigests {
  readonly signs: readonly unknown[];
}

/**
 * Computes the basis that stored keys are evaluated against: while it stays the same, no key needs another
 * evaluation.
 */
@Injectable()
export class EvaluationBasis {
  private kept: ServerDigests | undefined;
  private readonly entries = new WeakMap<MetadataEntry, string>();
  private readonly policies = new WeakMap<Policy, string>();

  constructor(
    private readonly metadata: MetadataService,
    private readonly revocations: Revocations,
    private readonly whitelist: AaguidList,
    private readonly relyingParties: RelyingPartyCache,
    private readonly clock: Clock,
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
  ) {}

  /**
   * Whether this process has read all configured metadata and the list of revoked phone keys. Other processes may have
   * read them already.
   */
  get isReady(): boolean {
    return this.metadata.sources.every(({ blob }) => blob !== undefined) && !this.lacksPhoneList;
  }

  /** Whether this process has not read the configured list of revoked phone keys yet. */
  get lacksPhoneList(): boolean {
    return this.revocations.phones.isMissing;
  }

  /**
   * The basis of a relying party. It is read often, and costs little while nothing has changed.
   *
   * @returns `undefined` until `isReady`: keys evaluated earlier would seem unproved, or no longer revoked
   */
  of(rp: RelyingParty): EvaluationDigests | undefined {
    const server = this.ofServer();
    if (!server) return undefined;
    const { policy } = rp;
    const rules = this.policies.get(policy) ?? jsonDigest(policy).toString('base64');
    this.policies.set(policy, rules);
    // The effect of rules on keys changes on each day on which a rule begins to apply to sign-ins.
    const begun = policy.phases.filter((from) => from <= this.clock.now()).length;
    // With profiles, the beginning or the end of a move changes the groups that count.
    const successor =
      policy.profiles.length > 0 && this.relyingParties.current.successorOf(rp)?.domain;
    const own = [rules, begun, successor];
    const all = jsonDigest([server.all.toString('base64'), ...own]);
    const digest = jsonDigest([server.digest.toString('base64'), ...own]);
    return { digest, all, models: server.models };
  }

  private ofServer(): ServerDigests | undefined {
    if (!this.isReady) return undefined;
    const { index } = this.metadata;
    const effect = latestEffect([...index.models(), ...index.u2fModels()], this.now);
    const listed = this.whitelist.enabled && this.whitelist.models.map(({ aaguid }) => aaguid);
    const signs = [index, effect, this.revocations.digest(), listed && listed.sort().join()];
    if (this.kept?.signs.every((sign, n) => sign === signs[n])) return this.kept;
    const { attestation, conformance } = this.options;
    const all = jsonDigest([
      VERSION,
      [attestation, conformance, this.metadata.enabled, this.whitelist.enabled],
      this.revocations.digest(),
    ]);
    const models = this.models(listed || []);
    const digest = sha256(writeBasis({ all, models }));
    this.kept = { signs, all, models, digest };
    return this.kept;
  }

  /** A digest of eight bytes for each model in the whitelist or the metadata. */
  private models(listed: readonly string[]): ReadonlyMap<string, Buffer> {
    const { index } = this.metadata;
    const known = new Map<string, unknown[]>(listed.map((aaguid) => [aaguid, ['listed']]));
    const add = (aaguid: string, entry: MetadataEntry) =>
      known.set(aaguid, [
        ...(known.get(aaguid) ?? []),
        this.entryDigest(entry),
        latestEffect([entry], this.now),
      ]);
    for (const entry of index.models()) if (isAaguidText(entry.aaguid)) add(entry.aaguid, entry);
    // Keys without an AAGUID find their model by their certificates, so all U2F models share one digest.
    for (const entry of index.u2fModels()) add(NO_AAGUID, entry);
    const sorted = [...known].sort(([one], [other]) => (one < other ? -1 : 1));
    return new Map(
      sorted.map(([aaguid, facts]) => [
        mapKey(aaguidBytes(aaguid)),
        jsonDigest(facts).subarray(0, 8),
      ]),
    );
  }

  /** Digest of an entry without the model's name and icon. */
  private entryDigest(entry: MetadataEntry): string {
    const known = this.entries.get(entry);
    if (known !== undefined) return known;
    const { statement, statusReports, keyIdentifiers } = entry;
    // JSON omits undefined members.
    const stated = { ...statement, description: undefined, icon: undefined };
    const digest = jsonDigest([stated, statusReports, keyIdentifiers]).toString('base64');
    this.entries.set(entry, digest);
    return digest;
  }

  private get now(): Date {
    return new Date(this.clock.now());
  }
}
