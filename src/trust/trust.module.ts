import { Module } from '@nestjs/common';
import { AaguidList } from './aaguid-list.js';
import { Admission } from './admission.js';
import { AuthenticatorModels } from './authenticator-models.js';
import { MetadataController } from './metadata.controller.js';
import { MetadataIntake } from './metadata-intake.js';
import { MetadataService } from './metadata.service.js';
import { MetadataReport } from './metadata-report.js';
import { MetadataStore } from './metadata-store.js';
import { MetadataUpload } from './metadata-upload.js';

/** What an authenticator is, who says so, and whether it may register. */
@Module({
  controllers: [MetadataController],
  providers: [
    AaguidList,
    Admission,
    AuthenticatorModels,
    MetadataIntake,
    MetadataReport,
    MetadataService,
    MetadataStore,
    MetadataUpload,
  ],
  exports: [AaguidList, Admission, AuthenticatorModels, MetadataReport, MetadataService],
})
export class TrustModule {}
