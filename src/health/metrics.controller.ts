import cluster from 'node:cluster';
import { Controller, Get, Header, UseGuards } from '@nestjs/common';
import type { OnApplicationBootstrap } from '@nestjs/common';
import { collectDefaultMetrics, register } from 'prom-client';
import { ApiBearerAuth, ApiSecurity } from '../platform/http/openapi/openapi.js';
import { ForReader, Operation } from '../platform/http/openapi/operation.js';
import { MetadataReport } from '../trust/metadata/metadata-report.js';
import { MetricsKeyGuard } from './metrics-key.guard.js';
import { StoreMetrics } from './store-metrics.js';
import { metricsOfAllWorkers, tellMetrics } from './worker-metrics.js';

const PROCESS_CPU = 'process_cpu_seconds_total';
if (!register.getSingleMetric(PROCESS_CPU)) collectDefaultMetrics();

/**
 * What Prometheus scrapes: the metrics of all `--workers` together. They tell how many people sign in, and
 * nothing about anybody.
 */
@ForReader('operator')
@Controller()
export class MetricsController implements OnApplicationBootstrap {
  constructor(
    private readonly metadata: MetadataReport,
    private readonly stores: StoreMetrics,
  ) {}

  @Get('metrics')
  @UseGuards(MetricsKeyGuard)
  @ApiSecurity({})
  @ApiBearerAuth()
  @Header('Content-Type', register.contentType)
  @Operation('getMetrics', 'Prometheus metrics', { answers: 'text/plain' })
  async metrics(): Promise<string> {
    const all = cluster.isWorker ? await metricsOfAllWorkers() : undefined;
    if (all !== undefined) return all;
    this.measure();
    return register.metrics();
  }

  onApplicationBootstrap(): void {
    if (cluster.isWorker) tellMetrics(() => this.measure());
  }

  private measure(): void {
    this.metadata.measure();
    this.stores.measure();
  }
}
