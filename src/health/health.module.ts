import { Module } from '@nestjs/common';
import { FidoModule } from '../fido/fido.module.js';
import { TenancyModule } from '../tenancy/tenancy.module.js';
import { TrustModule } from '../trust/trust.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { Draining } from './draining.js';
import { HealthController } from './health.controller.js';
import { MetricsController } from './metrics.controller.js';
import { AccountFindings } from './setup/account-findings.js';
import { DatabaseFindings } from './setup/database-findings.js';
import { ProxyFaults } from './setup/proxy-faults.js';
import { SetupFindings } from './setup/setup-findings.js';
import { SetupLog } from './setup/setup-log.js';
import { TestController } from './test.controller.js';

@Module({
  imports: [FidoModule, TenancyModule, TrustModule, WebhooksModule],
  controllers: [HealthController, MetricsController, TestController],
  providers: [AccountFindings, DatabaseFindings, Draining, ProxyFaults, SetupFindings, SetupLog],
  exports: [DatabaseFindings, ProxyFaults, SetupFindings],
})
export class HealthModule {}
