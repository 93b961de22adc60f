import { Controller, Get } from '@nestjs/common';
import { ApiError } from '../platform/errors/api-error.js';
import { messageOfError } from '../platform/errors/driver-errors.js';
import { Database } from '../platform/database/database.js';
import { CeremonyStore } from '../fido/ceremonies/stores/ceremony-store.js';
import { ForAudience, Operation } from '../platform/http/openapi/operation.js';
import { MetadataReport } from '../trust/metadata/metadata-report.js';
import { Draining } from './draining.js';
import { LiveAnswer, NotReadyAnswer, ReadyAnswer } from './health.answer.js';

interface CheckResult {
  readonly name: string;
  readonly result: { readonly status: 'up' | 'down' };
  /** Why the check failed, for the log. Callers learn only that it did. */
  readonly fault?: unknown;
}

/** Reports the server's state to machines. Nothing here is secret. */
@ForAudience('operator')
@Controller()
export class HealthController {
  constructor(
    private readonly database: Database,
    private readonly ceremonies: CeremonyStore,
    private readonly metadata: MetadataReport,
    private readonly draining: Draining,
  ) {}

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
    const checks = await Promise.all([
      checked('database', () => this.database.ping()),
      checked('sessions', () => this.ceremonies.ping()),
      checked('process', () => this.draining.check()),
    ]);
    const details = {
      ...Object.fromEntries(checks.map(({ name, result }) => [name, result])),
      // Only for information: old or missing metadata prevents no sign-in.
      ...upIfAny({
        metadata: this.metadata.summary(),
        crls: this.metadata.revocations.summary(),
      }),
    };
    const failed = checks.filter(({ result }) => result.status === 'down');
    if (failed.length === 0) return { status: 'ok', info: details, error: {}, details };
    const headers = { 'Retry-After': '1' };
    const parts = { headers, body: { details }, cause: causeOf(failed) };
    throw new ApiError('E0052R', 'server.notReady', {}, parts);
  }
}

async function checked(name: string, check: () => Promise<unknown>): Promise<CheckResult> {
  try {
    await check();
    return { name, result: { status: 'up' } };
  } catch (fault) {
    // A store wraps the driver's error in an answer for users, which says nothing about the cause.
    const cause = fault instanceof ApiError ? (fault.cause ?? fault) : fault;
    return { name, result: { status: 'down' }, fault: cause };
  }
}

/** The faults of all failed checks, for the log. */
const causeOf = (failed: readonly CheckResult[]): AggregateError =>
  new AggregateError(
    failed.map(({ fault }) => fault),
    failed.map(({ name, fault }) => `${name}: ${messageOfError(fault)}`).join('; '),
  );

/** Entries of parts whose state is only reported; a part without a summary is not in use. */
const upIfAny = (summaries: Readonly<Record<string, object | undefined>>) =>
  Object.fromEntries(
    Object.entries(summaries)
      .filter(([, summary]) => summary !== undefined)
      .map(([name, summary]) => [name, { ...summary, status: 'up' }]),
  );
