import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { UsersModule } from '../../users/users.module.js';
import { TenancyModule } from '../../tenancy/tenancy.module.js';
import { TrustModule } from '../trust.module.js';
import { PolicyTrial } from '../trial/policy-trial.js';
import { PolicyTrialController } from '../trial/policy-trial.controller.js';
import { BrokenRules } from './broken-rules.js';
import { EvaluationBasis } from './evaluation/evaluation-basis.js';
import { FindingStore } from './finding-store.js';
import { Finding, EvaluationProgress } from './finding.entity.js';
import { FindingsController } from './findings.controller.js';
import { FindingsJob } from './findings-job.js';
import { KeyEvaluation } from './evaluation/key-evaluation.js';
import { RestoredKeys } from './restored-keys.js';
import { StoredKeys } from './evaluation/stored-keys.js';

/** Evaluates stored keys when rules or data change. Servers import it, commands do not. */
@Module({
  imports: [
    TypeOrmModule.forFeature([Finding, EvaluationProgress]),
    UsersModule,
    TenancyModule,
    TrustModule,
  ],
  controllers: [FindingsController, PolicyTrialController],
  providers: [
    BrokenRules,
    EvaluationBasis,
    FindingStore,
    FindingsJob,
    KeyEvaluation,
    PolicyTrial,
    RestoredKeys,
    StoredKeys,
  ],
  exports: [BrokenRules, PolicyTrial, RestoredKeys],
})
export class FindingsModule {}
