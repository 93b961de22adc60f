import { Inject, Injectable } from '@nestjs/common';
import { valueIfSoon } from '../../platform/pages/value-if-soon.js';
import type { Account } from '../../platform/access/accounts/account.js';
import { may } from '../../platform/access/permissions.js';
import { serverOptions, type ServerOptions } from '../../platform/config/server-config.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import type { Warning } from '../../platform/pages/page.view.js';
import { openFindings } from '../../health/setup/option-findings.js';
import { warningOf } from '../../health/setup/setup-finding.js';
import { DatabaseFindings } from '../../health/setup/database-findings.js';
import {
  listFindings,
  metadataFindings,
  webhookFindings,
} from '../../health/setup/state-findings.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { MetadataReport } from '../../trust/metadata/metadata-report.js';
import { WebhookRows } from '../../webhooks/webhook-rows.js';
import { KeyCaseReader, type OpenCounts } from '../inbox/key-cases.js';

/** The maximum wait for a count: the first one may take seconds. */
export const PATIENCE_MS = 400;

const INBOX = { address: '/findings', text: phrase('dashboard:toFindings') };

/** The open findings about keys that an account may act on. */
const keyWarnings = (open: OpenCounts): Warning[] =>
  (['copied', 'reported', 'rules'] as const)
    .filter((kind) => open[kind] > 0)
    .map((kind) => ({
      title: phrase(`dashboard:${kind}.title`, { count: open[kind] }),
      text: phrase(`dashboard:${kind}.text`, { count: open[kind] }),
      more: INBOX,
    }));

/** Finds what calls for action, as far as the role of an account can act on it. */
@Injectable()
export class DashboardTasks {
  constructor(
    private readonly cases: KeyCaseReader,
    private readonly webhooks: WebhookRows,
    private readonly metadata: MetadataReport,
    private readonly databaseFindings: DatabaseFindings,
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
  ) {}

  /** @param parties the relying parties that the account may see */
  async of(account: Account, parties: readonly RelyingParty[]) {
    const webhooks = may(account, 'webhooks:read') ? await this.webhooks.list(account) : [];
    const open = may(account, 'users:read')
      ? await valueIfSoon(this.cases.openOf(account), PATIENCE_MS)
      : undefined;
    const setup = may(account, 'tenants:read') ? openFindings(this.options, parties) : [];
    const warnings: Warning[] = [
      ...setup.map(warningOf),
      ...(open ? keyWarnings(open) : []),
      ...this.ofMetadata(account).map(warningOf),
      ...webhookFindings(webhooks).map((finding) => ({ ...warningOf(finding), more: INBOX })),
    ];
    return {
      warnings,
      /** `undefined` while it is being counted, and for those who may not see it. */
      open,
      webhooks,
      /** Milliseconds since 1970; `undefined` for never, `null` if the account cannot act on backups. */
      backup: await this.backupFor(account),
    };
  }

  /** Backups concern all tenants: an account limited to some cannot act on them. */
  private async backupFor(account: Account): Promise<number | undefined | null> {
    if (account.tenants || !may(account, 'setup:read')) return null;
    return this.databaseFindings.lastBackup();
  }

  /** Metadata concerns all tenants, too. */
  private ofMetadata(account: Account) {
    if (account.tenants || !may(account, 'metadata:read')) return [];
    return [
      ...metadataFindings(this.metadata.summary()),
      ...listFindings(this.metadata.revocations.summary()),
    ];
  }
}
