import { Logger } from '@nestjs/common';

/** Work that is done repeatedly. */
export interface Job {
  /** Milliseconds from the end of one round to the beginning of the next. */
  readonly everyMs: number;
  work(): Promise<void>;
  /** Beginning of the log line after a failed round, which says when the work is retried. */
  readonly retryMessage: string;
  readonly context: string;
  /** Level of the log line; `warn` by default. */
  readonly level?: 'debug' | 'warn';
}

/** Repeats a job, each time a while after it has ended, until it is stopped. Failed rounds are logged. */
export class RecurringJob {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private isStopped = false;

  constructor(private readonly job: Job) {}

  /** Whether work of many steps must stop before its next step. */
  get stopped(): boolean {
    return this.isStopped;
  }

  /** Begins the first round after a pause; the timer does not keep the process alive. */
  start(pauseMs = this.job.everyMs): void {
    if (this.isStopped) return;
    this.timer = setTimeout(() => {
      void this.catchUp().then(() => this.start());
    }, pauseMs);
    this.timer.unref();
  }

  /** Runs a round now, or after the current one; logs its failure. */
  catchUp(): Promise<void> {
    this.running = this.running.then(() => this.round());
    return this.running;
  }

  /** Resolves when the current round has ended. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private async round(): Promise<void> {
    const { retryMessage, context, level = 'warn' } = this.job;
    try {
      await this.job.work();
    } catch (error) {
      Logger[level](`${retryMessage}: ${String(error)}`, context);
    }
  }
}
