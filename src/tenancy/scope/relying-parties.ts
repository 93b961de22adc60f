import { originAllowed } from '../../webauthn/origin.js';
import type { KeyDomain, RelyingParty } from '../relying-party.js';
import { namesWithoutHeader } from './app-origins.js';
import { AudienceOwners, hostAndParents } from './audience-owners.js';

/** The host of an origin, or of a pattern without its `*.`; empty for an app's origin. */
const hostIn = (origin: string): string =>
  /^[a-z]+:\/\/(?:\*\.)?(\[[^\]]*\]|[^:/]*)/.exec(origin)?.[1] ?? '';

/** An entry in a relying party's list of origins. */
type OriginEntry = readonly [origin: string, rp: RelyingParty];

/** All open relying parties at one point in time. */
export class RelyingParties {
  private readonly byDomain: ReadonlyMap<string, RelyingParty>;
  /** Sorted by domain. */
  readonly all: readonly RelyingParty[];
  readonly domains: readonly string[];
  /** The relying parties that list an exact origin, without a wildcard. */
  private readonly byOrigin: ReadonlyMap<string, readonly OriginEntry[]>;
  /** The origins with a wildcard by their host: each call of a page looks them up. */
  private readonly patterns: ReadonlyMap<string, readonly OriginEntry[]>;
  private audienceOwners: AudienceOwners | undefined;
  /** The relying parties with a predecessor, by its domain. */
  private readonly byPredecessor: ReadonlyMap<string | null, RelyingParty>;

  constructor(relyingParties: readonly RelyingParty[]) {
    this.all = relyingParties.toSorted((a, b) => (a.domain < b.domain ? -1 : 1));
    this.byDomain = new Map(this.all.map((rp) => [rp.domain, rp]));
    this.domains = [...this.byDomain.keys()];
    this.byPredecessor = new Map(this.all.map((rp) => [rp.predecessor, rp]));
    const entries = this.all.flatMap((rp) => rp.origins.map((entry): OriginEntry => [entry, rp]));
    const patterns = entries.filter(([entry]) => entry.includes('*'));
    this.patterns = Map.groupBy(patterns, ([entry]) => hostIn(entry));
    const exact = entries.filter(([entry]) => !entry.includes('*'));
    this.byOrigin = Map.groupBy(exact, ([entry]) => entry);
  }

  /** Whose the audiences of tokens are. Made when a call first asks, since most never do. */
  get audiences(): AudienceOwners {
    this.audienceOwners ??= new AudienceOwners(this.all);
    return this.audienceOwners;
  }

  find(domain: string): RelyingParty | undefined {
    return this.byDomain.get(domain);
  }

  /**
   * Finds the relying party of a page: the one with the page's host, else the one of the nearest
   * parent domain that allows the origin, else the only one that allows the origin. An app's origin counts only where
   * it is confirmed.
   *
   * @param host the host of the origin; `undefined` for an app's origin, which has none
   */
  findByOrigin(host: string | undefined, origin: string): RelyingParty | undefined {
    return (host === undefined ? undefined : this.findByHost(host, origin)) ?? this.only(origin);
  }

  /** Finds the relying party whose users this one takes over: an open one of the same tenant. */
  predecessorOf({
    predecessor,
    tenantId,
  }: Pick<KeyDomain, 'predecessor' | 'tenantId'>): RelyingParty | undefined {
    const found = predecessor === null ? undefined : this.byDomain.get(predecessor);
    return found?.tenantId.equals(tenantId) ? found : undefined;
  }

  /**
   * The relying party and the one whose users it takes over, sorted by domain. A change of a user at
   * one applies to both: a user who is locked out at one must not sign in with a key of the other.
   */
  withPredecessor(rp: RelyingParty): readonly RelyingParty[] {
    const predecessor = this.predecessorOf(rp);
    if (!predecessor) return [rp];
    return predecessor.domain < rp.domain ? [predecessor, rp] : [rp, predecessor];
  }

  /** Finds the relying party that takes over the users of this one: an open one of the same tenant. */
  successorOf({
    domain,
    tenantId,
  }: Pick<KeyDomain, 'domain' | 'tenantId'>): RelyingParty | undefined {
    const found = this.byPredecessor.get(domain);
    return found?.tenantId.equals(tenantId) ? found : undefined;
  }

  /** The other relying party of a move; `undefined` if there is no move. */
  otherDomainOf(rp: RelyingParty): RelyingParty | undefined {
    return this.predecessorOf(rp) ?? this.successorOf(rp);
  }

  /** The sorted domains of relying parties by row ID, without removed ones; `null` for all of a tenant. */
  domainsOf(ids: readonly string[] | null): string[] | null {
    if (!ids) return null;
    const listed = this.all.filter(({ id }) => ids.includes(id.toString('base64url')));
    return listed.map(({ domain }) => domain);
  }

  /** Whether any relying party admits pages of this origin. */
  knowsOrigin(origin: string): boolean {
    return this.byOrigin.has(origin) || this.allowedByPattern(origin).length > 0;
  }

  private findByHost(host: string, origin: string): RelyingParty | undefined {
    for (const domain of hostAndParents(host)) {
      const found = this.byDomain.get(domain);
      if (found && (domain === host || originAllowed(origin, found.origins))) return found;
    }
    return undefined;
  }

  private only(origin: string): RelyingParty | undefined {
    const exact = (this.byOrigin.get(origin) ?? []).map(([, rp]) => rp);
    const allowing = new Set([...exact, ...this.allowedByPattern(origin)]);
    const [first, ...others] = [...allowing].filter((rp) => namesWithoutHeader(rp, origin));
    return others.length === 0 ? first : undefined;
  }

  private allowedByPattern(origin: string): readonly RelyingParty[] {
    return [...hostAndParents(hostIn(origin))]
      .flatMap((host) => this.patterns.get(host) ?? [])
      .filter(([pattern]) => originAllowed(origin, [pattern]))
      .map(([, rp]) => rp);
  }
}
