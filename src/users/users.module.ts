import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EventsModule } from '../events/events.module.js';
import { TenancyModule } from '../tenancy/tenancy.module.js';
import { BackgroundCounts } from '../platform/common/turns/background-counts.js';
import { Attestations } from './attestations/attestations.js';
import { Attestation, AttestationAuthority } from './attestations/attestation.entity.js';
import { DeletedHandle, DeletedKey, DeletedName, Deletion } from './deletions/deletion.entity.js';
import { DeletionEnding } from './deletions/deletion-ending.js';
import { Deletions } from './deletions/deletions.js';
import { CredentialReader } from './credentials/credential-reader.js';
import { RegistrationWriter } from './credentials/registration-writer.js';
import { SignInWriter } from './credentials/sign-in-writer.js';
import { CloneAlarm } from './credentials/clone-alarm.entity.js';
import { Credential } from './credentials/credential.entity.js';
import { ModelKeys } from './list/model-keys.js';
import { UserList } from './list/user-list.js';
import { Inventory } from './credentials/inventory.js';
import { LockOuts } from './lock-outs.js';
import { UserChanges } from './user-changes.js';
import { CountedSearch } from './search/counted-search.js';
import { EarlierNames } from './earlier-names/earlier-names.js';
import { PermissionOwners } from './permission-owners.js';
import { Suspensions } from './suspension/suspensions.js';
import { DirectoryGroup } from './groups/directory-group.entity.js';
import { DeletedGroup, UserGroup } from './groups/user-group.entity.js';
import { RegroupedUser } from './groups/regrouped-user.entity.js';
import { UserGroups } from './groups/user-groups.js';
import { UserRenaming } from './user-renaming.js';
import { CollisionEntity, Move, SeparateName } from './moves/move.entity.js';
import { GroupsInForce } from './moves/groups-in-force.js';
import { LinkedUsers } from './moves/linked-users.js';
import { MoveCounts } from './moves/move-counts.js';
import { MoveDecisions } from './moves/move-decisions.js';
import { MoveSteps } from './moves/move-steps.js';
import { Moves } from './moves/moves.js';
import { SameUsers } from './moves/same-users.js';
import { NameSearch } from './search/name-search.js';
import { SearchFilling } from './search/search-filling.js';
import { SearchPosition, SearchProgress, SearchWord } from './search/search.entity.js';
import { SimilarNames } from './search/similar-names.js';
import { UserSearch } from './search/user-search.js';
import { User, FurtherHandle, EarlierName } from './user.entity.js';
import { ExportReader } from './transfer/export-reader.js';
import { UsersByName } from './users-by-name.js';

const SHARED = [
  Attestations,
  BackgroundCounts,
  CountedSearch,
  CredentialReader,
  Deletions,
  EarlierNames,
  ExportReader,
  GroupsInForce,
  Inventory,
  LinkedUsers,
  LockOuts,
  ModelKeys,
  MoveCounts,
  MoveDecisions,
  MoveSteps,
  Moves,
  NameSearch,
  PermissionOwners,
  RegistrationWriter,
  SameUsers,
  SearchFilling,
  SignInWriter,
  SimilarNames,
  Suspensions,
  UserChanges,
  UserGroups,
  UserList,
  UserRenaming,
  UserSearch,
  UsersByName,
];

@Module({
  imports: [
    TypeOrmModule.forFeature([
      User,
      Credential,
      CloneAlarm,
      Attestation,
      AttestationAuthority,
      FurtherHandle,
      EarlierName,
      Move,
      SeparateName,
      CollisionEntity,
      SearchWord,
      SearchPosition,
      SearchProgress,
      Deletion,
      DeletedKey,
      DeletedHandle,
      DeletedName,
      UserGroup,
      DeletedGroup,
      DirectoryGroup,
      RegroupedUser,
    ]),
    EventsModule,
    TenancyModule,
  ],
  providers: [...SHARED, DeletionEnding],
  exports: [...SHARED, TypeOrmModule],
})
export class UsersModule {}
