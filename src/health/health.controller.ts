import { Controller, Get, ServiceUnavailableException } from '@nestjs/common';
import { HealthCheckService, type HealthCheckResult } from '@nestjs/terminus';
import { ApiError } from '../platform/errors/api-error.js';
import { Database } from '../platform/database/database.js';
import { CeremonyStore } from '../fido/ceremonies/stores/ceremony-store.js';
import { ForAudience, Operation } from '../platform/http/openapi/operation.js';
import { MetadataReport } from '../trust/metadata/metadata-report.js';
import { LiveAnswer, NotReadyAnswer, ReadyAnswer } from './health.answer.js';

/**
 * A check whose result may add members to its entry in `details`. Callers learn only that it failed; `faults` has the
 * reasons, for the log.
 */
const indicatorOf =
  (name: string, check: () => Promise<unknown>, faults: unknown[]) => async () => ({
    [name]: await check().then(
      (more) => ({ ...(more as object | undefined), status: 'up' as const }),
      (fault: unknown) => {
        faults.push(fault);
        return { status: 'down' as const };
      },
    ),
  });

/** Reports the server's state to machines. Nothing here is secret. */
@ForAudience('operator')
@Controller()
export class HealthController {
  private isDraining = false;

  constructor(
    private readonly database: Database,
    private readonly ceremonies: CeremonyStore,
    private readonly health: HealthCheckService,
    private readonly metadata: MetadataReport,
  ) {}

  /** Reports from now on that this process accepts no new requests; load balancers poll /health/ready. */
  drain(): void {
    this.isDraining = true;
  }

  @Get('health/live')
  @Operation('isLive', 'Reports whether the process is running', {
    description:
      'Says only that the process runs. Do not restart an instance because it is not ready.',
    answers: LiveAnswer,
  })
  live(): LiveAnswer {
    return { status: 'ok' };
  }

  @Get('health/ready')
  @Operation(
    'isReady',
    'Reports whether this instance can serve requests: database, sessions, no shutdown',
    {
      description:
        'Load balancers ask it. It answers 503 as soon as the process receives the signal to ' +
        'end.',
      answers: ReadyAnswer,
      refuses: ['E0052R'],
      bodies: { E0052R: NotReadyAnswer },
    },
  )
  async ready(): Promise<ReadyAnswer> {
    const faults: unknown[] = [];
    const checks = [
      indicatorOf('database', () => this.database.ping(), faults),
      indicatorOf('sessions', () => this.ceremonies.ping(), faults),
      indicatorOf('process', () => this.checkThatItStays(), faults),
    ];
    // Only for information: old or missing metadata prevents no sign-in.
    const metadata = this.metadata.summary();
    if (metadata) checks.push(indicatorOf('metadata', async () => metadata, faults));
    const lists = this.metadata.revocations.summary();
    if (lists) checks.push(indicatorOf('crls', async () => lists, faults));
    try {
      return { ...(await this.health.check(checks)), status: 'ok' };
    } catch (error) {
      if (!(error instanceof ServiceUnavailableException)) throw error;
      const { details } = error.getResponse() as HealthCheckResult;
      const headers = { 'Retry-After': '1' };
      const parts = { headers, body: { details }, cause: faults[0] };
      throw new ApiError('E0052R', 'server.notReady', {}, parts);
    }
  }

  private async checkThatItStays(): Promise<void> {
    if (this.isDraining) throw new Error('This process is about to end.');
  }
}
