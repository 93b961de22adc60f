import { Injectable, type OnModuleInit } from '@nestjs/common';
import { OverlappingReads } from '../../platform/common/overlapping-reads.js';
import { Database } from '../../platform/database/database.js';
import { DirectoryVersion } from '../../platform/database/directory-version.js';
import type { Account } from '../../platform/access/accounts/account.js';
import { Directory } from './directory.js';
import { visibleTo } from './visible-tenants.js';
import { readPolicy, type RelyingPartyPolicy } from '../policy/policy.js';
import type { KeyShapes } from '../unknown-users/key-shapes.js';
import { rpIdHashOf, type RelyingParty } from '../relying-party.js';
import { allowedOrigins, completeWellKnown, type WellKnown } from '../well-known/well-known.js';
import { OPEN_RELYING_PARTIES, type RelyingPartyRow } from '../tenancy.statements.js';

/**
 * The open relying parties, kept in memory: every request needs one. Changes of this process count
 * at once, those of other processes within two seconds. (What must not wait, such as a removal,
 * is in the statements' own conditions.)
 */
@Injectable()
export class TenantDirectory implements OnModuleInit {
  private snapshot = new Directory([]);
  /** The version that was read before the snapshot. */
  private version: number | undefined;
  private readonly reads = new OverlappingReads();

  constructor(
    private readonly database: Database,
    private readonly versions: DirectoryVersion,
  ) {}

  get current(): Directory {
    return this.snapshot;
  }

  /** The relying parties that an account may see, in the order of their domains. */
  visibleTo(account: Account): readonly RelyingParty[] {
    return visibleTo(account, this.snapshot).relyingParties;
  }

  async onModuleInit(): Promise<void> {
    await this.refresh();
    this.versions.follow(() => this.refresh());
  }

  /** Reads the relying parties again: what was stored before this call counts once it has resolved. */
  async refresh(): Promise<void> {
    const isNewest = this.reads.begin();
    const version = await this.versions.read();
    const relyingParties = await this.read();
    if (!isNewest()) return;
    this.snapshot = new Directory(relyingParties);
    this.version = version;
  }

  /** The same as `refresh`, at the price of one small query where nothing has changed. */
  async catchUp(): Promise<void> {
    if ((await this.versions.read()) !== this.version) await this.refresh();
  }

  /** The open relying parties as the database holds them now: what other processes changed counts. */
  async read(): Promise<RelyingParty[]> {
    const rows = await this.database.query(OPEN_RELYING_PARTIES);
    return rows.map(relyingPartyOf);
  }
}

function relyingPartyOf({
  origins,
  policy,
  wellKnown: said,
  keyShapes,
  ...row
}: RelyingPartyRow): RelyingParty {
  const listedOrigins = JSON.parse(origins) as string[];
  const wellKnown = completeWellKnown(JSON.parse(said ?? 'null') as Partial<WellKnown> | null);
  return Object.freeze({
    ...row,
    rpIdHash: rpIdHashOf(row.domain),
    origins: allowedOrigins(listedOrigins, wellKnown),
    listedOrigins,
    wellKnown,
    policy: readPolicy(JSON.parse(policy) as RelyingPartyPolicy),
    keyShapes: JSON.parse(keyShapes ?? '[]') as KeyShapes[],
  });
}
