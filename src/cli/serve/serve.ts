import cluster from 'node:cluster';
import type { Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { Logger } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from '../../app.module.js';
import { createApp } from '../../app.js';
import type { ServerOptions } from '../../platform/config/server-config.js';
import { sqliteFileOf } from '../../platform/database/data-source.js';
import { Database } from '../../platform/database/database.js';
import { freeLeases } from '../../platform/database/jobs/leased-job.js';
import { RedisLink, openRedis } from '../../platform/database/redis-link.js';
import { becomeOnlyServer } from '../../platform/database/sqlite/only-server.js';
import { Draining } from '../../health/draining.js';
import { SetupLog } from '../../health/setup/setup-log.js';
import { addUpWorkers } from '../../health/worker-metrics.js';
import { NestLog, createLog } from '../../platform/logging/logger.js';
import { currentTracer, traceWith } from '../../platform/telemetry/tracing.js';
import { requireLists } from '../../trust/revocation/list-files.js';
import { withModule } from '../application.js';
import { listenRefusal, requireAddress } from './address.js';
import { announce, startNotice } from './start-notice.js';
import { stopAtSignal } from './stop-signals.js';
import { Workers } from './workers.js';

/** The time for load balancers to notice that this instance is no longer ready. */
const UNREADY_MS = 1_000;
/** How long pending requests may take once the process is asked to stop. */
const DRAIN_MS = 8_000;
const SWEEP_MS = 50;

/**
 * Runs the server: in this process, or in `--workers` processes that share the port.
 *
 * @throws OptionMistakes if it cannot listen at its address, a file of `--crls` is not a list, Redis refuses the
 *   password or the database, or another server has the SQLite file; nothing is written to the database then
 */
export async function serve(options: ServerOptions): Promise<void> {
  const file = sqliteFileOf(options.db);
  if (cluster.isPrimary) {
    await requireAddress(options);
    await requireLists(options);
    await requireSessions(options);
    if (file !== undefined) await becomeOnlyServer(file);
  }
  if (options.workers > 1 && cluster.isPrimary) return startWorkers(options);
  await startTracing(options);
  const log = createLog(options);
  const app = await createApp(options, { log });
  if (file !== undefined) await freeLeases(app.get(Database));
  const stop = (noticeMs: number) => void stopServing(app, log, noticeMs);
  // Set before the server listens, because it may be stopped from then on.
  stopAtSignal((signal) => stop(signal === 'SIGTERM' ? UNREADY_MS : 0));
  await app.get<RedisLink | null>(RedisLink)?.openWithin(options.dbWait);
  await listen(app, options);
  // A start needs a young generation of 64 MiB. Under load V8 would double it (docs/speed.md, "Memory").
  setFlagsFromString('--semi-space-growth-factor=1');
  if (cluster.isPrimary) {
    announce(options, portOf(app, options), await startNotice(app, options));
  }
  await app.get(SetupLog).log();
}

/**
 * Starts the workers. Migrations and FirstStart run once, before any of them. This process does not serve, so each
 * worker itself adds the models of --aaguid-file.
 */
async function startWorkers(options: ServerOptions): Promise<void> {
  const module = await AppModule.with(options, { migrates: true });
  const log = new NestLog(createLog(options));
  const notice = await withModule(module, log, (app) => startNotice(app, options));
  addUpWorkers();
  const workers = new Workers();
  stopAtSignal(() => workers.stop());
  workers.start(options.workers, (port) => announce(options, port, notice));
}

async function startTracing({ otlpEndpoint }: ServerOptions): Promise<void> {
  if (otlpEndpoint === undefined) return;
  const { OpenTelemetry } = await import('../../platform/telemetry/open-telemetry.js');
  traceWith(
    new OpenTelemetry(otlpEndpoint, (sentence) => Logger.warn(sentence, OpenTelemetry.name)),
  );
}

/** Waits for Redis first: a server whose password it refuses would already have changed the database. */
async function requireSessions(options: ServerOptions): Promise<void> {
  Logger.overrideLogger(new NestLog(createLog(options)));
  const redis = openRedis(options);
  try {
    await redis?.openWithin(options.dbWait);
  } finally {
    redis?.onApplicationShutdown();
  }
}

/** Another program may take the port after `requireAddress`. In that case everything is closed. */
async function listen(app: NestExpressApplication, options: ServerOptions): Promise<void> {
  try {
    await app.listen(options.port, options.host);
  } catch (error) {
    await app.close();
    throw await listenRefusal(error, options);
  }
}

function portOf(app: NestExpressApplication, options: ServerOptions): number {
  const address = app.getHttpServer().address();
  return typeof address === 'object' && address ? address.port : options.port;
}

/** Ends the process with code 1 if it could not close everything. */
async function stopServing(
  app: NestExpressApplication,
  log: ReturnType<typeof createLog>,
  noticeMs: number,
): Promise<void> {
  let code = 0;
  try {
    await shutDown(app, noticeMs);
  } catch (error) {
    Logger.error(error, 'Shutdown');
    code = 1;
  }
  log.flush(() => process.exit(code));
}

/** Reports that it is no longer ready, waits for pending requests, and closes the database. */
async function shutDown(app: NestExpressApplication, noticeMs: number): Promise<void> {
  app.get(Draining).begin();
  await pause(noticeMs);
  const server: Server = app.getHttpServer();
  // Kept-alive connections become idle one by one, once their last answer is sent.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  const limit = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  try {
    await app.close();
  } finally {
    clearInterval(sweep);
    clearTimeout(limit);
    await currentTracer()?.stop();
  }
}
