import { Injectable } from '@nestjs/common';
import { AuditReader } from '../../audit/audit-reader.js';
import { AuditSealing } from '../../audit/chain/audit-sealing.js';
import { Clock } from '../../platform/common/clock.js';
import { valueIfSoon } from '../../platform/pages/value-if-soon.js';
import type { Account } from '../../platform/access/accounts/account.js';
import { may } from '../../platform/access/permissions.js';
import { mapKey } from '../../platform/database/row-ids.js';
import { TenancyService } from '../../tenancy/tenancy.service.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { DashboardCounts, type VisibleRelyingParties } from './dashboard-counts.js';
import { DashboardTasks, PATIENCE_MS } from './dashboard-tasks.js';

const AUDIT_ROWS = 6;

/** The data of the dashboard; values that take long are `undefined` while they are being counted. */
export type DashboardFigures = Awaited<ReturnType<DashboardService['figures']>>;

/** Collects the data of the dashboard, over the relying parties that an account may see. */
@Injectable()
export class DashboardService {
  constructor(
    private readonly relyingParties: RelyingPartyCache,
    private readonly counts: DashboardCounts,
    private readonly tasks: DashboardTasks,
    private readonly audit: AuditReader,
    private readonly sealing: AuditSealing,
    private readonly clock: Clock,
    private readonly tenancy: TenancyService,
  ) {}

  async figures(account: Account) {
    // Removed relying parties are not counted, although their rows are deleted later, in small units.
    const parties = this.relyingParties.visibleTo(account);
    const scope = this.scopeOf(account);
    const [holdings, day, days, tasks, refusals, models, unverified, cannotSignIn, audit] =
      await Promise.all([
        this.counts.holdings.read(),
        this.counts.lastDay(scope),
        this.counts.days(scope),
        this.tasks.of(account, parties),
        valueIfSoon(this.counts.refusals(scope), PATIENCE_MS),
        valueIfSoon(this.counts.modelsInUse(scope), PATIENCE_MS),
        valueIfSoon(this.counts.unverifiedUsers(scope), PATIENCE_MS),
        valueIfSoon(this.counts.usersWhoCannotSignIn(scope), PATIENCE_MS),
        this.latestChanges(account),
      ]);
    return {
      account,
      ...tasks,
      parties: parties.map((rp) => ({ rp, holdings: holdings.get(mapKey(rp.id)) })),
      day,
      days,
      refusals,
      models,
      /** The number of users with no key whose user verification counts. */
      unverified,
      cannotSignIn,
      now: this.clock.now(),
      audit,
      nameOfTenant: await this.tenancy.nameOfTenant(),
      sealed: (await this.sealing.sealedBy()) !== null,
    };
  }

  /** The relying parties that the account may see, for the files. */
  scopeOf(account: Account): VisibleRelyingParties {
    return new Set(this.relyingParties.visibleTo(account).map(({ id }) => mapKey(id)));
  }

  private async latestChanges(account: Account) {
    if (!may(account, 'audit:read')) return undefined;
    return (await this.audit.find(account, { limit: AUDIT_ROWS })).rows;
  }
}
