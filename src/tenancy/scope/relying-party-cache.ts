import { Injectable, type OnModuleInit } from '@nestjs/common';
import { sha256 } from '../../platform/common/sha256.js';
import { OverlappingReads } from '../../platform/common/caching.js';
import { Database } from '../../platform/database/database.js';
import { CacheVersion } from '../../platform/database/cache-version.js';
import { normalizeOrigins } from '../../platform/validation/values/domain.js';
import type { Account } from '../../platform/access/accounts/account.js';
import { readPolicy, type Policy, type RelyingPartyPolicy } from '../policy/policy.js';
import type { KeyShapes } from '../key-survey/key-shapes.js';
import type { RelyingParty } from '../relying-party.js';
import { allowedOrigins, completeWellKnown, type WellKnown } from '../well-known/well-known.js';
import { OPEN_RELYING_PARTIES, type RelyingPartyRow } from '../tenancy.statements.js';
import { visibleTo } from './visible-tenants.js';
import { confirmedAppsOf } from './app-origins.js';
import { AudienceOwners } from './audience-owners.js';
import { RelyingParties } from './relying-parties.js';

/**
 * The open relying parties, cached in memory because every request needs one. Changes by this process
 * take effect at once, those by other processes within two seconds. (Changes that must not wait, such
 * as a removal, are checked by the conditions of the statements.)
 */
@Injectable()
export class RelyingPartyCache implements OnModuleInit {
  private snapshot = new RelyingParties([]);
  /** The version that was read before the snapshot. */
  private version: number | undefined;
  private readonly reads = new OverlappingReads();

  constructor(
    private readonly database: Database,
    private readonly versions: CacheVersion,
  ) {
    versions.registerRefresh(() => this.refresh());
  }

  get current(): RelyingParties {
    return this.snapshot;
  }

  /** The relying parties that an account may see, sorted by domain. */
  visibleTo(account: Account): readonly RelyingParty[] {
    return visibleTo(account, this.snapshot).all;
  }

  /** Finds a relying party that an account may see. */
  findVisible(account: Account, domain: string): RelyingParty | undefined {
    return visibleTo(account, this.snapshot).find(domain);
  }

  onModuleInit(): Promise<void> {
    return this.refresh();
  }

  /** Reads the relying parties again. Once it resolves, everything stored before the call is included. */
  async refresh(): Promise<void> {
    const isNewest = this.reads.begin();
    const version = await this.versions.read();
    const relyingParties = await this.read();
    if (!isNewest()) return;
    this.snapshot = new RelyingParties(relyingParties);
    this.version = version;
  }

  /** Lets this instance see a change that is stored. */
  showStored(): Promise<void> {
    return this.versions.show(() => this.refresh());
  }

  /** Does the same as `refresh`, but costs only one small query if nothing has changed. */
  async catchUp(): Promise<void> {
    if ((await this.versions.read()) !== this.version) await this.refresh();
  }

  /** Reads the open relying parties from the database, including changes by other processes. */
  async read(): Promise<RelyingParty[]> {
    const rows = await this.database.query(OPEN_RELYING_PARTIES);
    const policies = new Policies();
    const found = rows.map((row) => relyingPartyOf(row, policies));
    const owners = new AudienceOwners(found);
    return found.map((rp) => Object.freeze({ ...rp, foreignAudiences: owners.foreignOf(rp) }));
  }
}

/** Reads each text once: most relying parties have the same policy, and reading it is most of the work for each. */
class Policies {
  private readonly read = new Map<string, Policy>();

  of(text: string): Policy {
    const known = this.read.get(text) ?? readPolicy(JSON.parse(text) as RelyingPartyPolicy);
    this.read.set(text, known);
    return known;
  }
}

function relyingPartyOf(
  { origins, policy, wellKnown: files, confirmedApps, keyShapes, ...row }: RelyingPartyRow,
  policies: Policies,
): Omit<RelyingParty, 'foreignAudiences'> {
  const listedOrigins = normalizeOrigins(JSON.parse(origins) as string[]);
  const wellKnown = completeWellKnown(JSON.parse(files ?? 'null') as Partial<WellKnown> | null);
  const confirmed = JSON.parse(confirmedApps ?? 'null') as string[] | null;
  return {
    ...row,
    rpIdHash: sha256(row.domain),
    origins: allowedOrigins({ origins: listedOrigins, wellKnown }),
    listedOrigins,
    confirmedApps: confirmedAppsOf({
      origins: listedOrigins,
      wellKnown,
      confirmedApps: confirmed,
    }),
    wellKnown,
    policy: policies.of(policy),
    keyShapes: JSON.parse(keyShapes ?? '[]') as KeyShapes[],
  };
}
