import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AaguidEntity } from './whitelist/aaguid.entity.js';
import { AaguidList } from './whitelist/aaguid-list.js';
import { Admission } from './admission.js';
import { AndroidRevocations } from './metadata/android-revocations.js';
import { AuthenticatorModels } from './authenticator-models.js';
import { FindingNotices } from './findings/finding-notices.js';
import { MetadataChunk } from './metadata/metadata-chunk.entity.js';
import { MetadataController } from './metadata/metadata.controller.js';
import { MetadataIntake } from './metadata/metadata-intake.js';
import { MetadataService } from './metadata/metadata.service.js';
import { MetadataReport } from './metadata/metadata-report.js';
import { MetadataSourceEntity } from './metadata/metadata-source.entity.js';
import { MetadataStore } from './metadata/metadata-store.js';
import { Provenance } from './provenance.js';
import { MetadataUpload } from './metadata/metadata-upload.js';

/** What an authenticator is, who says so, and whether it may register. */
@Module({
  imports: [TypeOrmModule.forFeature([AaguidEntity, MetadataChunk, MetadataSourceEntity])],
  controllers: [MetadataController],
  providers: [
    AaguidList,
    Admission,
    AndroidRevocations,
    AuthenticatorModels,
    FindingNotices,
    MetadataIntake,
    MetadataReport,
    MetadataService,
    MetadataStore,
    MetadataUpload,
    Provenance,
  ],
  exports: [
    AaguidList,
    Admission,
    AndroidRevocations,
    AuthenticatorModels,
    FindingNotices,
    MetadataReport,
    MetadataService,
    Provenance,
  ],
})
export class TrustModule {}
