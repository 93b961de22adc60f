import { Injectable, ServiceUnavailableException } from '@nestjs/common';
import { HealthCheckService, HealthIndicatorService } from '@nestjs/terminus';
import type { HealthCheckResult } from '@nestjs/terminus';
import { ApiError } from '../platform/errors/api-error.js';
import { isObject } from '../platform/validation/rule.js';
import type { ReadyAnswer } from './health.answer.js';

/** Runs named checks through terminus: 200 when all pass, 503 when one does not. */
@Injectable()
export class HealthChecks {
  constructor(
    private readonly health: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
  ) {}

  /**
   * @param checks by name; each may return further members for its entry in `details`
   * @throws ApiError E0052R, whose body says in `details` which check did not pass
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
