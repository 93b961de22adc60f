import { Baseline1764300002000 } from './1764300002000-baseline.js';
import { AddUserToUploadLines1764300002100 } from './1764300002100-add-user-to-upload-lines.js';
import { IndexDeletedKeysByModel1764300002200 } from './1764300002200-index-deleted-keys-by-model.js';
import { WidenTransports1764300002410 } from './1764300002410-widen-transports.js';
import { WidenDeletedTransports1764300002420 } from './1764300002420-widen-deleted-transports.js';
import { AddLockoutsToUsers1764300002510 } from './1764300002510-add-lockouts-to-users.js';
import { AddLockoutsToDeletions1764300002520 } from './1764300002520-add-lockouts-to-deletions.js';
import { IndexTicketsByName1764300002530 } from './1764300002530-index-tickets-by-name.js';
import { AddLastKnownMetadata1764300005200 } from './1764300005200-add-last-known-metadata.js';
import { AddRepeatableRegistrations1764300005310 } from './1764300005310-add-repeatable-registrations.js';
import { AddCollisions1764300006010 } from './1764300006010-add-collisions.js';
import { AddLinkingToTickets1764300006020 } from './1764300006020-add-linking-to-tickets.js';
import { AddLinkingToInvitations1764300006030 } from './1764300006030-add-linking-to-invitations.js';
import { AddConfirmedApps1764300007100 } from './1764300007100-add-confirmed-apps.js';
import { AddJobToBatches1764300007200 } from './1764300007200-add-job-to-batches.js';
import { AddAuditToWebhooks1764300008100 } from './1764300008100-add-audit-to-webhooks.js';
import { AddFormatToWebhooks1764300008200 } from './1764300008200-add-format-to-webhooks.js';
import { AddOriginToCredentials1764300009110 } from './1764300009110-add-origin-to-credentials.js';
import { AddOriginToDeletedKeys1764300009120 } from './1764300009120-add-origin-to-deleted-keys.js';
import { AddIssuerToTickets1764300009130 } from './1764300009130-add-issuer-to-tickets.js';
import { AddSearchPositions1764300009400 } from './1764300009400-add-search-positions.js';
import { AddFoldedNamesToTickets1764300009410 } from './1764300009410-add-folded-names-to-tickets.js';
import { AddFoldedNamesToInvitations1764300009420 } from './1764300009420-add-folded-names-to-invitations.js';
import { IndexTicketsByFoldedName1764300009430 } from './1764300009430-index-tickets-by-folded-name.js';
import { IndexInvitationsByFoldedName1764300009440 } from './1764300009440-index-invitations-by-folded-name.js';
import { AddSuspendedByToUsers1764300010100 } from './1764300010100-add-suspended-by-to-users.js';
import { AddSuspendedByToDeletions1764300010110 } from './1764300010110-add-suspended-by-to-deletions.js';
import { AddSuspensionToUsers1764300010120 } from './1764300010120-add-suspension-to-users.js';
import { AddSuspensionToDeletions1764300010130 } from './1764300010130-add-suspension-to-deletions.js';
import { IndexSuspendedUsers1764300010140 } from './1764300010140-index-suspended-users.js';
import { AddUserGroups1764300010170 } from './1764300010170-add-user-groups.js';
import { AddDeletedGroups1764300010180 } from './1764300010180-add-deleted-groups.js';
import { IndexAuditByRelyingParty1764300010300 } from './1764300010300-index-audit-by-relying-party.js';
import { AddIdentityToAccounts1764300010410 } from './1764300010410-add-identity-to-accounts.js';
import { IndexAccountsByIdentity1764300010420 } from './1764300010420-index-accounts-by-identity.js';
import { AddBreakGlassToAccounts1764300010430 } from './1764300010430-add-break-glass-to-accounts.js';
import { AddProviderToSessions1764300010440 } from './1764300010440-add-provider-to-sessions.js';
import { AddSidToSessions1764300010450 } from './1764300010450-add-sid-to-sessions.js';
import { IndexSessionsBySid1764300010460 } from './1764300010460-index-sessions-by-sid.js';
import { AddOidcClients1764300010500 } from './1764300010500-add-oidc-clients.js';
import { AddOidcRecords1764300010520 } from './1764300010520-add-oidc-records.js';
import { IndexOidcRecordsByReference1764300010530 } from './1764300010530-index-oidc-records-by-reference.js';
import { IndexOidcRecordsByEnd1764300010540 } from './1764300010540-index-oidc-records-by-end.js';
import { AddExternalIdToUsers1764300010800 } from './1764300010800-add-external-id-to-users.js';
import { AddExternalIdToDeletions1764300010805 } from './1764300010805-add-external-id-to-deletions.js';
import { AddDirectoryToUsers1764300010810 } from './1764300010810-add-directory-to-users.js';
import { AddDirectoryToDeletions1764300010815 } from './1764300010815-add-directory-to-deletions.js';
import { IndexExternalIds1764300010820 } from './1764300010820-index-external-ids.js';
import { AddDisablingsToCredentials1764300011110 } from './1764300011110-add-disablings-to-credentials.js';
import { AddDisablingsToDeletedKeys1764300011120 } from './1764300011120-add-disablings-to-deleted-keys.js';
import { AddDirectoryGroups1764300011310 } from './1764300011310-add-directory-groups.js';
import { AddRegroupedUsers1764300012200 } from './1764300012200-add-regrouped-users.js';
import { AddAttemptsToWebhooks1764300012610 } from './1764300012610-add-attempts-to-webhooks.js';
import { AddFindingDecisions1764300013000 } from './1764300013000-add-finding-decisions.js';
import { AddAdoptionDays1764300013100 } from './1764300013100-add-adoption-days.js';
import { AddExpectedUsers1764300013110 } from './1764300013110-add-expected-users.js';
import { AddCloneAlarms1764300013120 } from './1764300013120-add-clone-alarms.js';
import { AddDirectoryGroupIdToDeletedGroups1764300013130 } from './1764300013130-add-directory-group-id-to-deleted-groups.js';
import { AddAddedAtToCredentials1764300013140 } from './1764300013140-add-added-at-to-credentials.js';
import { AddAddedAtToDeletedKeys1764300013150 } from './1764300013150-add-added-at-to-deleted-keys.js';

