import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { BatchesModule } from '../batches/batches.module.js';
import { TenancyModule } from '../tenancy/tenancy.module.js';
import { UsersModule } from '../users/users.module.js';
import { Admission } from './admission.js';
import { AuthenticatorModels } from './authenticator-models.js';
import { EvaluationBasis } from './findings/evaluation/evaluation-basis.js';
import { KeyEvaluation } from './findings/evaluation/key-evaluation.js';
import { StoredKeys } from './findings/evaluation/stored-keys.js';
import { FindingStore } from './findings/finding-store.js';
import { FindingsOnChange } from './findings/findings-on-change.js';
import { EvaluationProgress, Finding } from './findings/finding.entity.js';
import { FindingDecision } from './findings/decisions/finding-decision.entity.js';
import { FindingDecisions } from './findings/decisions/finding-decisions.js';
import { FindingsController } from './findings/findings.controller.js';
import { FindingsJob } from './findings/findings-job.js';
import { KeyFindings } from './findings/key-findings.js';
import { RegroupedKeys } from './findings/regrouped-keys.js';
import { MetadataIntake } from './metadata/metadata-intake.js';
import { MetadataReport } from './metadata/metadata-report.js';
import { MetadataChunk, MetadataSourceEntity } from './metadata/metadata-source.entity.js';
import { MetadataStore } from './metadata/metadata-store.js';
import { MetadataController } from './metadata/metadata.controller.js';
import { MetadataService } from './metadata/metadata.service.js';
import { DisableModelJob } from './models/disable-model-job.js';
import { ModelActions } from './models/model-actions.js';
import { ModelJobs } from './models/model-jobs.js';
import { ModelPagesController } from './models/model-pages.controller.js';
import { ModelsController } from './models/models.controller.js';
import { AndroidRevocations } from './revocation/android-revocations.js';
import { FetchedLists } from './revocation/fetched-lists.js';
import { ListFiles } from './revocation/list-files.js';
import { RevocationListEntity } from './revocation/revocation-list.entity.js';
import { RevocationStore } from './revocation/revocation-store.js';
import { Revocations } from './revocation/revocations.js';
import { PolicyTrialController } from './trial/policy-trial.controller.js';
import { PolicyTrial } from './trial/policy-trial.js';
import { AaguidList } from './whitelist/aaguid-list.js';
import { AaguidController } from './whitelist/aaguid.controller.js';
import { AaguidEntity } from './whitelist/aaguid.entity.js';
import { ModelFinder } from './models/model-finder.js';

/**
 * Metadata, whitelist, revocation and policy: identifies authenticators, decides whether they may register, and
 * evaluates stored keys when rules or data change.
 */
@Module({
  imports: [
    TypeOrmModule.forFeature([
      AaguidEntity,
      EvaluationProgress,
      Finding,
      FindingDecision,
      MetadataChunk,
      MetadataSourceEntity,
      RevocationListEntity,
    ]),
    BatchesModule,
    TenancyModule,
    UsersModule,
  ],
  controllers: [
    AaguidController,
    ModelsController,
    ModelPagesController,
    FindingsController,
    PolicyTrialController,
    MetadataController,
  ],
  providers: [
    ModelFinder,
    AaguidList,
    Admission,
    AndroidRevocations,
    AuthenticatorModels,
    DisableModelJob,
    EvaluationBasis,
    FetchedLists,
    FindingDecisions,
    FindingStore,
    FindingsJob,
    FindingsOnChange,
    KeyEvaluation,
    KeyFindings,
    ListFiles,
    MetadataIntake,
    MetadataReport,
    MetadataService,
    MetadataStore,
    ModelActions,
    ModelJobs,
    PolicyTrial,
    RegroupedKeys,
    RevocationStore,
    Revocations,
    StoredKeys,
  ],
  exports: [
    AaguidList,
    Admission,
    AuthenticatorModels,
    FindingDecisions,
    FindingsOnChange,
    KeyFindings,
    MetadataReport,
    MetadataService,
    PolicyTrial,
    Revocations,
  ],
})
export class TrustModule {}
