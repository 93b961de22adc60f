import cluster from 'node:cluster';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { Logger, type INestApplicationContext } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from '../../app.module.js';
import { createApp } from '../../app.js';
import { baseAddress } from '../../platform/config/base-address.js';
import { OptionMistakes } from '../../platform/config/option-types.js';
import type { ServerOptions } from '../../platform/config/server-config.js';
import { sqliteFileOf } from '../../platform/database/data-source.js';
import { Database } from '../../platform/database/database.js';
import { freeLeases } from '../../platform/database/jobs/leased-job.js';
import { RedisLink, openRedis } from '../../platform/database/redis-link.js';
import { becomeOnlyServer } from '../../platform/database/sqlite/only-server.js';
import { Draining } from '../../health/draining.js';
import { titleOf } from '../../health/setup/setup-finding.js';
import { SetupFindings } from '../../health/setup/setup-findings.js';
import { SetupLog, workerEnvironment } from '../../health/setup/setup-log.js';
import { addUpWorkers } from '../../health/worker-metrics.js';
import { NestLog, createLog } from '../../platform/logging/logger.js';
import { AdminAccount } from '../../platform/access/accounts/admin-account.js';
import { currentTracer, traceWith } from '../../platform/telemetry/tracing.js';
import { requireLists } from '../../trust/revocation/list-files.js';
import { withModule } from '../application.js';

const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const;
/** The longest pause before another try to start a worker. */
const MAX_PAUSE_SECONDS = 30;
/** The time for load balancers to notice that this instance is no longer ready. */
const UNREADY_MS = 1_000;
/** How long pending requests may take once the process is asked to stop. */
const DRAIN_MS = 8_000;
const SWEEP_MS = 50;
const PORTS_TRIED = 10;
const MAX_PORT = 65_535;
/** Error codes for a host to listen on that is unknown, or belongs to another machine. */
const FOREIGN = ['ENOTFOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL', 'EINVAL'];

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
  if (options.workers > 1 && cluster.isPrimary) return lead(options);
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
 * Stops at the first signal. A second one ends the process at once, and its workers with it. A worker ignores further
 * signals: a service manager or a terminal may send one to each process, and the first process sends its own.
 */
function stopAtSignal(stop: (signal: NodeJS.Signals) => void): void {
  let stops = false;
  const listener = (signal: NodeJS.Signals) => {
    if (cluster.isPrimary) for (const one of STOP_SIGNALS) process.off(one, listener);
    if (!stops) stop(signal);
    stops = true;
  };
  for (const one of STOP_SIGNALS) process.on(one, listener);
}

async function startTracing({ otlpEndpoint }: ServerOptions): Promise<void> {
  if (otlpEndpoint === undefined) return;
  const { OpenTelemetry } = await import('../../platform/telemetry/open-telemetry.js');
  traceWith(
    new OpenTelemetry(otlpEndpoint, (sentence) => Logger.warn(sentence, OpenTelemetry.name)),
  );
}

/** Listens briefly: a server that could not get its port later would already have changed the database. */
async function requireAddress(options: ServerOptions): Promise<void> {
  const probe = createServer();
  try {
    await once(probe.listen(options.port, options.host), 'listening');
  } catch (error) {
    throw await refusalOf(error, options);
  }
  await new Promise((resolve) => probe.close(resolve));
}

/** The first port after a used one that is free at this moment; `undefined` if none of the next ten is. */
async function nextFreePort({ host, port }: ServerOptions): Promise<number | undefined> {
  for (let next = port + 1; next <= Math.min(port + PORTS_TRIED, MAX_PORT); next += 1) {
    const probe = createServer();
    const isFree = await once(probe.listen(next, host), 'listening').then(
      () => true,
      () => false,
    );
    probe.close();
    if (isFree) return next;
  }
  return undefined;
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
    throw await refusalOf(error, options);
  }
}

async function refusalOf(error: unknown, options: ServerOptions): Promise<unknown> {
  const { host, port } = options;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'EADDRINUSE') {
    const next = await nextFreePort(options);
    const proposal = next === undefined ? '' : `; try --port ${next}`;
    return new OptionMistakes([`--port ${port} on ${host} is in use already${proposal}`]);
  }
  if (code === 'EACCES') return new OptionMistakes([`--port: ${port} is not allowed to this user`]);
  if (!FOREIGN.includes(code)) return error;
  return new OptionMistakes([`--host: ${host} is not an address of this machine`]);
}

