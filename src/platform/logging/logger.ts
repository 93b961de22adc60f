import { write, writeSync } from 'node:fs';
import type { LoggerService } from '@nestjs/common';
import { pino, type Logger } from 'pino';
import type { ServerOptions } from '../config/server-config.js';
import { currentTracer } from '../telemetry/tracing.js';

const STDOUT = 1;
/** Each write wakes a thread of Node.js: at 4 KB that was 2 % of a login's cost. */
const CHARACTERS_PER_WRITE = 32 * 1024;
const IDLE_MS = 500;
const RETRY_MS = 100;
const LAST_MS = 1000;
/** Maximum number of waiting characters; further lines are lost. */
const MAX = 8 * 1024 * 1024;

/**
 * Standard output, written in the background. If the disk is full, or the pipe has no reader, lines are lost and the
 * service continues. pino's own destination would end the process on such an error, or delay its exit while it
 * waits for the write.
 */
class BackgroundOutput {
  private waiting = '';
  private writing = false;
  private failing = false;
  private ended: (() => void) | undefined;

  constructor() {
    setInterval(() => this.next(), IDLE_MS).unref();
    process.once('exit', () => this.leave());
  }

  write(line: string): void {
    if (this.waiting.length > MAX) return;
    this.waiting += line;
    if (this.waiting.length >= CHARACTERS_PER_WRITE) this.next();
  }

  /** @param done called when everything is written, or after a second at the latest */
  flush(done: () => void): void {
    const limit = setTimeout(done, LAST_MS);
    this.ended = () => {
      clearTimeout(limit);
      done();
    };
    this.next();
  }

  private next(): void {
    if (this.writing) return;
    if (this.waiting === '') return this.ended?.();
    const bytes = Buffer.from(this.waiting);
    this.waiting = '';
    this.send(bytes);
  }

  private send(bytes: Buffer): void {
    this.writing = true;
    write(STDOUT, bytes, (error, written) => {
      if (error) {
        this.complain(error);
        setTimeout(() => this.send(bytes), RETRY_MS).unref();
        return;
      }
      this.failing = false;
      if (written < bytes.length) return this.send(bytes.subarray(written));
      this.writing = false;
      if (this.ended || this.waiting.length >= CHARACTERS_PER_WRITE) this.next();
    });
  }

  /** Reports a failure once on standard error; a full pipe (EAGAIN) is not reported. */
  private complain({ code }: NodeJS.ErrnoException): void {
    if (code === 'EAGAIN' || this.failing) return;
    this.failing = true;
    process.stderr.write(`The log cannot be written (${code}): lines are lost until it can.\n`);
  }

  /** Tries once more to write the waiting lines, even if the process crashes. */
  private leave(): void {
    try {
      writeSync(STDOUT, this.waiting);
    } catch {
      // These lines are lost.
    }
  }
}

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
