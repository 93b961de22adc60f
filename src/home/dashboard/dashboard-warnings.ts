import { Inject, Injectable } from '@nestjs/common';
import { serverOptions, type ServerOptions } from '../../platform/config/server-config.js';
import type { EventCount } from '../../events/hourly-event-counts.js';
import type { Warning } from '../../platform/pages/page.view.js';
import type { Account } from '../../platform/access/accounts/account.js';
import { may } from '../../platform/access/permissions.js';
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
import { eventCountOf } from './dashboard-counts.js';

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
  // Keys that are no longer accepted: metadata, a revocation list or the policy has changed.
  ...eventWarning(week, 'finding', 'finding'),
];

/** Collects the warnings for an account, as far as its role can act on them. */
@Injectable()
export class DashboardWarnings {
  constructor(
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
    private readonly metadata: MetadataReport,
    private readonly webhooks: WebhookRows,
  ) {}

  /**
   * @param parties the relying parties that the account may see
   * @param week the events of a week there; `undefined` while they are being counted
   */
  async of(
    account: Account,
    parties: readonly RelyingParty[],
    week: readonly EventCount[] | undefined,
  ): Promise<Warning[]> {
    const seesUsers = may(account, 'users:read');
    return [
      ...(may(account, 'tenants:read') ? openFindings(this.options, parties) : []).map(warningOf),
      ...(seesUsers && week ? keyWarnings(week) : []),
      ...this.ofMetadata(account).map(warningOf),
      ...webhookFindings(await this.webhooksOf(account)).map((finding) => ({
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

  private webhooksOf(account: Account) {
    return may(account, 'webhooks:read') ? this.webhooks.list(account) : [];
  }
}
