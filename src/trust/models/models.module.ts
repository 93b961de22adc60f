import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { UsersModule } from '../../users/users.module.js';
import { TenancyModule } from '../../tenancy/tenancy.module.js';
import { TrustModule } from '../trust.module.js';
import { AaguidController } from '../whitelist/aaguid.controller.js';
import { AaguidPages } from '../whitelist/aaguid.view.js';
import { ModelActions } from './model-actions.js';
import { ModelJob } from './model-job.entity.js';
import { ModelJobRunner } from './model-job-runner.js';
import { ModelJobs } from './model-jobs.js';
import { ModelPagesController } from './model-pages.controller.js';
import { ModelReport } from './model-report.js';
import { ModelsController } from './models.controller.js';

/** Authenticator models in the console: the whitelist, and the actions on a lost model. */
@Module({
  imports: [TypeOrmModule.forFeature([ModelJob]), UsersModule, TenancyModule, TrustModule],
  controllers: [AaguidController, ModelsController, ModelPagesController],
  providers: [AaguidPages, ModelActions, ModelJobRunner, ModelJobs, ModelReport],
  exports: [ModelReport],
})
export class ModelsModule {}
