import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { FidoModule } from '../fido/fido.module.js';
import { HealthChecks } from './health-checks.js';
import { HealthController } from './health.controller.js';
import { Lifecycle } from './lifecycle.js';

@Module({
  imports: [FidoModule, TerminusModule.forRoot({ logger: false })],
  controllers: [HealthController],
  providers: [HealthChecks, Lifecycle],
  exports: [Lifecycle],
})
export class HealthModule {}
