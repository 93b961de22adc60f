import { CreateTenants1763700000001 } from './1763700000001-create-tenants.js';
import { CreateRelyingParties1763700000002 } from './1763700000002-create-relying-parties.js';
import { CreateUsers1763700000003 } from './1763700000003-create-users.js';
import { CreateCredentials1763700000004 } from './1763700000004-create-credentials.js';
import { CreateEvents1763700000005 } from './1763700000005-create-events.js';
import { CreateSecrets1763700000006 } from './1763700000006-create-secrets.js';
import { CreateSigningKeys1763700000007 } from './1763700000007-create-signing-keys.js';
import { CreateTickets1763700000008 } from './1763700000008-create-tickets.js';
import { CreateAaguids1763800000010 } from './1763800000010-create-aaguids.js';
import { CreateMetadataSources1763800000011 } from './1763800000011-create-metadata-sources.js';
import { CreateMetadataChunks1763800000012 } from './1763800000012-create-metadata-chunks.js';
import { CreateAudit1763800000020 } from './1763800000020-create-audit.js';
import { IndexAuditResult1763800000021 } from './1763800000021-index-audit-result.js';
import { CreateUploads1763800000030 } from './1763800000030-create-uploads.js';
import { CreateUploadLines1763800000031 } from './1763800000031-create-upload-lines.js';
import { AddEventDetail1763800000040 } from './1763800000040-add-event-detail.js';
import { AddEventRequest1763800000041 } from './1763800000041-add-event-request.js';
import { WidenEventKind1763800000042 } from './1763800000042-widen-event-kind.js';
import { IndexEventsByUser1763800000043 } from './1763800000043-index-events-by-user.js';
import { IndexEventsByRequest1763800000044 } from './1763800000044-index-events-by-request.js';
import { CompleteEvents1763800000045 } from './1763800000045-complete-events.js';
import { CreateUsageProgress1763800000046 } from './1763800000046-create-usage-progress.js';
import { CreateUsageDays1763800000047 } from './1763800000047-create-usage-days.js';
import { CreateUsageActive1763800000048 } from './1763800000048-create-usage-active.js';
import { CreateInvoices1763800000049 } from './1763800000049-create-invoices.js';
import { IndexCredentialsByModel1763800000050 } from './1763800000050-index-credentials-by-model.js';
import { AddTicketTenant1763900000010 } from './1763900000010-add-ticket-tenant.js';
import { AddUploadTenant1763900000011 } from './1763900000011-add-upload-tenant.js';
import { AddUsageDayTenant1763900000012 } from './1763900000012-add-usage-day-tenant.js';
import { AddUsageActiveTenant1763900000013 } from './1763900000013-add-usage-active-tenant.js';
import { CreateApplicationKeys1763900000020 } from './1763900000020-create-application-keys.js';
import { CountTicketBegins1763900000030 } from './1763900000030-count-ticket-begins.js';
import { AddTicketDisplayName1763900000031 } from './1763900000031-add-ticket-display-name.js';
import { AddUserSubject1763900000040 } from './1763900000040-add-user-subject.js';
import { IndexUsersBySubject1763900000041 } from './1763900000041-index-users-by-subject.js';
import { CreateReceipts1764000000010 } from './1764000000010-create-receipts.js';
import { CreateLeases1764000000020 } from './1764000000020-create-leases.js';
import { CreateEventBatches1764000000021 } from './1764000000021-create-event-batches.js';
import { CreateEventNumbering1764000000022 } from './1764000000022-create-event-numbering.js';
import { CreateWebhooks1764000000023 } from './1764000000023-create-webhooks.js';
import { WidenUserHandle1764000000040 } from './1764000000040-widen-user-handle.js';
import { IndexUsersByHandle1764000000041 } from './1764000000041-index-users-by-handle.js';
import { CreateFurtherHandles1764000000042 } from './1764000000042-create-further-handles.js';
import { AddCredentialOrigin1764000000043 } from './1764000000043-add-credential-origin.js';
import { UnknownBackupEligibility1764000000044 } from './1764000000044-unknown-backup-eligibility.js';
import { CreateImports1764000000045 } from './1764000000045-create-imports.js';
import { AddEnrolmentUrl1764000000054 } from './1764000000054-add-enrolment-url.js';
import { AddColour1764000000055 } from './1764000000055-add-colour.js';
import { CreateInvitations1764000000056 } from './1764000000056-create-invitations.js';
import { CreateInvitationKeys1764000000057 } from './1764000000057-create-invitation-keys.js';
import { AddWellKnown1764000000059 } from './1764000000059-add-well-known.js';
import { AddPredecessor1764000000060 } from './1764000000060-add-predecessor.js';
import { CreateMoves1764000000061 } from './1764000000061-create-moves.js';
import { IndexAuditByRequest1764000000064 } from './1764000000064-index-audit-by-request.js';
import { TellInvoicesApart1764000000070 } from './1764000000070-tell-invoices-apart.js';
import { AddKeyShapes1764100000001 } from './1764100000001-add-key-shapes.js';
import { AddFoldedName1764100000002 } from './1764100000002-add-folded-name.js';
import { IndexUsersByFoldedName1764100000003 } from './1764100000003-index-users-by-folded-name.js';
import { AddFoldsNames1764100000004 } from './1764100000004-add-folds-names.js';
import { CreateEarlierNames1764100000005 } from './1764100000005-create-earlier-names.js';
import { CreateSetAsideMessages1764100000020 } from './1764100000020-create-set-aside-messages.js';
import { CountSetAsideMessages1764100000021 } from './1764100000021-count-set-aside-messages.js';
import { AddCredentialRefusal1764100000030 } from './1764100000030-add-credential-refusal.js';
import { AddRegistrationFlags1764100000031 } from './1764100000031-add-registration-flags.js';
import { AddAttestationAsked1764100000032 } from './1764100000032-add-attestation-asked.js';
import { AddResidentKey1764100000033 } from './1764100000033-add-resident-key.js';
import { CreateAttestations1764100000034 } from './1764100000034-create-attestations.js';
import { CreateAttestationAuthorities1764100000035 } from './1764100000035-create-attestation-authorities.js';
import { CreateFindings1764100000036 } from './1764100000036-create-findings.js';
import { CreateJudgements1764100000037 } from './1764100000037-create-judgements.js';
import { CreateSearchWords1764100000040 } from './1764100000040-create-search-words.js';
import { CreateSearchProgress1764100000041 } from './1764100000041-create-search-progress.js';
import { IndexCredentialsOfModel1764100000050 } from './1764100000050-index-credentials-of-model.js';
import { DropCredentialsModelIndex1764100000051 } from './1764100000051-drop-credentials-model-index.js';
import { AddJudgementHeld1764100000052 } from './1764100000052-add-judgement-held.js';
import { AddJudgementTodo1764100000053 } from './1764100000053-add-judgement-todo.js';
import { CreateCeremonyCounts1764100000086 } from './1764100000086-create-ceremony-counts.js';
import { CreateConsoleSessions1764100000060 } from './1764100000060-create-console-sessions.js';
import { CreateConsoleAccounts1764100000061 } from './1764100000061-create-console-accounts.js';
import { CreateConsoleKeys1764100000062 } from './1764100000062-create-console-keys.js';
import { CreateConsoleChallenges1764100000063 } from './1764100000063-create-console-challenges.js';
import { AddAuditSalt1764100000070 } from './1764100000070-add-audit-salt.js';
import { AddAuditErasedBy1764100000071 } from './1764100000071-add-audit-erased-by.js';
import { CreateRevocationLists1764100000080 } from './1764100000080-create-revocation-lists.js';
import { AddSerialNumber1764100000081 } from './1764100000081-add-serial-number.js';
import { IndexUsersByCreation1764100000091 } from './1764100000091-index-users-by-creation.js';
import { AddEventAddress1764100000092 } from './1764100000092-add-event-address.js';
import { AddEventBrowser1764100000093 } from './1764100000093-add-event-browser.js';
import { CreateDeletions1764100000094 } from './1764100000094-create-deletions.js';
import { CreateDeletedKeys1764100000095 } from './1764100000095-create-deleted-keys.js';
import { CreateDeletedHandles1764100000096 } from './1764100000096-create-deleted-handles.js';
import { CreateDeletedNames1764100000097 } from './1764100000097-create-deleted-names.js';

