import { Injectable, Logger } from '@nestjs/common';
import type { OnModuleDestroy, OnModuleInit } from '@nestjs/common';
import { OverlappingReads } from '../common/overlapping-reads.js';
import { Database } from '../database/database.js';
import { Directory } from './directory.js';
import { readPolicy } from './policy.js';
import type { RelyingPartyPolicy } from './policy.js';
import type { KeyShapes } from './unknown-users/key-shapes.js';
import { rpIdHashOf } from './relying-party.js';
import type { RelyingParty } from './relying-party.js';
import { allowedOrigins, completeWellKnown } from './well-known/well-known.js';
import type { WellKnown } from './well-known/well-known.js';
import { OPEN_RELYING_PARTIES, TENANCY_VERSION } from './tenancy.statements.js';

const POLL_MS = 2000;

interface Row {
  id: Buffer;
  tenantId: Buffer;
  tenant: string;
  domain: string;
  name: string;
  origins: string;
  policy: string;
  enrolmentUrl: string | null;
  colour: string | null;
  wellKnown: string | null;
  predecessor: string | null;
  keyShapes: string | null;
  changedAt: number;
}

/**
 * The open relying parties, kept in memory: every request needs one. Changes of this process count
 * at once, those of other processes within two seconds. (What must not wait, such as a removal,
 * stands in the statements' own conditions.)
 */
@Injectable()
export class TenantDirectory implements OnModuleInit, OnModuleDestroy {
  private snapshot = new Directory([]);
  private version = '';
  private readonly reads = new OverlappingReads();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly database: Database) {}

  get current(): Directory {
    return this.snapshot;
  }

  async onModuleInit(): Promise<void> {
    await this.refresh();
    this.timer = setInterval(() => void this.poll(), POLL_MS);
    this.timer.unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** Reads the relying parties again: what was stored before this call counts once it has resolved. */
  async refresh(): Promise<void> {
    const isNewest = this.reads.begin();
    const version = await this.readVersion();
    const relyingParties = await this.read();
    if (!isNewest()) return;
    this.snapshot = new Directory(relyingParties);
    this.version = version;
  }

  /** The open relying parties as the database holds them now: what other processes changed counts. */
  async read(): Promise<RelyingParty[]> {
    const rows = await this.database.query<Row>(OPEN_RELYING_PARTIES).all();
    return rows.map(relyingPartyOf);
  }

  private async poll(): Promise<void> {
    try {
      if ((await this.readVersion()) !== this.version) await this.refresh();
    } catch (error) {
      Logger.debug(`The tenants could not be read again: ${String(error)}`, 'Tenancy');
    }
  }

  private async readVersion(): Promise<string> {
    const [row] = await this.database.query(TENANCY_VERSION).all();
    return JSON.stringify(row);
  }
}

function relyingPartyOf({
  origins,
  policy,
  wellKnown: said,
  keyShapes,
  ...row
}: Row): RelyingParty {
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
