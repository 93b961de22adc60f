import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { UsersModule } from '../../users/users.module.js';
import { TenancyModule } from '../../tenancy/tenancy.module.js';
import { ModelActions } from '../models/model-actions.js';
import { ModelBlock } from '../models/model-block.js';
import { ModelJob } from '../models/model-job.entity.js';
import { ModelJobRunner } from '../models/model-job-runner.js';
import { ModelJobs } from '../models/model-jobs.js';
import { ModelPagesController } from '../models/model-pages.controller.js';
import { ModelReport } from '../models/model-report.js';
import { ModelsController } from '../models/models.controller.js';
import { TrustModule } from '../trust.module.js';
import { AaguidController } from './aaguid.controller.js';
import { AaguidPages } from './aaguid.page.js';

/** Authenticator models in the console: the whitelist, and the actions on a lost model. */
@Module({
  imports: [TypeOrmModule.forFeature([ModelJob]), UsersModule, TenancyModule, TrustModule],
  controllers: [AaguidController, ModelsController, ModelPagesController],
  providers: [AaguidPages, ModelActions, ModelBlock, ModelJobRunner, ModelJobs, ModelReport],
  exports: [ModelReport],
})
export class ModelsModule {}
