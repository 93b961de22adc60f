import { Module } from '@nestjs/common';
import { UsersModule } from '../../users/users.module.js';
import { InvitationsModule } from '../../invitations/invitations.module.js';
import { TenancyModule } from '../../tenancy/tenancy.module.js';
import { TrustModule } from '../../trust/trust.module.js';
import { UserAdminModule } from '../user-admin.module.js';
import { BulkController } from './users/bulk.controller.js';
import { DeletedController } from './deleted.controller.js';
import { ErasurePageController } from './user/erasure-page.controller.js';
import { ExplainController } from './user/explain.controller.js';
import { InvitationPageController } from './invitation-page.controller.js';
import { KeyCards } from './user/key-cards.js';
import { ListPageController } from './deletion-list/list.controller.js';
import { ListPreview } from './deletion-list/list-preview.js';
import { ListRuns } from './deletion-list/list-runs.js';
import { PageScope } from './page-scope.js';
import { UserPage } from './user/user-page.js';
import { NoKeyHelps } from './user/no-key-help.js';
import { UserTimeline } from './user/user-timeline.js';
import { UndoController } from './undo.controller.js';
import { Undoing } from './undoing.js';
import { UserActions } from './user-actions.js';
import { UserPageController } from './user/user-page.controller.js';
import { UsersFinder } from './users/users-finder.js';
import { UsersPageController } from './users/users-page.controller.js';

/** The pages of the help desk. */
@Module({
  imports: [UsersModule, InvitationsModule, TenancyModule, TrustModule, UserAdminModule],
  controllers: [
    UsersPageController,
    InvitationPageController,
    ErasurePageController,
    UserPageController,
    BulkController,
    DeletedController,
    ExplainController,
    ListPageController,
    UndoController,
  ],
  providers: [
    KeyCards,
    ListPreview,
    ListRuns,
    NoKeyHelps,
    PageScope,
    UserTimeline,
    Undoing,
    UserActions,
    UserPage,
    UsersFinder,
  ],
})
export class UserPagesModule {}
