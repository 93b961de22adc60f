/** The members of a relying party that decide whose an audience is. */
interface AudienceHolder {
  readonly tenant: string;
  readonly domain: string;
  readonly policy: { readonly audiences?: readonly string[] };
}

/** An audience in the form in which two of them are compared. */
interface ComparableAudience {
  readonly text: string;
  /** The host names in it: one, unless the audience is neither an address nor a name. */
  readonly hosts: readonly string[];
  /** Whether every reader finds the same host: `scheme://host` with a port and a path, or a host with a dot. */
  readonly isPlain: boolean;
}

/** The audiences of a domain that a relying party lists. */
interface ListedAudiences {
  readonly domain: string;
  readonly holder: AudienceHolder;
  readonly audiences: readonly string[];
}

const ESCAPED = /%([0-9a-f]{2})/gi;
const ADDRESS =
  /^(?:([a-z][a-z0-9+-]*):\/\/)?([a-z0-9_-]+(?:\.[a-z0-9_-]+)*)\.?(?::(\d{1,5}))?([/?#].*)?$/is;
const NAMES_WITH_DOTS = /[a-z0-9_-]+(?:\.[a-z0-9_-]+)+/g;
const DEFAULT_PORTS: Readonly<Record<string, number>> = { http: 80, https: 443 };

/** Anything but an address or a name, for example a URN or one with user information, may name several hosts. */
function comparable(audience: string): ComparableAudience {
  const decoded = audience.replaceAll(ESCAPED, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  const lower = decoded.toLowerCase();
  const found = ADDRESS.exec(decoded);
  if (!found) return { text: lower, hosts: lower.match(NAMES_WITH_DOTS) ?? [], isPlain: false };
  const [, scheme = '', name = '', port, path = ''] = found;
  const host = name.toLowerCase();
  const protocol = scheme.toLowerCase();
  const isDefaultPort = port === undefined || Number(port) === DEFAULT_PORTS[protocol];
  return {
    text: `${protocol}://${host}${isDefaultPort ? '' : `:${Number(port)}`}${path === '/' ? '' : path}`,
    hosts: [host],
    isPlain: scheme !== '' || (host.includes('.') && port === undefined && path === ''),
  };
}

/** A host and its parent domains, nearest first. */
export function* hostAndParents(host: string): Generator<string> {
  yield host;
  for (let dot = host.indexOf('.'); dot !== -1; dot = host.indexOf('.', dot + 1)) {
    yield host.slice(dot + 1);
  }
}

/**
 * Decides whose an audience of tokens is. The tokens of all tenants have one issuer, so a token for an audience of
 * another tenant would sign its bearer in there. A host belongs to the tenant of the longest domain at or above it.
 */
export class AudienceOwners {
  private readonly tenants: ReadonlyMap<string, string>;
  /** The tenants that list an audience, by its comparable text. */
  private readonly listers: ReadonlyMap<string, readonly string[]>;
  /** Made when it is first asked for, since sign-ins never do. */
  private byDomain: ReadonlyMap<string, readonly ListedAudiences[]> | undefined;

  /** @param holders all open relying parties */
  constructor(private readonly holders: readonly AudienceHolder[]) {
    this.tenants = new Map(holders.map(({ domain, tenant }) => [domain, tenant]));
    const listed = holders.flatMap(({ tenant, policy }) =>
      (policy.audiences ?? []).map((audience) => ({ tenant, text: comparable(audience).text })),
    );
    this.listers = new Map(
      [...Map.groupBy(listed, ({ text }) => text)].map(([text, those]) => [
        text,
        those.map(({ tenant }) => tenant),
      ]),
    );
  }

  /** Whether these tenants own the host of an audience, and no reader could find another host in it. */
  areOwners(tenants: readonly string[], audience: string): boolean {
    const { isPlain } = comparable(audience);
    const owners = this.ownersOf(audience);
    return (
      isPlain &&
      owners.length > 0 &&
      owners.every((owner) => owner !== undefined && tenants.includes(owner))
    );
  }

  /** Another tenant that owns or lists the audience. */
  otherHolder(tenant: string, audience: string): string | undefined {
    return this.otherOwner(tenant, audience) ?? this.otherLister(tenant, audience);
  }

  /**
   * Whether the tenant gets no tokens for an audience: another tenant owns it, or lists it and no tenant owns it.
   * Earlier versions stored such audiences, and any may become one when a domain is added.
   */
  isForeign(tenant: string, audience: string): boolean {
    if (this.ownersOf(audience).length > 0) return this.otherOwner(tenant, audience) !== undefined;
    return this.otherLister(tenant, audience) !== undefined;
  }

  /** The audiences of a relying party for which it gets no tokens. */
  foreignOf({ tenant, policy }: Omit<AudienceHolder, 'domain'>): readonly string[] {
    return (policy.audiences ?? []).filter((audience) => this.isForeign(tenant, audience));
  }

  /** The relying parties of other tenants that list audiences of this domain, with these audiences. */
  listedElsewhere(tenant: string, domain: string): readonly ListedAudiences[] {
    this.byDomain ??= Map.groupBy(
      this.holders.flatMap((holder) => this.listedBy(holder)),
      (one) => one.domain,
    );
    return (this.byDomain.get(domain) ?? []).filter(({ holder }) => holder.tenant !== tenant);
  }

  /** The audiences that a relying party lists, by the domain to which they belong. */
  private listedBy(holder: AudienceHolder): ListedAudiences[] {
    const all = (holder.policy.audiences ?? []).flatMap((audience) =>
      [...new Set(this.domainsOf(audience))].map((domain) => ({ domain, audience })),
    );
    return [...Map.groupBy(all, ({ domain }) => domain)].map(([domain, those]) => ({
      domain,
      holder,
      audiences: those.map(({ audience }) => audience),
    }));
  }

  private otherOwner(tenant: string, audience: string): string | undefined {
    return this.ownersOf(audience).find((owner) => owner !== tenant);
  }

  private otherLister(tenant: string, audience: string): string | undefined {
    return this.listers.get(comparable(audience).text)?.find((lister) => lister !== tenant);
  }

  private ownersOf(audience: string): readonly (string | undefined)[] {
    return this.domainsOf(audience).map((domain) => this.tenants.get(domain));
  }

  /** The longest registered domain at or above each host of the audience. */
  private domainsOf(audience: string): readonly string[] {
    return comparable(audience)
      .hosts.map((host) => [...hostAndParents(host)].find((name) => this.tenants.has(name)))
      .filter((domain) => domain !== undefined);
  }
}
