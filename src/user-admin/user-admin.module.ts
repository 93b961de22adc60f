import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { BatchesModule } from '../batches/batches.module.js';
import { UsersModule } from '../users/users.module.js';
import { EventsModule } from '../events/events.module.js';
import { FidoModule } from '../fido/fido.module.js';
import { TenancyModule } from '../tenancy/tenancy.module.js';
import { InvitationsModule } from '../invitations/invitations.module.js';
import { TrustModule } from '../trust/trust.module.js';
import { ModelInvitationsController } from './model-invitations.controller.js';
import { StoredNames, UserErasure } from './manage-users/user-erasure.js';
import { EventsController } from './events/events.controller.js';
import { EventsService } from './events/events.service.js';
import { ForwardEvents } from './events/forward-events.js';
import { DeleteUsersJob } from './lists/delete-users-job.js';
import { KeyChangeBatches } from './lists/key-change-batches.js';
import { ListWalk } from './lists/list-walk.js';
import { ListsController } from './lists/lists.controller.js';
import { UploadAnswer } from './lists/upload-answer.js';
import { UploadCleanup } from './lists/upload-cleanup.js';
import { UploadLine, UploadEntity } from './lists/upload.entity.js';
import { UploadLines } from './lists/upload-lines.js';
import { UploadStore } from './lists/upload-store.js';
import { UploadsService } from './lists/uploads.service.js';
import { ManageUsersController } from './manage-users/manage-users.controller.js';
import { UserListing } from './manage-users/user-listing.js';
import { ManageUsersService } from './manage-users/manage-users.service.js';
import { Exporter } from './transfer/exporter.js';
import { ImportEntity } from './transfer/import.entity.js';
import { ImportProgress } from './transfer/import-progress.js';
import { Importer } from './transfer/importer.js';
import { TransferController } from './transfer/transfer.controller.js';
import { CollisionsController } from './collisions/collisions.controller.js';
import { GroupsController } from './groups.controller.js';
import { SuspensionController } from './suspension.controller.js';
import { UsersController } from './users.controller.js';
import { ReceiptsController } from './receipts.controller.js';
import { UnknownAddressController } from './unknown-address.controller.js';
import { BulkController } from './pages/users/bulk.controller.js';
import { ExplainController } from './pages/user/explain.controller.js';
import { InvitationPageController } from './pages/invitation-page.controller.js';
import { ListKeysController } from './pages/lists/list-keys.controller.js';
import { ListPageController } from './pages/lists/list.controller.js';
import { ListPreview } from './pages/lists/list-preview.js';
import { PageParties } from './pages/page-parties.js';
import { DeletionsController } from './pages/deletions.controller.js';
import { KeyCards } from './pages/user/key-cards.js';
import { NoKeyHelps } from './pages/user/no-key-helps.js';
import { UserOverview } from './pages/user/user-overview.js';
import { UserTimeline } from './pages/user/user-timeline.js';
import { UserPageController } from './pages/user/user-page.controller.js';
import { UserFormsController } from './pages/user/user-forms.controller.js';
import { UsersFinder } from './pages/users/users-finder.js';
import { UsersPageController } from './pages/users/users-page.controller.js';
import { HelpDeskSearch } from './pages/help-desk-search.js';

/** `UnknownAddressController` comes last: Express tries routes in order, and it answers all remaining addresses. */
@Module({
  imports: [
    TypeOrmModule.forFeature([UploadEntity, UploadLine, ImportEntity]),
    BatchesModule,
    UsersModule,
    EventsModule,
    FidoModule,
    TenancyModule,
    TrustModule,
    InvitationsModule,
  ],
  controllers: [
    UsersPageController,
    InvitationPageController,
    UserPageController,
    UserFormsController,
    BulkController,
    ExplainController,
    ListPageController,
    ListKeysController,
    DeletionsController,
    ModelInvitationsController,
    ManageUsersController,
    ListsController,
    EventsController,
    TransferController,
    ReceiptsController,
    UsersController,
    SuspensionController,
    GroupsController,
    CollisionsController,
    UnknownAddressController,
  ],
  providers: [
    HelpDeskSearch,
    EventsService,
    ForwardEvents,
    Exporter,
    ImportProgress,
    Importer,
    DeleteUsersJob,
    KeyChangeBatches,
    ListWalk,
    ManageUsersService,
    UserListing,
    StoredNames,
    UserErasure,
    UploadAnswer,
    UploadCleanup,
    UploadLines,
    UploadStore,
    UploadsService,
    KeyCards,
    ListPreview,
    NoKeyHelps,
    PageParties,
    UserTimeline,
    UserOverview,
    UsersFinder,
  ],
})
export class UserAdminModule {}
