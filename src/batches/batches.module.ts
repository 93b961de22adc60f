import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { TenancyModule } from '../tenancy/tenancy.module.js';
import { Batch } from './batch.entity.js';
import { BatchRunner } from './batch-runner.js';
import { Batches } from './batches.js';

/** Jobs on many rows: each feature registers its own. */
@Module({
  imports: [TypeOrmModule.forFeature([Batch]), TenancyModule],
  providers: [Batches, BatchRunner],
  exports: [Batches, BatchRunner],
})
export class BatchesModule {}
