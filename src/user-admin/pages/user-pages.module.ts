import { Module } from '@nestjs/common';
import { CredentialsModule } from '../../credentials/credentials.module.js';
import { InvitationsModule } from '../../invitations/invitations.module.js';
import { TenancyModule } from '../../tenancy/tenancy.module.js';
import { TrustModule } from '../../trust/trust.module.js';
import { UserAdminModule } from '../user-admin.module.js';
import { AttestationReader } from './attestation-facts.js';
import { BulkController } from './bulk.controller.js';
import { ErasurePageController } from './erasure-page.controller.js';
import { ExplainController } from './explain.controller.js';
import { InvitationPageController } from './invitation-page.controller.js';
import { KeyCards } from './key-cards.js';
import { ListPageController } from './list.controller.js';
import { ListPreview } from './list-preview.js';
import { ListRuns } from './list-runs.js';
import { PageScope } from './page-scope.js';
import { PersonReader } from './person.js';
import { PersonTimeline } from './person-timeline.js';
import { UndoController } from './undo.controller.js';
import { Undoing } from './undoing.js';
import { UserActions } from './user-actions.js';
import { UserPageController } from './user-page.controller.js';
import { UsersFinder } from './users-finder.js';
import { UsersPageController } from './users-page.controller.js';

/** The pages of the help desk. */
@Module({
  imports: [CredentialsModule, InvitationsModule, TenancyModule, TrustModule, UserAdminModule],
  controllers: [
    UsersPageController,
    InvitationPageController,
    ErasurePageController,
    UserPageController,
    BulkController,
    ExplainController,
    ListPageController,
    UndoController,
  ],
  providers: [
    AttestationReader,
    KeyCards,
    ListPreview,
    ListRuns,
    PageScope,
    PersonReader,
    PersonTimeline,
    Undoing,
    UserActions,
    UsersFinder,
  ],
})
export class UserPagesModule {}
