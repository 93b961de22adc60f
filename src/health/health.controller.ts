import { Injectable, ServiceUnavailableException, Controller, Get } from '@nestjs/common';
import {
  HealthCheckService,
  HealthIndicatorService,
  type HealthCheckResult,
} from '@nestjs/terminus';
import { ApiError } from '../platform/errors/api-error.js';
import { isObject } from '../platform/validation/rule.js';
import { Database } from '../platform/database/database.js';
import { CeremonyStore } from '../fido/ceremonies/stores/ceremony-store.js';
import { ForReader, Operation } from '../platform/http/openapi/operation.js';
import { MetadataReport } from '../trust/metadata/metadata-report.js';
import { LiveAnswer, NotReadyAnswer, ReadyAnswer } from './health.answer.js';
import { Lifecycle } from './lifecycle.js';

/** Runs named checks through terminus: 200 if all pass, 503 if one fails. */
@Injectable()
export class HealthChecks {
  constructor(
    private readonly health: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
  ) {}

  /**
   * @param checks by name; each may return further members for its entry in `details`
   * @throws ApiError E0052R, whose body names the failed check in `details`
   */
  async run(checks: Record<string, () => Promise<unknown>>): Promise<ReadyAnswer> {
    const indicators = Object.entries(checks).map(([name, check]) => async () => {
      const indicator = this.indicators.check(name);
      return check().then(
        (more) => indicator.up(isObject(more) ? more : {}),
        () => indicator.down(),
      );
    });
    try {
      return { ...(await this.health.check(indicators)), status: 'ok' };
    } catch (error) {
      if (!(error instanceof ServiceUnavailableException)) throw error;
      const { details } = error.getResponse() as HealthCheckResult;
      const headers = { 'Retry-After': '1' };
      throw new ApiError('E0052R', 'server.notReady', {}, { headers, body: { details } });
    }
  }
}

/** Reports the server's state to machines. Nothing here is secret. */
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
  @Operation('isLive', 'Reports whether the process is running', { answers: LiveAnswer })
  live(): LiveAnswer {
    return { status: 'ok' };
  }

  @Get('health/ready')
  @Operation(
    'isReady',
    'Reports whether this instance can serve requests: database, sessions, no shutdown',
    {
      answers: ReadyAnswer,
      refuses: ['E0052R'],
      bodies: { E0052R: NotReadyAnswer },
    },
  )
  ready() {
    return this.checks.run({
      database: () => this.database.ping(),
      sessions: () => this.ceremonies.ping(),
      process: async () => {
        if (this.lifecycle.draining) throw new Error('shutting down');
      },
      // Only for information: old or missing metadata prevents no sign-in.
      ...(this.metadata.enabled ? { metadata: async () => this.metadata.summary() } : {}),
      ...(this.metadata.lists() ? { crls: async () => ({ ...this.metadata.lists() }) } : {}),
    });
  }
}
