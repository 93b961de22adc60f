import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { AuditReader } from '../../audit/audit-reader.js';
import { AuditSealing } from '../../audit/chain/audit-sealing.js';
import type { Account } from '../../platform/access/accounts/account.js';
import { may } from '../../platform/access/permissions.js';
import { serverOptions, type ServerOptions } from '../../platform/config/server-config.js';
import type { EventCount } from '../../events/hourly-event-counts.js';
import type { Warning } from '../../platform/pages/page.view.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { MetadataReport } from '../../trust/metadata/metadata-report.js';
import { WebhookRows } from '../../webhooks/webhook-rows.js';
import { openFindings } from '../../health/setup/option-findings.js';
import { warningOf } from '../../health/setup/setup-finding.js';
import {
  listFindings,
  metadataFindings,
  webhookFindings,
} from '../../health/setup/state-findings.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { DashboardCounts, eventCountOf, type VisibleRelyingParties } from './dashboard-counts.js';

const AUDIT_ROWS = 6;
/** The maximum wait for a count: the first one may take seconds. */
const PATIENCE_MS = 400;

const INBOX = { address: '/findings', text: phrase('dashboard:toFindings') };

/** A warning if there were events of a kind in the last week. */
function eventWarning(
  week: readonly EventCount[],
  kind: EventCount['kind'],
  name: string,
): Warning[] {
  const count = eventCountOf(week, kind);
  if (count === 0) return [];
  return [
    {
      title: phrase(`dashboard:${name}.title`, { count }),
      text: phrase(`dashboard:${name}.text`, { count }),
      more: INBOX,
    },
  ];
}

const keyWarnings = (week: readonly EventCount[]): Warning[] => [
  // W3C WebAuthn L3 §6.1.1: a counter that decreases may mean that a key was copied.
  ...eventWarning(week, 'clone-alarm', 'copied'),
  ...eventWarning(week, 'key-reported', 'reported'),
  // Keys that are no longer accepted: metadata, a revocation list or the policy has changed.
  ...eventWarning(week, 'finding', 'finding'),
];

/** The data of the dashboard; values that take long are `undefined` while they are being counted. */
export type DashboardFigures = Awaited<ReturnType<DashboardService['figures']>>;

/** Collects the data of the dashboard, over the relying parties that an account may see. */
@Injectable()
export class DashboardService {
  constructor(
    private readonly directory: RelyingPartyCache,
    private readonly counts: DashboardCounts,
    private readonly metadata: MetadataReport,
    private readonly webhooks: WebhookRows,
    private readonly audit: AuditReader,
    private readonly sealing: AuditSealing,
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
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
      warnings: await this.warnings(account, parties, week),
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

  /**
   * The warnings for an account, as far as its role can act on them.
   *
   * @param parties the relying parties that the account may see
   * @param week the events of a week there; `undefined` while they are being counted
   */
  private async warnings(
    account: Account,
    parties: readonly RelyingParty[],
    week: readonly EventCount[] | undefined,
  ): Promise<Warning[]> {
    const seesUsers = may(account, 'users:read');
    const webhooks = may(account, 'webhooks:read') ? await this.webhooks.list(account) : [];
    return [
      ...(may(account, 'tenants:read') ? openFindings(this.options, parties) : []).map(warningOf),
      ...(seesUsers && week ? keyWarnings(week) : []),
      ...this.ofMetadata(account).map(warningOf),
      ...webhookFindings(webhooks).map((finding) => ({
        ...warningOf(finding),
        more: INBOX,
      })),
    ];
  }

  /** Metadata concerns all tenants: an account limited to some cannot act on it. */
  private ofMetadata(account: Account) {
    if (account.tenants || !may(account, 'metadata:read')) return [];
    return [
      ...metadataFindings(this.metadata.summary()),
      ...listFindings(this.metadata.revocations.summary()),
    ];
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
