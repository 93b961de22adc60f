import { Controller, Get } from '@nestjs/common';
import { Database } from '../platform/database/database.js';
import { CeremonyStore } from '../fido/ceremonies/stores/ceremony-store.js';
import { ForReader, Operation } from '../platform/http/openapi/operation.js';
import { MetadataReport } from '../trust/metadata/metadata-report.js';
import { LiveAnswer, NotReadyAnswer, ReadyAnswer } from './health.answer.js';
import { HealthChecks } from './health-checks.js';
import { Lifecycle } from './lifecycle.js';

/** Tells machines about the server's state. Nothing here is secret. */
@ForReader('operator')
@Controller()
export class HealthController {
  constructor(
    private readonly database: Database,
    private readonly ceremonies: CeremonyStore,
    private readonly lifecycle: Lifecycle,
    private readonly checks: HealthChecks,
    private readonly metadata: MetadataReport,
  ) {}

  @Get('health/live')
  @Operation('isLive', 'Whether the process runs', { answers: LiveAnswer })
  live(): LiveAnswer {
    return { status: 'ok' };
  }

  @Get('health/ready')
  @Operation('isReady', 'Whether this instance can serve: database, sessions, not leaving', {
    answers: ReadyAnswer,
    refuses: ['E0052R'],
    bodies: { E0052R: NotReadyAnswer },
  })
  ready() {
    return this.checks.run({
      database: () => this.database.ping(),
      sessions: () => this.ceremonies.ping(),
      process: async () => {
        if (this.lifecycle.draining) throw new Error('shutting down');
      },
      // These only inform: old or missing metadata keeps nobody from signing in.
      ...(this.metadata.enabled ? { metadata: async () => this.metadata.summary() } : {}),
      ...(this.metadata.lists() ? { crls: async () => ({ ...this.metadata.lists() }) } : {}),
    });
  }
}