/**
 * Starts the workers from the first process, and a new one for each that dies. If one cannot start, the others go on and
 * it is tried again after a pause, since its cause may pass: a certificate without its key, or too little memory. If no
 * other one listens, this ends the program with the worker's exit code: a service manager can act, and no client waits.
 */
async function lead(options: ServerOptions): Promise<void> {
  // Migrations and FirstStart run once, before any worker starts. This process does not serve, so each worker itself
  // adds the models of --aaguid-file.
  const log = new NestLog(createLog(options));
  const module = await AppModule.with(options, { migrates: true });
  const notice = await withModule(module, log, (app) => startNotice(app, options));
  addUpWorkers();
  const listening = new Set<number>();
  let isAnnounced = false;
  let setupLogger: number | undefined;
  let pauseSeconds = 1;
  const stopping = new AbortController();
  const fork = (logsSetup: boolean) => {
    const { id } = cluster.fork(workerEnvironment({ logsSetup }));
    if (logsSetup) setupLogger = id;
  };
  const stop = () => {
    stopping.abort();
    for (const worker of Object.values(cluster.workers ?? {})) worker?.kill('SIGTERM');
  };
  cluster.on('listening', ({ id }, { port }) => {
    listening.add(id);
    pauseSeconds = 1;
    if (isAnnounced || listening.size < options.workers) return;
    isAnnounced = true;
    announce(options, port, notice);
  });
  cluster.on('exit', ({ id }, code: number | null, signal: string | null) => {
    const listened = listening.delete(id);
    if (stopping.signal.aborted) return;
    const logsSetup = id === setupLogger;
    if (listened) return fork(logsSetup);
    const report = `A worker ended with ${signal ?? `code ${code}`} before it listened`;
    if (listening.size === 0) {
      log.error(`${report}, and no other one listens: the server ends.`, 'Workers');
      // A worker that was asked to end exits with 0, which would not be a failure.
      process.exitCode = code || 1;
      return stop();
    }
    log.error(`${report}; the next one starts in ${pauseSeconds} s.`, 'Workers');
    pause(pauseSeconds * 1000, undefined, { signal: stopping.signal }).then(
      () => fork(logsSetup),
      () => undefined,
    );
    pauseSeconds = Math.min(pauseSeconds * 2, MAX_PAUSE_SECONDS);
  });
  stopAtSignal(stop);
  for (let n = 0; n < options.workers; n += 1) fork(n === 0);
}

function portOf(app: NestExpressApplication, options: ServerOptions): number {
  const address = app.getHttpServer().address();
  return typeof address === 'object' && address ? address.port : options.port;
}

type StartNotice = Awaited<ReturnType<typeof startNotice>>;

async function startNotice(app: INestApplicationContext, options: ServerOptions) {
  return {
    /** How the first administrator signs in. */
    hint: signInHint(app.get(AdminAccount), options),
    findings: await app.get(SetupFindings).all(),
  };
}

function announce(options: ServerOptions, port: number, { hint, findings }: StartNotice): void {
  const base = baseAddress({ ...options, port });
  const workers = options.workers > 1 ? `, in ${options.workers} processes` : '';
  const lines = [
    '',
    `  ServiceFido is ready at ${base}${workers}`,
    `  Demo:            ${base}/demo`,
    `  Administration:  ${base}/  ${hint}`,
    `  Documentation:   ${base}/docs`,
  ];
  if (findings.length > 0)
    lines.push('', '  Needs attention (the log and /status say what to do):');
  lines.push(...findings.map((one) => `  ${one.urgent ? '!' : '-'} ${titleOf(one)}`));
  console.log([...lines, ''].join('\n'));
}

function signInHint({ generated, passwordFile }: AdminAccount, options: ServerOptions): string {
  const { auth, adminUser, adminPassword } = options;
  if (!auth) return '(no password: --auth off)';
  if (generated !== undefined) return `(user ${adminUser}, password ${generated})`;
  if (adminPassword !== undefined) return `(user ${adminUser}, the password you gave)`;
  return `(user ${adminUser}, password in ${passwordFile})`;
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
