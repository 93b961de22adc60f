import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { FidoModule } from '../fido/fido.module.js';
import { TrustModule } from '../trust/trust.module.js';
import { HealthChecks } from './health-checks.js';
import { HealthController } from './health.controller.js';
import { Lifecycle } from './lifecycle.js';
import { MetricsController } from './metrics.controller.js';
import { StoreMetrics } from './store-metrics.js';
import { TestController } from './test.controller.js';

@Module({
  imports: [FidoModule, TrustModule, TerminusModule.forRoot({ logger: false })],
  controllers: [HealthController, MetricsController, TestController],
  providers: [HealthChecks, Lifecycle, StoreMetrics],
  exports: [Lifecycle],
})
export class HealthModule {}