/**
 * The schema's history, oldest first. MySQL commits each DDL statement separately, so a migration after the
 * baseline has exactly one. Released migrations must not change.
 */
export const MIGRATIONS = [
  Baseline1764300002000,
  AddUserToUploadLines1764300002100,
  IndexDeletedKeysByModel1764300002200,
  WidenTransports1764300002410,
  WidenDeletedTransports1764300002420,
  AddLockoutsToUsers1764300002510,
  AddLockoutsToDeletions1764300002520,
  IndexTicketsByName1764300002530,
  AddLastKnownMetadata1764300005200,
  AddRepeatableRegistrations1764300005310,
  AddCollisions1764300006010,
  AddLinkingToTickets1764300006020,
  AddLinkingToInvitations1764300006030,
  AddConfirmedApps1764300007100,
  AddJobToBatches1764300007200,
  AddAuditToWebhooks1764300008100,
  AddFormatToWebhooks1764300008200,
  AddOriginToCredentials1764300009110,
  AddOriginToDeletedKeys1764300009120,
  AddIssuerToTickets1764300009130,
  AddSearchPositions1764300009400,
  AddFoldedNamesToTickets1764300009410,
  AddFoldedNamesToInvitations1764300009420,
  IndexTicketsByFoldedName1764300009430,
  IndexInvitationsByFoldedName1764300009440,
  AddSuspendedByToUsers1764300010100,
  AddSuspendedByToDeletions1764300010110,
  AddSuspensionToUsers1764300010120,
  AddSuspensionToDeletions1764300010130,
  IndexSuspendedUsers1764300010140,
  AddUserGroups1764300010170,
  AddDeletedGroups1764300010180,
  IndexAuditByRelyingParty1764300010300,
  AddIdentityToAccounts1764300010410,
  IndexAccountsByIdentity1764300010420,
  AddBreakGlassToAccounts1764300010430,
  AddProviderToSessions1764300010440,
  AddSidToSessions1764300010450,
  IndexSessionsBySid1764300010460,
  AddOidcClients1764300010500,
  AddOidcRecords1764300010520,
  IndexOidcRecordsByReference1764300010530,
  IndexOidcRecordsByEnd1764300010540,
  AddExternalIdToUsers1764300010800,
  AddExternalIdToDeletions1764300010805,
  AddDirectoryToUsers1764300010810,
  AddDirectoryToDeletions1764300010815,
  IndexExternalIds1764300010820,
  AddDisablingsToCredentials1764300011110,
  AddDisablingsToDeletedKeys1764300011120,
  AddDirectoryGroups1764300011310,
  AddRegroupedUsers1764300012200,
  AddAttemptsToWebhooks1764300012610,
  AddFindingDecisions1764300013000,
  AddAdoptionDays1764300013100,
  AddExpectedUsers1764300013110,
  AddCloneAlarms1764300013120,
  AddDirectoryGroupIdToDeletedGroups1764300013130,
  AddAddedAtToCredentials1764300013140,
  AddAddedAtToDeletedKeys1764300013150,
];