/**
 * The schema's history, oldest first. MySQL commits each DDL statement by itself, so a migration holds
 * exactly one. Released migrations are never changed.
 */
export const MIGRATIONS = [
  CreateTenants1763700000001,
  CreateRelyingParties1763700000002,
  CreateUsers1763700000003,
  CreateCredentials1763700000004,
  CreateEvents1763700000005,
  CreateSecrets1763700000006,
  CreateSigningKeys1763700000007,
  CreateTickets1763700000008,
  CreateAaguids1763800000010,
  CreateMetadataSources1763800000011,
  CreateMetadataChunks1763800000012,
  CreateAudit1763800000020,
  IndexAuditResult1763800000021,
  CreateUploads1763800000030,
  CreateUploadLines1763800000031,
  AddEventDetail1763800000040,
  AddEventRequest1763800000041,
  WidenEventKind1763800000042,
  IndexEventsByUser1763800000043,
  IndexEventsByRequest1763800000044,
  CompleteEvents1763800000045,
  CreateUsageProgress1763800000046,
  CreateUsageDays1763800000047,
  CreateUsageActive1763800000048,
  CreateInvoices1763800000049,
  IndexCredentialsByModel1763800000050,
  AddTicketTenant1763900000010,
  AddUploadTenant1763900000011,
  AddUsageDayTenant1763900000012,
  AddUsageActiveTenant1763900000013,
  CreateApplicationKeys1763900000020,
  CountTicketBegins1763900000030,
  AddTicketDisplayName1763900000031,
  AddUserSubject1763900000040,
  IndexUsersBySubject1763900000041,
  CreateReceipts1764000000010,
  CreateLeases1764000000020,
  CreateEventBatches1764000000021,
  CreateEventNumbering1764000000022,
  CreateWebhooks1764000000023,
  WidenUserHandle1764000000040,
  IndexUsersByHandle1764000000041,
  CreateFurtherHandles1764000000042,
  AddCredentialOrigin1764000000043,
  UnknownBackupEligibility1764000000044,
  CreateImports1764000000045,
  AddEnrolmentUrl1764000000054,
  AddColour1764000000055,
  CreateInvitations1764000000056,
  CreateInvitationKeys1764000000057,
  AddWellKnown1764000000059,
  AddPredecessor1764000000060,
  CreateMoves1764000000061,
  IndexAuditByRequest1764000000064,
  TellInvoicesApart1764000000070,
  AddKeyShapes1764100000001,
  AddFoldedName1764100000002,
  IndexUsersByFoldedName1764100000003,
  AddFoldsNames1764100000004,
  CreateEarlierNames1764100000005,
  CreateSetAsideMessages1764100000020,
  CountSetAsideMessages1764100000021,
  AddCredentialRefusal1764100000030,
  AddRegistrationFlags1764100000031,
  AddAttestationAsked1764100000032,
  AddResidentKey1764100000033,
  CreateAttestations1764100000034,
  CreateAttestationAuthorities1764100000035,
  CreateFindings1764100000036,
  CreateJudgements1764100000037,
  CreateSearchWords1764100000040,
  CreateSearchProgress1764100000041,
  IndexCredentialsOfModel1764100000050,
  DropCredentialsModelIndex1764100000051,
  AddJudgementHeld1764100000052,
  AddJudgementTodo1764100000053,
  CreateConsoleSessions1764100000060,
  CreateConsoleAccounts1764100000061,
  CreateConsoleKeys1764100000062,
  CreateConsoleChallenges1764100000063,
  AddAuditSalt1764100000070,
  AddAuditErasedBy1764100000071,
  CreateRevocationLists1764100000080,
  AddSerialNumber1764100000081,
  CreateCeremonyCounts1764100000086,
  IndexUsersByCreation1764100000091,
  AddEventAddress1764100000092,
  AddEventBrowser1764100000093,
  CreateDeletions1764100000094,
  CreateDeletedKeys1764100000095,
  CreateDeletedHandles1764100000096,
  CreateDeletedNames1764100000097,
];
