import cluster from 'node:cluster';
import type { Server } from 'node:http';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { createApp } from '../app.js';
import { AuditSealing } from '../audit/audit-sealing.js';
import { baseAddress, issuerOf } from '../config/base-address.js';
import { isLoopback } from '../config/server-options.js';
import type { ServerOptions } from '../config/server-options.js';
import { Lifecycle } from '../health/lifecycle.js';
import { addUpWorkers } from '../health/worker-metrics.js';
import { createLog } from '../logging/logger.js';
import { AdminAccount } from '../security/admin-account.js';
import { withApplication } from './application.js';

/** How long load balancers are given to see that this instance is not ready any more. */
const NOTICE_MS = 1_000;
/** How long requests under way may take once the process is told to stop. */
const DRAIN_MS = 8_000;
const SWEEP_MS = 50;

/** Runs the server: in this process, or in `--workers` processes that share the port. */
export async function serve(options: ServerOptions): Promise<void> {
  if (options.workers > 1 && cluster.isPrimary) return lead(options);
  const log = createLog(options);
  const app = await createApp(options, { log });
  const stop = (noticeMs: number) =>
    void shutDown(app, noticeMs).then(() => log.flush(() => process.exit(0)));
  // Before anybody can see that it listens, and tell it to stop.
  process.once('SIGTERM', () => stop(NOTICE_MS));
  process.once('SIGINT', () => stop(0));
  await listen(app, options);
  if (cluster.isPrimary) {
    const hint = signInHint(app.get(AdminAccount), options);
    announce(options, { port: portOf(app, options), hint });
  }
}

/** @throws Error in one clear line; the process can end then, nothing of it stays open */
async function listen(app: NestExpressApplication, { host, port }: ServerOptions): Promise<void> {
  try {
    await app.listen(port, host);
  } catch (error) {
    await app.close();
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'EADDRINUSE') throw error;
    throw new Error(`--port ${port} on ${host} is in use already`, { cause: error });
  }
}

/**
 * The first process starts the workers, and a new one for each that dies; one that dies before it
 * listens would die again, and ends the program.
 */
async function lead(options: ServerOptions): Promise<void> {
  let hint = '';
  // Migrations and first-start work are done once, before any worker starts.
  await withApplication(options, async (app) => {
    await app.get(AuditSealing).join();
    hint = signInHint(app.get(AdminAccount), options);
  });
  addUpWorkers();
  const listening = new Set<number>();
  let stopping = false;
  const stop = () => {
    stopping = true;
    for (const worker of Object.values(cluster.workers ?? {})) worker?.kill('SIGTERM');
  };
  cluster.on('listening', ({ id }, { port }) => {
    listening.add(id);
    if (listening.size === options.workers) announce(options, { port, hint });
  });
  cluster.on('exit', ({ id }) => {
    if (stopping) return;
    if (listening.has(id)) cluster.fork();
    else {
      process.exitCode = 1;
      stop();
    }
  });
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  for (let n = 0; n < options.workers; n += 1) cluster.fork();
}

function portOf(app: NestExpressApplication, options: ServerOptions): number {
  const address = app.getHttpServer().address();
  return typeof address === 'object' && address ? address.port : options.port;
}

function announce(options: ServerOptions, { port, hint }: { port: number; hint: string }): void {
  const base = baseAddress({ ...options, port });
  const workers = options.workers > 1 ? `, in ${options.workers} processes` : '';
  const lines = [
    '',
    `  ServiceFido is ready at ${base}${workers}`,
    `  Demo:            ${base}/demo`,
    `  Administration:  ${base}/  ${hint}`,
    `  Documentation:   ${base}/docs`,
  ];
  if (options.registration === 'open') {
    lines.push(
      '',
      '  Registration is open: whoever reaches this port can add a key to any user name.',
      '  Keep it behind your backend, or set --registration first-only or ticket.',
    );
  }
  if (options.jwt && options.issuer === undefined && !isLoopback(options.host)) {
    lines.push(
      '',
      `  WARNING: without --issuer tokens say that ${issuerOf(options)} issued them.`,
      '  Give the address at which your web apps reach this service.',
    );
  }
  if (options.aaguid && options.mds.length === 0) {
    lines.push(
      '',
      '  WARNING: --aaguid on without --mds: at a relying party without anchors nothing proves the',
      '  listed models, and any certificate can claim one.',
    );
  }
  if (options.auditKeyFile === undefined) {
    lines.push(
      '',
      '  The audit trail is not sealed: whoever can write to the database could write it anew,',
      '  and nothing would show. Set --audit-key-file.',
    );
  }
  if (options.secretKeyFile === undefined) {
    lines.push(
      '',
      '  Secrets lie open in the database: whoever reads a copy of it can sign tokens and cookies.',
      '  Set --secret-key-file.',
    );
  }
  if (!options.auth) lines.push('', '  WARNING: --auth off: the administration is open to anyone.');
  console.log([...lines, ''].join('\n'));
}

function signInHint({ generated, passwordFile }: AdminAccount, options: ServerOptions): string {
  const { auth, adminUser, adminPassword } = options;
  if (!auth) return '(no password: --auth off)';
  if (generated !== undefined) return `(user ${adminUser}, password ${generated})`;
  if (adminPassword !== undefined) return `(user ${adminUser}, the password you gave)`;
  return `(user ${adminUser}, password in ${passwordFile})`;
}

/** Says that it leaves, lets requests under way finish, closes the database. */
async function shutDown(app: NestExpressApplication, noticeMs: number): Promise<void> {
  app.get(Lifecycle).drain();
  await new Promise((resolve) => setTimeout(resolve, noticeMs));
  const server: Server = app.getHttpServer();
  // Connections that are kept alive become idle one by one, when their last answer is out.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  const limit = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  await app.close();
  clearInterval(sweep);
  clearTimeout(limit);
}
