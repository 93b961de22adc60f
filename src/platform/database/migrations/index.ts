import { Baseline1764300000000 } from './1764300000000-baseline.js';
import { ReceiptsByName1764300000100 } from './1764300000100-receipts-by-name.js';
import { LastInvoiceNumber1764300000101 } from './1764300000101-last-invoice-number.js';
import { AddSuspendedAt1764300000300 } from './1764300000300-suspended-keys.js';
import { AddCancelsSeries1764300000301 } from './1764300000301-cancelled-series.js';
import { ModelJobs1764300000400 } from './1764300000400-model-jobs.js';
import { FindingsByRule1764300000401 } from './1764300000401-findings-by-rule.js';
import { AddChangedAtToWebhooks1764300000500 } from './1764300000500-changed-webhooks.js';
import { AddChangedAtToAccounts1764300000501 } from './1764300000501-changed-accounts.js';
import { AddInvoiceXml1764300000600 } from './1764300000600-electronic-invoices.js';
import { AddInvoiceXmlDigest1764300000601 } from './1764300000601-electronic-digests.js';
import { AccountSetups1764300000700 } from './1764300000700-account-setups.js';
import { AddNeedsKey1764300000701 } from './1764300000701-demanded-keys.js';
import { UnitOutcomes1764300000800 } from './1764300000800-unit-outcomes.js';
import { InvoicesByTime1764300000900 } from './1764300000900-invoices-by-time.js';
import { InvitationsByTime1764300000901 } from './1764300000901-invitations-by-time.js';
import { RecentDeletions1764300000902 } from './1764300000902-recent-deletions.js';
import { InvoicesByKind1764300000903 } from './1764300000903-invoices-by-kind.js';
import { AdoptionTargets1764300001000 } from './1764300001000-adoption-targets.js';
import { AddUserToInvitations1764300001100 } from './1764300001100-users-of-invitations.js';
import { AddUserToTickets1764300001101 } from './1764300001101-users-of-tickets.js';

/**
 * The schema's history, oldest first. MySQL commits each DDL statement separately, so a migration after the
 * baseline has exactly one. Released migrations keep what they do.
 */
export const MIGRATIONS = [
  Baseline1764300000000,
  ReceiptsByName1764300000100,
  LastInvoiceNumber1764300000101,
  AddSuspendedAt1764300000300,
  AddCancelsSeries1764300000301,
  ModelJobs1764300000400,
  FindingsByRule1764300000401,
  AddChangedAtToWebhooks1764300000500,
  AddChangedAtToAccounts1764300000501,
  AddInvoiceXml1764300000600,
  AddInvoiceXmlDigest1764300000601,
  AccountSetups1764300000700,
  AddNeedsKey1764300000701,
  UnitOutcomes1764300000800,
  InvoicesByTime1764300000900,
  InvitationsByTime1764300000901,
  RecentDeletions1764300000902,
  InvoicesByKind1764300000903,
  AdoptionTargets1764300001000,
  AddUserToInvitations1764300001100,
  AddUserToTickets1764300001101,
];
