import { Controller, Get } from '@nestjs/common';
import { Database } from '../database/database.js';
import { CeremonyStore } from '../fido/ceremonies/ceremony-store.js';
import { ApiOperation, ApiTags } from '../http/openapi.js';
import { MetadataReport } from '../trust/metadata/metadata-report.js';
import { HealthChecks } from './health-checks.js';
import { Lifecycle } from './lifecycle.js';

/** What machines ask about the server's state. Nothing here is secret. */
@ApiTags('operations')
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
  @ApiOperation({ summary: 'Whether the process runs' })
  live() {
    return { status: 'ok' };
  }

  @Get('health/ready')
  @ApiOperation({
    summary: 'Whether this instance can serve: database, session store, not leaving',
  })
  ready() {
    return this.checks.run({
      database: () => this.database.ping(),
      sessions: () => this.ceremonies.ping(),
      process: async () => {
        if (this.lifecycle.draining) throw new Error('shutting down');
      },
      // For reading: metadata that is old, or missing, keeps nobody from signing in.
      ...(this.metadata.enabled ? { metadata: async () => this.metadata.summary() } : {}),
    });
  }
}
