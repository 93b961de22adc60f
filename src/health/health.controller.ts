import { Controller, Get, Header, Inject } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { collectDefaultMetrics, register } from 'prom-client';
import { VERSION } from '../config/project.js';
import { SERVER_OPTIONS } from '../config/server-options.js';
import type { ServerOptions } from '../config/server-options.js';
import { Database } from '../database/database.js';
import { ApiError } from '../errors/api-error.js';
import { OK } from '../http/ok.js';
import { CeremonyStore } from '../fido/ceremony-store.js';
import { HealthChecks } from './health-checks.js';
import { Lifecycle } from './lifecycle.js';

if (register.getMetricsAsArray().length === 0) collectDefaultMetrics();

/** What machines ask about the server's state. Nothing here is secret. */
@ApiTags('operations')
@Controller()
export class HealthController {
  constructor(
    @Inject(SERVER_OPTIONS) private readonly options: ServerOptions,
    private readonly database: Database,
    private readonly ceremonies: CeremonyStore,
    private readonly lifecycle: Lifecycle,
    private readonly checks: HealthChecks,
  ) {}

  @Get('fidoapi/test')
  @ApiOperation({ summary: 'Whether the FIDO API is there, and how it is configured' })
  test() {
    const { verify, attestation, aaguid, jwt, registration, session, mds } = this.options;
    return {
      ...OK,
      version: VERSION,
      features: { verify, attestation, aaguid, jwt, registration, session, mds: mds !== 'off' },
    };
  }

  @Get('fidoapi/testdb')
  @ApiOperation({ summary: 'Whether the database answers' })
  async testDatabase() {
    const began = performance.now();
    try {
      await this.database.ping();
    } catch (error) {
      const headers = { 'Retry-After': '1' };
      throw new ApiError('E0052R', 'The database does not answer.', { headers, cause: error });
    }
    const latencyMs = Math.round((performance.now() - began) * 100) / 100;
    return { ...OK, database: this.database.kind, latencyMs };
  }

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
    });
  }

  @Get('metrics')
  @Header('Content-Type', register.contentType)
  @ApiOperation({ summary: 'Prometheus metrics' })
  metrics(): Promise<string> {
    return register.metrics();
  }
}
