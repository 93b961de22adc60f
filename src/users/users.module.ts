import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AttestationAuthorities } from './attestations/attestation-authorities.js';
import { AttestationAuthority } from './attestations/attestation-authority.entity.js';
import { Attestation } from './attestations/attestation.entity.js';
import { Attestations } from './attestations/attestations.js';
import { DeletedHandle } from './deletions/deleted-handle.entity.js';
import { DeletedKey } from './deletions/deleted-key.entity.js';
import { DeletedName } from './deletions/deleted-name.entity.js';
import { DeletionEnding } from './deletions/deletion-ending.js';
import { Deletion } from './deletions/deletion.entity.js';
import { Deletions } from './deletions/deletions.js';
import { CredentialReader } from './credentials/credential-reader.js';
import { CredentialWriter } from './credentials/credential-writer.js';
import { Credential } from './credentials/credential.entity.js';
import { EventsModule } from '../events/events.module.js';
import { TenancyModule } from '../tenancy/tenancy.module.js';
import { FurtherHandle } from './further-handle.entity.js';
import { ModelHolders } from './list/model-holders.js';
import { ModelsHeld } from './list/models-held.js';
import { UserList } from './list/user-list.js';
import { Inventory } from './credentials/inventory.js';
import { KeyChanges } from './credentials/key-changes.js';
import { ModelUse } from './credentials/model-use.js';
import { UnverifiedUsers } from './unverified-users.js';
import { UserChanges } from './user-changes.js';
import { CountedSearch } from './search/counted-search.js';
import { Subjects } from './subjects.js';
import { EarlierName } from './earlier-names/earlier-name.entity.js';
import { EarlierNames } from './earlier-names/earlier-names.js';
import { UserNames } from './user-names.js';
import { Move } from './moves/move.entity.js';
import { LinkedUsers } from './moves/linked-users.js';
import { Moves } from './moves/moves.js';
import { SeparateName } from './moves/separate-name.entity.js';
import { SeparateNames } from './moves/separate-names.js';
import { NameSearch } from './search/name-search.js';
import { SearchFilling } from './search/search-filling.js';
import { SearchProgress } from './search/search-progress.entity.js';
import { SearchWord } from './search/search-word.entity.js';
import { SimilarNames } from './search/similar-names.js';
import { UserSearch } from './search/user-search.js';
import { User } from './user.entity.js';
import { ExportPages } from './transfer/export-pages.js';
import { StockReader } from './transfer/import-snapshot.js';
import { UsersByName } from './users-by-name.js';

@Module({
  imports: [
    TypeOrmModule.forFeature([
      User,
      Credential,
      Attestation,
      AttestationAuthority,
      FurtherHandle,
      EarlierName,
      Move,
      SeparateName,
      SearchWord,
      SearchProgress,
      Deletion,
      DeletedKey,
      DeletedHandle,
      DeletedName,
    ]),
    EventsModule,
    TenancyModule,
  ],
  providers: [
    AttestationAuthorities,
    Attestations,
    CredentialReader,
    CredentialWriter,
    DeletionEnding,
    Deletions,
    Inventory,
    UserNames,
    EarlierNames,
    KeyChanges,
    ModelHolders,
    ModelsHeld,
    UserList,
    ExportPages,
    ModelUse,
    LinkedUsers,
    Moves,
    SeparateNames,
    NameSearch,
    SearchFilling,
    SimilarNames,
    UserChanges,
    CountedSearch,
    StockReader,
    Subjects,
    UnverifiedUsers,
    UserSearch,
    UsersByName,
  ],
  exports: [
    AttestationAuthorities,
    Attestations,
    EarlierNames,
    UserNames,
    KeyChanges,
    CredentialReader,
    LinkedUsers,
    Moves,
    CredentialWriter,
    Deletions,
    Inventory,
    ModelHolders,
    ModelsHeld,
    UserList,
    ExportPages,
    ModelUse,
    NameSearch,
    SearchFilling,
    SimilarNames,
    UserChanges,
    CountedSearch,
    StockReader,
    Subjects,
    UnverifiedUsers,
    UserSearch,
    UsersByName,
    TypeOrmModule,
  ],
})
export class UsersModule {}
