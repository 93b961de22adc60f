import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { AuditReader } from '../../audit/audit-reader.js';
import { AuditSealing } from '../../audit/chain/audit-sealing.js';
import type { Account } from '../../platform/access/accounts/account.js';
import { may } from '../../platform/access/permissions.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { DashboardCounts, type VisibleRelyingParties } from './dashboard-counts.js';
import { DashboardWarnings } from './dashboard-warnings.js';

const AUDIT_ROWS = 6;
/** The maximum wait for a count: the first one may take seconds. */
const PATIENCE_MS = 400;

/** The data of the dashboard; values that take long are `undefined` while they are being counted. */
export type DashboardFigures = Awaited<ReturnType<DashboardService['figures']>>;

/** Collects the data of the dashboard, over the relying parties that an account may see. */
@Injectable()
export class DashboardService {
  constructor(
    private readonly directory: RelyingPartyCache,
    private readonly counts: DashboardCounts,
    private readonly warnings: DashboardWarnings,
    private readonly audit: AuditReader,
    private readonly sealing: AuditSealing,
  ) {}

  async figures(account: Account) {
    // Removed relying parties are not counted, although their rows are deleted later, in batches.
    const parties = this.directory.visibleTo(account);
    const scope = this.scopeOf(account);
    const [holdings, day, days, week, refusals, models, unverified, audit] = await Promise.all([
      this.counts.holdings.read(),
      this.counts.lastDay(scope),
      this.counts.days(scope),
      soon(this.counts.lastWeek(scope)),
      soon(this.counts.refusals(scope)),
      soon(this.counts.modelsInUse(scope)),
      soon(this.counts.unverifiedUsers(scope)),
      this.latestChanges(account),
    ]);
    return {
      account,
      warnings: await this.warnings.of(account, parties, week),
      parties: parties.map((rp) => ({ rp, holdings: holdings.get(rp.id.toString('hex')) })),
      day,
      days,
      refusals,
      models,
      /** The number of users with no key whose user verification counts. */
      unverified,
      audit,
      sealed: (await this.sealing.sealedBy()) !== null,
    };
  }

  /** The relying parties that the account may see, for the files. */
  scopeOf(account: Account): VisibleRelyingParties {
    return new Set(this.directory.visibleTo(account).map(({ id }) => id.toString('hex')));
  }

  private async latestChanges(account: Account) {
    if (!may(account, 'audit:read')) return undefined;
    return (await this.audit.find(account, { limit: AUDIT_ROWS })).rows;
  }
}

/** The value; `undefined` if it takes too long or fails, since the page works without it. */
async function soon<T>(value: Promise<T>): Promise<T | undefined> {
  const gone = value.catch(() => undefined);
  return Promise.race([gone, pause(PATIENCE_MS, undefined, { ref: false })]);
}
