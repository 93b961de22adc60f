import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AaguidEntity } from './whitelist/aaguid.entity.js';
import { AaguidList } from './whitelist/aaguid-list.js';
import { Admission } from './admission.js';
import { AndroidRevocations } from './revocation/android-revocations.js';
import { AuthenticatorModels } from './authenticator-models.js';
import { KeyFindings } from './findings/key-findings.js';
import { MetadataChunk, MetadataSourceEntity } from './metadata/metadata-source.entity.js';
import { MetadataController } from './metadata/metadata.controller.js';
import { MetadataIntake } from './metadata/metadata-intake.js';
import { MetadataService } from './metadata/metadata.service.js';
import { MetadataReport } from './metadata/metadata-report.js';
import { MetadataStore } from './metadata/metadata-store.js';
import { FetchedLists } from './revocation/fetched-lists.js';
import { ListFiles } from './revocation/list-files.js';
import { RevocationListEntity } from './revocation/revocation-list.entity.js';
import { RevocationStore } from './revocation/revocation-store.js';
import { Revocations } from './revocation/revocations.js';
import { MetadataUpload } from './metadata/metadata-upload.js';

/** Metadata, whitelist, revocation and policy: identifies authenticators, and decides whether they may register. */
@Module({
  imports: [
    TypeOrmModule.forFeature([
      AaguidEntity,
      MetadataChunk,
      MetadataSourceEntity,
      RevocationListEntity,
    ]),
  ],
  controllers: [MetadataController],
  providers: [
    AaguidList,
    Admission,
    AndroidRevocations,
    AuthenticatorModels,
    FetchedLists,
    KeyFindings,
    ListFiles,
    MetadataIntake,
    MetadataReport,
    MetadataService,
    MetadataStore,
    MetadataUpload,
    RevocationStore,
    Revocations,
  ],
  exports: [
    AaguidList,
    Admission,
    AuthenticatorModels,
    KeyFindings,
    MetadataReport,
    MetadataService,
    Revocations,
  ],
})
export class TrustModule {}
