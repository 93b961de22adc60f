import type { LoggerService } from '@nestjs/common';
import { pino, type Logger } from 'pino';
import type { ServerOptions } from '../config/server-config.js';
import { currentTracer } from '../telemetry/tracing.js';
import { BackgroundOutput } from './background-output.js';

/** Contexts in which Nest logs every module and route, which is useful for debugging only. */
const FRAMEWORK = new Set([
  'InstanceLoader',
  'NestApplication',
  'NestFactory',
  'RouterExplorer',
  'RoutesResolver',
]);

/** Structured logs on standard output: a request never waits for them. */
export function createLog({ logLevel }: Pick<ServerOptions, 'logLevel'>): Logger {
  const tracer = currentTracer();
  const trace = tracer && { mixin: () => tracer.logFields() };
  return pino({ level: logLevel, base: { pid: process.pid }, ...trace }, new BackgroundOutput());
}

/** Passes the output of Nest's own logger to ours. */
export class NestLog implements LoggerService {
  constructor(private readonly pino: Logger) {}

  log(message: unknown, context?: string): void {
    this.write(FRAMEWORK.has(context ?? '') ? 'debug' : 'info', message, context);
  }

  warn(message: unknown, context?: string): void {
    this.write('warn', message, context);
  }

  debug(message: unknown, context?: string): void {
    this.write('debug', message, context);
  }

  verbose(message: unknown, context?: string): void {
    this.write('debug', message, context);
  }

  /** Nest passes a stack and a context after the message, or only a context. */
  error(message: unknown, ...[stack, context]: (string | undefined)[]): void {
    this.pino.error({ context: context ?? stack, ...(context ? { stack } : {}) }, String(message));
  }

  private write(level: 'info' | 'warn' | 'debug', message: unknown, context?: string): void {
    this.pino[level]({ context }, String(message));
  }
}
