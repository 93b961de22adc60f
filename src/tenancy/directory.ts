import { originAllowed } from '../webauthn/origin.js';
import type { RelyingParty } from './relying-party.js';

/** All open relying parties at one moment. */
export class Directory {
  private readonly byDomain: ReadonlyMap<string, RelyingParty>;
  /** Sorted, as E0025R lists them. */
  readonly domains: readonly string[];
  private readonly exactOrigins: ReadonlySet<string>;
  private readonly originPatterns: readonly string[];

  constructor(readonly relyingParties: readonly RelyingParty[]) {
    this.byDomain = new Map(relyingParties.map((rp) => [rp.domain, rp]));
    this.domains = [...this.byDomain.keys()].sort();
    this.exactOrigins = new Set(relyingParties.flatMap((rp) => rp.origins));
    this.originPatterns = [...this.exactOrigins].filter((entry) => entry.includes('*'));
  }

  find(domain: string): RelyingParty | undefined {
    return this.byDomain.get(domain);
  }

  /** The relying party of a page's host: the host itself, else the nearest parent that admits it. */
  findByOrigin(host: string, origin: string): RelyingParty | undefined {
    const exact = this.byDomain.get(host);
    if (exact) return exact;
    for (let dot = host.indexOf('.'); dot !== -1; dot = host.indexOf('.', dot + 1)) {
      const parent = this.byDomain.get(host.slice(dot + 1));
      if (parent && originAllowed(origin, parent.origins)) return parent;
    }
    return undefined;
  }

  /** Whether any relying party admits pages of this origin. */
  knowsOrigin(origin: string): boolean {
    return this.exactOrigins.has(origin) || originAllowed(origin, this.originPatterns);
  }
}
