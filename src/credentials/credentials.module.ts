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
import { CredentialReader } from './credential-reader.js';
import { CredentialWriter } from './credential-writer.js';
import { Credential } from './credential.entity.js';
import { LedgerModule } from '../ledger/ledger.module.js';
import { TenancyModule } from '../tenancy/tenancy.module.js';
import { FurtherHandle } from './further-handle.entity.js';
import { ModelsHeld } from './people/models-held.js';
import { PeopleList } from './people/people-list.js';
import { Inventory } from './inventory.js';
import { KeyChanges } from './key-changes.js';
import { ModelUse } from './model-use.js';
import { UserChanges } from './user-changes.js';
import { CountedSearch } from './counted-search.js';
import { Subjects } from './subjects.js';
import { EarlierName } from './earlier-names/earlier-name.entity.js';
import { EarlierNames } from './earlier-names/earlier-names.js';
import { UserNames } from './user-names.js';
import { Move } from './moves/move.entity.js';
import { Moves } from './moves/moves.js';
import { PeopleSearch } from './search/people-search.js';
import { SearchFilling } from './search/search-filling.js';
import { SearchProgress } from './search/search-progress.entity.js';
import { SearchWord } from './search/search-word.entity.js';
import { SimilarNames } from './search/similar-names.js';
import { UserSearch } from './user-search.js';
import { User } from './user.entity.js';
import { ExportPages } from './transfer/export-pages.js';
import { StockReader } from './transfer/stock.js';
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
      SearchWord,
      SearchProgress,
      Deletion,
      DeletedKey,
      DeletedHandle,
      DeletedName,
    ]),
    LedgerModule,
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
    ModelsHeld,
    PeopleList,
    ExportPages,
    ModelUse,
    Moves,
    PeopleSearch,
    SearchFilling,
    SimilarNames,
    UserChanges,
    CountedSearch,
    StockReader,
    Subjects,
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
    Moves,
    CredentialWriter,
    Deletions,
    Inventory,
    ModelsHeld,
    PeopleList,
    ExportPages,
    ModelUse,
    PeopleSearch,
    SearchFilling,
    SimilarNames,
    UserChanges,
    CountedSearch,
    StockReader,
    Subjects,
    UserSearch,
    UsersByName,
    TypeOrmModule,
  ],
})
export class CredentialsModule {}
