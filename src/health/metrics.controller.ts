import cluster from 'node:cluster';
import { timingSafeEqual } from 'node:crypto';
import {
  Controller,
  Get,
  UseGuards,
  Inject,
  Injectable,
  Optional,
  Res,
  type OnApplicationBootstrap,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { collectDefaultMetrics, register } from 'prom-client';
import type { Request, Response } from 'express';
import { ApiBearerAuth, ApiSecurity } from '../platform/http/openapi/openapi.js';
import { ForAudience, Operation } from '../platform/http/openapi/operation.js';
import { MetadataReport } from '../trust/metadata/metadata-report.js';
import { serverOptions, type ServerOptions } from '../platform/config/server-config.js';
import { ApiError, Refuses } from '../platform/errors/api-error.js';
import { Database } from '../platform/database/database.js';
import { RedisLink } from '../platform/database/redis-link.js';
import { gauge } from '../platform/telemetry/metrics.js';
import { sha256 } from '../platform/common/sha256.js';
import { metricsOfAllWorkers, sendMetrics } from './worker-metrics.js';

const BEARER = /^Bearer +(.+)$/i;
const CHALLENGE = { 'WWW-Authenticate': 'Bearer realm="ServiceFido metrics"' };

/** Accepts callers who send `--metrics-key` as a bearer token (RFC 6750); all callers, if none is set. */
@Injectable()
@Refuses('E0042R')
class MetricsKeyGuard implements CanActivate {
  /** A digest, since a comparison in constant time needs equal lengths. */
  private readonly wanted: Buffer | undefined;

  constructor(@Inject(serverOptions.KEY) { metricsKey }: ServerOptions) {
    this.wanted = metricsKey === undefined ? undefined : sha256(metricsKey);
  }

  /** @throws ApiError E0042R */
  canActivate(context: ExecutionContext): boolean {
    if (this.wanted === undefined) return true;
    const { authorization = '' } = context.switchToHttp().getRequest<Request>().headers;
    const [, shown = ''] = BEARER.exec(authorization) ?? [];
    if (timingSafeEqual(sha256(shown), this.wanted)) return true;
    throw new ApiError('E0042R', 'authentication.metrics', {}, { headers: CHALLENGE });
  }
}

const PROCESS_CPU = 'process_cpu_seconds_total';
if (!register.getSingleMetric(PROCESS_CPU)) collectDefaultMetrics();

const CONNECTIONS = gauge({
  name: 'servicefido_database_connections',
  help: 'Connections at work, and callers waiting for one, by pool',
  labelNames: ['pool', 'state'],
});
const QUEUED = gauge({
  name: 'servicefido_commits_queued',
  help: 'Changes waiting for the previous transaction',
});
const REDIS = gauge({
  name: 'servicefido_redis_connected',
  help: '1 while the session store is connected',
  // With several workers the lowest value counts: 0 if one of them is cut off.
  aggregator: 'min',
});

/**
 * The metrics of all `--workers` together, for Prometheus. They reveal how many users sign in, but nothing
 * about a user.
 */
@ForAudience('operator')
@UseGuards(MetricsKeyGuard)
@ApiSecurity({})
@ApiBearerAuth()
@Controller()
export class MetricsController implements OnApplicationBootstrap {
  constructor(
    private readonly metadata: MetadataReport,
    private readonly database: Database,
    @Optional() @Inject(RedisLink) private readonly link: RedisLink | null,
  ) {}

  /** @throws ApiError E0052R if a worker does not answer, for example because it is still starting */
  @Get('metrics')
  @Operation('getMetrics', 'Returns the metrics in the Prometheus format', {
    description: 'Needs the Bearer token of `--metrics-key`, if the option is set.',
    answers: 'text/plain',
  })
  async metrics(@Res({ passthrough: true }) response: Response): Promise<string> {
    if (!cluster.isWorker) this.measure();
    const metrics = cluster.isWorker ? await metricsOfAllWorkers() : await register.metrics();
    // The counters of this worker alone would look like a restart, and then like a rise.
    if (metrics === undefined) throw new ApiError('E0052R', 'server.notReady');
    response.type(register.contentType);
    return metrics;
  }

  onApplicationBootstrap(): void {
    if (cluster.isWorker) sendMetrics(() => this.measure());
  }

  /** Sets the metrics of metadata and of the load of the database and the session store. */
  private measure(): void {
    this.metadata.measure();
    const { reading, committing, queued } = this.database.use;
    for (const [pool, { busy, waiting }] of Object.entries({ reading, committing })) {
      CONNECTIONS.set({ pool, state: 'busy' }, busy);
      CONNECTIONS.set({ pool, state: 'waiting' }, waiting);
    }
    QUEUED.set(queued);
    if (this.link) REDIS.set(this.link.connected ? 1 : 0);
  }
}
